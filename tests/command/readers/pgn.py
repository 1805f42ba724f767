"""Reads a PGN file with pgn-read and prints its games: white, black, result and round, and what must be true of them."""

import sys

from pgn_read.core import parser

for game in parser.PGN().read_games(open(sys.argv[1])):
    # It sets a state where it finds an error.
    assert game.state is None, (game.state, game.pgn_text)
    assert game.is_tag_roster_valid(), game.pgn_tags
    tags = game.pgn_tags
    # The text has the tags, the moves and the result.
    assert game.pgn_text[-1] == tags["Result"], game.pgn_text
    print(tags["White"], tags["Black"], tags["Result"], tags["Round"])
