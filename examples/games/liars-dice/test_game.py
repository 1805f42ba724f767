"""Tests of the game: python3 -m unittest."""

import random
import unittest
import xml.dom.minidom

from flipside_game import Refused, Table
from game import LiarsDice


def rolled(*dice, **options):
    """Returns a match in which each seat rolls these dice first."""
    state = LiarsDice.begin({"dice": len(dice[0]), **options}, len(dice))
    roll(state, *dice)
    return state


def roll(state, *dice):
    for own in dice:
        state.apply_chance({"seat": state.to_roll[0], "dice": own})


def act(state, *actions):
    for action in actions:
        seat = state.to_move()
        assert action in state.actions(seat), action
        state.play(seat, action)


class Rules(unittest.TestCase):
    def test_a_bid_is_higher_than_the_one_before(self):
        state = rolled([2], [3])
        self.assertEqual(state.actions(0), [f"{count}x{face}" for count in (1, 2) for face in range(1, 7)])
        act(state, "1x5")
        self.assertEqual(state.actions(1), ["1x6", *(f"2x{face}" for face in range(1, 7)), "call"])
        for action, words in [("1x5", "higher than 1x5"), ("3x1", "only 2 dice")]:
            with self.assertRaisesRegex(Refused, words):
                state.check(1, action)
        with self.assertRaisesRegex(Refused, "no bid to call"):
            rolled([2], [3]).check(0, "call")

    def test_a_true_bid_costs_the_caller_a_die_and_a_false_one_the_bidder(self):
        for bid, loser, counted in [("2x3", 1, 2), ("3x3", 0, 2), ("1x2", 1, 1)]:
            state = rolled([2, 3], [3, 4])
            act(state, bid, "call")
            self.assertEqual((state.last["loser"], state.last["counted"]), (loser, counted))
            self.assertEqual((state.counts[loser], state.counts[1 - loser]), (1, 2))
            self.assertEqual((state.to_move(), state.bid, state.round), (loser, None, 2))

    def test_ones_are_wild_unless_they_are_not(self):
        for wild, counted in [(True, 3), (False, 1)]:
            state = rolled([1, 3], [1, 4], wild=wild)
            act(state, "1x3", "call")
            self.assertEqual(state.last["counted"], counted)
        state = rolled([1, 3], [1, 4])
        act(state, "2x1", "call")
        self.assertEqual(state.last["counted"], 2)

    def test_a_seat_without_dice_is_passed_over_and_later_ones_have_more_points(self):
        state = rolled([2], [3], [4])
        act(state, "3x6", "call")
        self.assertEqual((state.counts, state.to_move(), state.over()), ([0, 1, 1], 1, None))
        self.assertEqual(state.to_roll, [1, 2])
        roll(state, [5], [6])
        act(state, "1x5")
        self.assertEqual(state.to_move(), 2)
        act(state, "1x6", "call")
        self.assertEqual(state.over(), ([0, 1, 2], "last-seat"))

    def test_only_possible_rolls_are_taken(self):
        state = LiarsDice.begin({"dice": 2}, 2)
        wrong = [[1], [1, 7], [0, 1], [2, 1], [True, 1], [1.0, 1], ["1", "1"], None]
        for outcome in [5, None, [1, 1], {"seat": 1, "dice": [1, 1]}, {"dice": [1, 1]}] + [
            {"seat": 0, "dice": dice} for dice in wrong
        ]:
            with self.assertRaises(Refused):
                state.apply_chance(outcome)
        self.assertEqual(state.to_roll, [0, 1])
        for _ in range(20):
            state.copy().apply_chance(state.sample(random.Random()))

    def test_the_dice_of_others_change_nothing_that_a_seat_sees(self):
        one, other = rolled([2, 3], [3, 4], [5, 6]), rolled([2, 3], [1, 1], [2, 2])
        for actions in [[], ["2x3"], ["3x3"]]:
            for state in (one, other):
                act(state, *actions)
            for viewer in (0, "public"):
                self.assertEqual(one.view(viewer), other.view(viewer))
            self.assertEqual(one.actions(one.to_move()), other.actions(other.to_move()))
        self.assertEqual(one.view(0)["dice"], [[2, 3], None, None])
        self.assertNotIn("dice", one.view("public"))
        self.assertEqual(one.view("open")["dice"], [[2, 3], [3, 4], [5, 6]])

    def test_a_redeal_rolls_the_dice_that_the_viewer_does_not_see(self):
        for viewer in (0, 1, "public"):
            state = rolled([1, 2, 2, 5], [1, 3, 4, 6])
            act(state, "2x3")
            before = state.copy()
            state.redeal(viewer, random.Random(1))
            self.assertEqual(state.view(viewer), before.view(viewer))
            for seat in (0, 1):
                self.assertEqual(state.dice[seat] == before.dice[seat], seat == viewer)
                self.assertEqual((len(state.dice[seat]), state.dice[seat]), (4, sorted(state.dice[seat])))
        # Who has not rolled yet still has to.
        state = LiarsDice.begin({"dice": 2}, 2)
        state.apply_chance({"seat": 0, "dice": [1, 2]})
        state.redeal("public", random.Random(1))
        self.assertEqual((len(state.dice[0]), state.dice[1], state.to_roll), (2, [], [1]))

    def test_a_seat_learns_its_own_rolls_and_all_bids(self):
        table = Table(LiarsDice)
        table.answer({"type": "setup", "options": {"dice": 1}, "seats": 2})
        for seat in (0, 1):
            roll = {"type": "chance", "outcome": {"seat": seat, "dice": [4]}}
            self.assertEqual(table.answer(roll)["seen"], [[seat]])
        acts = {"type": "acts", "acts": [{"seat": 0, "action": "1x4"}]}
        self.assertEqual(table.answer(acts)["seen"], [[0, 1]])

    def test_random_matches_end_and_views_can_be_drawn(self):
        source = random.Random(1)
        for seats in LiarsDice.seats:
            state = LiarsDice.begin({}, seats)
            while state.over() is None:
                viewer = source.choice([*range(seats), "public", "open"])
                if source.random() < 0.2:
                    LiarsDice.text(state.view(viewer))
                    xml.dom.minidom.parseString(LiarsDice.svg(state.view(viewer)))
                if state.chance() is None:
                    act(state, state.choose(state.to_move(), source))
                else:
                    state.apply_chance(state.sample(source))
            points, _ = state.over()
            self.assertEqual(sorted(points), list(range(seats)))
            self.assertGreater(state.counts[points.index(seats - 1)], 0)


if __name__ == "__main__":
    unittest.main()
