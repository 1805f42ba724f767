/** mybot: plays any legal action of any game. Make it think in `choose`. */
public class Bot {
    /** Returns the action to play: a text in the game's notation. */
    static String choose(Flipside.Turn turn) {
        // turn.match says what is being played: its game, options, seat, number of seats and clock.
        // turn.view is all that your seat sees now. At flipfour, for example:
        //
        //     turn.view.get("board").at(0).text().charAt(2)    the letter of the square c5: the rows come from the top
        //     turn.view.get("hands").at(1).integer()           how many pieces seat 1 has in hand
        //
        // `flipside rules GAME` explains each field.
        // turn.events tells what happened since your last turn: who did what, as far as your seat may know.
        if (turn.id == 1) {
            Flipside.log(turn.match.game + ": seat " + turn.match.seat + " of " + turn.match.seats);
        }

        // Think here. Check turn.timeLeft(), in milliseconds, in long searches.
        return turn.actions.get(turn.match.random.nextInt(turn.actions.size()));
    }

    public static void main(String[] arguments) {
        Flipside.run("mybot", Bot::choose);
    }
}
