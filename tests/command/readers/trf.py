"""Reads a TRF file with py4swiss, which compares the results of the players with each other and with their points. Prints
the players: name, rank and points. With a second argument, pairs the next round, and prints who meets whom."""

import sys
from pathlib import Path

from py4swiss.engines import DutchEngine
from py4swiss.trf import TrfParser

read = TrfParser.parse(Path(sys.argv[1]), strict=True)
names = {}
for player in read.player_sections:
    names[player.starting_number] = player.name
    print(player.name, player.rank, player.points_times_ten / 10)
if len(sys.argv) > 2:
    for pairing in DutchEngine.generate_pairings(read):
        print(names[pairing.white], "-", names.get(pairing.black, "bye"))
