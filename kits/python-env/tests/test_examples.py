"""The examples that learn: what they learn is right, and follows from the seed."""

import sys
import tempfile
import unittest
from pathlib import Path

import numpy as np

from flipside_env import Client, FlipsideVector

EXAMPLES = Path(__file__).resolve().parents[1] / "examples"
sys.path.insert(0, str(EXAMPLES))

import curve  # noqa: E402
import flipflop  # noqa: E402
import flipfour  # noqa: E402


class FlipFlop(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.exact = flipflop.solve()

    def learnt(self, steps=60):
        envs = FlipsideVector("flipflop-3x3", 512)
        self.addCleanup(envs.close)
        self_play = flipflop.SelfPlay(envs, seed=1)
        for _ in range(steps):
            self_play.step()
        self_play.sweep()
        return self_play.learner

    def test_the_exact_solution(self):
        # As the sample bot `perfect` and the second implementation of the rules have it: the side that begins wins.
        self.assertEqual(self.exact[flipflop.START], 15)
        # The value of each position follows from those after it.
        for board, value in list(self.exact.items())[::50]:
            if flipflop.distance(value) > 0:
                after = [self.exact[flipflop.after(board, *move)] for move in flipflop.moves(board)]
                lost = [plies for plies in after if plies < 0]
                if lost:
                    self.assertEqual(value, 1 + min(map(flipflop.distance, lost)))
                else:
                    self.assertEqual(value, -2 - max(after))

    def test_its_rules_are_those_of_the_game(self):
        squares = ["a3", "b3", "c3", "a2", "b2", "c2", "a1", "b1", "c1"]
        client = Client("flipflop-3x3")
        self.addCleanup(client.close)
        random = np.random.default_rng(1)
        for seed in range(20):
            (state,) = client.reset([0], [seed])
            board = flipflop.START
            while not state.over:
                legal = flipflop.moves(board)
                turned = [(squares if state.asked == (0,) else squares[6:] + squares[3:6] + squares[:3])] * 2
                texts = [
                    f"{turned[0][start]}{'-' if board[end] == '.' else 'x'}{turned[1][end]}" for start, end in legal
                ]
                self.assertEqual(sorted(texts), state.actions[0])
                at = int(random.integers(len(legal)))
                board = flipflop.after(board, *legal[at])
                state = client.act(0, texts[at])

    def test_what_is_learnt_is_never_wrong(self):
        values = self.learnt().values
        right, wrong, unknown = flipflop.compare(values, self.exact)
        self.assertEqual(wrong, 0)
        self.assertGreater(right, 500)
        self.assertGreater(unknown, 0)
        # Nobody wins in fewer plies than the exact solution says.
        for board, value in self.exact.items():
            learnt = values[flipflop.code_of(board)]
            if learnt:
                self.assertGreaterEqual(flipflop.plies_of(learnt), flipflop.distance(value))

    def test_it_follows_from_the_seed(self):
        np.testing.assert_array_equal(self.learnt(20).values, self.learnt(20).values)


class FlipFour(unittest.TestCase):
    def play(self, plies=3000):
        envs = FlipsideVector("flipfour", 32, options={"max_plies": flipfour.MAX_PLIES})
        self.addCleanup(envs.close)
        learner = flipfour.Learner()
        self_play = flipfour.SelfPlay(learner, envs, seed=1)
        while self_play.plies < plies:
            self_play.step(flipfour.RATE)
        return learner, self_play

    def test_the_bot_knows_what_was_learnt(self):
        learner, self_play = self.play()
        self.assertGreater(self_play.matches, 10)
        planes = self_play.observations["observation"]
        own, other = flipfour.pieces_of(planes[:, :2]), flipfour.pieces_of(planes[:, 2:4])
        values = learner.values(learner.features(own, other), own, other)
        self.assertGreater(len(set(values.tolist())), 10)
        with tempfile.TemporaryDirectory() as folder:
            flipfour.write_bot(learner.result(), Path(folder))
            self.assertEqual(
                sorted(path.name for path in Path(folder).iterdir()), ["bot.py", "bot.toml", "value.py", "weights.bin"]
            )
            value = flipfour.Value.read(str(Path(folder, "weights.bin")))
        for position in range(len(values)):
            if not flipfour.has_won(own[position : position + 1])[0]:
                found = value.of(own[position].tolist(), other[position].tolist())
                self.assertAlmostEqual(found, float(values[position]), places=4)

    def test_actions_and_pieces_are_those_of_the_view(self):
        _, self_play = self.play(plies=320)
        from value import after, has_won, pieces_of

        client = Client("flipfour")
        self.addCleanup(client.close)
        random = np.random.default_rng(1)
        (state,) = client.reset([0], [1], want=["views", "actions", "indices", "observations"])
        for _ in range(30):
            (seat,) = state.asked
            board = state.views[0]["board"]
            own = pieces_of(board, ("RB", "rb")[seat])
            planes = state.observations[0][None]
            self.assertEqual(flipfour.pieces_of(planes[:, :2]).tolist(), [own])
            at = int(random.integers(len(state.actions[0])))
            action, index = state.actions[0][at], state.indices[0][at]
            pieces = after(own, action)
            moved = self_play.actions.after(np.array([own]), np.array([index]))
            self.assertEqual(moved.tolist(), [pieces])
            state = client.act(0, action, want=["views", "actions", "indices", "observations"])
            self.assertEqual(has_won(pieces), state.over is not None and state.over.reason == "line")
            if state.over:
                break
            self.assertEqual(pieces_of(state.views[0]["board"], ("RB", "rb")[seat]), pieces)

    def test_it_follows_from_the_seed(self):
        first, _ = self.play()
        second, _ = self.play()
        np.testing.assert_array_equal(first.weights, second.weights)


class Curve(unittest.TestCase):
    def test_a_curve_is_an_svg_file(self):
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "curve.svg")
            curve.write_curve(path, [(0, 0.0), (10, 0.5), (20, 1.0)], "Title", "plies")
            text = path.read_text()
        self.assertIn('points="40.0,200.0 240.0,120.0 440.0,40.0"', text)
        self.assertIn("Title", text)


if __name__ == "__main__":
    unittest.main()
