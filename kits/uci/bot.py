"""mybot: plays chess with a UCI engine."""

from uci import play

#: The engine and its arguments: a file beside this one, or a program of the system.
ENGINE = ["./engine"]

#: Options of the engine, for example {"Hash": 64}, or of the bridge; the README lists those.
OPTIONS = {}


def main() -> None:
    play(ENGINE, name="mybot", options=OPTIONS)


if __name__ == "__main__":
    main()
