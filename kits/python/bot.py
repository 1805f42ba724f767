"""mybot: plays any legal action of any game. Make it think in `choose`."""

from flipside import Turn, log, run


def choose(turn: Turn) -> str:
    """Returns the action to play: a text in the game's notation."""
    # turn.match says what is being played: its game, options, seat, number of seats and clock.
    # turn.view is all that your seat sees now. At flipfour, for example:
    #
    #     turn.view["board"][0][2]    the letter of the square c5: the rows come from the top down
    #     turn.view["hands"]          how many pieces each seat has in hand
    #
    # `flipside rules GAME` explains each field; flipside.py has the types.
    # turn.events tells what happened since your last turn: who did what, as far as your seat may know.
    if turn.id == 1:
        log(f"{turn.match.game}: seat {turn.match.seat} of {turn.match.seats}")

    # Think here. Check turn.time_left(), in seconds, in long searches.
    return turn.match.random.choice(turn.actions)


def main() -> None:
    run(choose, name="mybot")


if __name__ == "__main__":
    main()
