"""mybot: asks a language model for its moves, at any game."""

from llm import play

#: Options of the bot; the README lists them. With "none", it asks nobody and plays at random: name a service,
#: for example {"address": "http://localhost:8080/v1", "model": "some-model"}. The key is no option: it comes from
#: the environment variable LLM_API_KEY.
OPTIONS = {"address": "none"}


def main() -> None:
    play(name="mybot", options=OPTIONS)


if __name__ == "__main__":
    main()
