"""The tests that PettingZoo and Gymnasium have for environments, at every game, and laws of the process behind them.

    FLIPSIDE=/path/to/flipside python -m unittest discover tests

What is drawn here follows from fixed seeds.
"""

import os
import stat
import subprocess
import sys
import tempfile
import types
import unittest
import warnings
from pathlib import Path

import gymnasium
import numpy as np
from gymnasium.utils.env_checker import check_env
from pettingzoo.test import api_test, max_cycles_test, parallel_api_test, parallel_seed_test, seed_test
from pettingzoo.utils.conversions import parallel_to_aec

from flipside_env import (
    BotError, Client, FlipsideAEC, FlipsideError, FlipsideGym, FlipsideParallel, FlipsideVector, IllegalAction, Refused,
    ViewSpace, rewards,
)

REPOSITORY = Path(__file__).resolve().parents[3]
#: A game program with chance and secrets.
OUTSIDE = str(REPOSITORY / "examples/games/liars-dice")
#: Games in which the seats take turns, with observations as arrays.
BOARDS = ("flip4", "flipflop-3x3", "flipflop-5x5", "flipfour", "yonmoque")
GAMES = (
    *BOARDS, "phase10-flip", "puissance4-basic", "puissance4-championship", "puissance4-extra-pro", OUTSIDE,
)
CYCLES = 60

#: What the tests of others warn of, and why that is so here.
EXPECTED_WARNINGS = (
    # Observations have a mask beside the array, as those of PettingZoo's own board games, which it knows by name.
    "Observation is not a NumPy array",
    "Observation space for each agent probably should be",
    # After the end, and at an empty board.
    "Observation numpy array is all zeros",
    "Action mask numpy array is all zeros",
)


def seeded(env, seed=3):
    """Makes all that follows with an environment follow from a seed: its matches, and what its spaces draw. With this
    one, no match that should be truncated ends before."""
    env.reset(seed=seed)
    for number, agent in enumerate(env.possible_agents):
        env.action_space(agent).seed(seed + number)
    return env


class EveryGame(unittest.TestCase):
    def setUp(self):
        catcher = warnings.catch_warnings()
        catcher.__enter__()
        self.addCleanup(catcher.__exit__, None, None, None)
        warnings.simplefilter("error")
        for message in EXPECTED_WARNINGS:
            warnings.filterwarnings("ignore", message)

    def make(self, environment, *arguments, **options):
        env = environment(*arguments, **options)
        self.addCleanup(env.close)
        return env

    def test_pettingzoo_accepts_it_as_an_aec_env(self):
        for game in GAMES:
            with self.subTest(game=game):
                env = self.make(FlipsideAEC, game, render_mode="ansi")
                api_test(seeded(env), num_cycles=CYCLES)

    def test_pettingzoo_accepts_it_as_a_parallel_env(self):
        for game in GAMES:
            with self.subTest(game=game):
                env = self.make(FlipsideParallel, game)
                parallel_api_test(seeded(env), num_cycles=CYCLES)

    def test_the_same_seed_gives_the_same_match(self):
        for game in GAMES:
            with self.subTest(game=game):
                seed_test(lambda: FlipsideAEC(game), num_cycles=CYCLES)
                parallel_seed_test(lambda: FlipsideParallel(game, illegal="random"), num_cycles=CYCLES)

    def test_matches_are_truncated_by_max_cycles(self):
        for game in GAMES:
            with self.subTest(game=game):
                max_cycles_test(module(game, lambda env: parallel_to_aec(env)))

    def test_turns_are_truncated_by_max_cycles(self):
        for game in BOARDS:
            with self.subTest(game=game):
                max_cycles_test(module(game, None))

    def test_gymnasium_accepts_it_as_an_env(self):
        for game in GAMES:
            with self.subTest(game=game):
                env = self.make(gymnasium.make, "flipside_env:Flipside-v0", game=game, render_mode="ansi")
                check_env(env.unwrapped)

    def test_all_observations_of_a_match_belong_to_the_space(self):
        for game in GAMES:
            with self.subTest(game=game):
                env = self.make(FlipsideAEC, game)
                random = np.random.default_rng(3)
                env.reset(seed=3)
                for agent in env.agent_iter():
                    observation, reward, over, _, info = env.last()
                    space = env.observation_space(agent)
                    self.assertTrue(space.contains(observation), why_not(space, observation))
                    env.step(None if over else random.choice(np.flatnonzero(observation["action_mask"])))
                self.assertIn("points", info)
                self.assertEqual(reward, rewards(info["places"])[-1])

    def test_samples_of_views_are_views(self):
        for game in GAMES:
            with self.subTest(game=game):
                env = self.make(FlipsideAEC, game)
                space = env.observation_space("seat_0")["observation"]
                space.seed(1)
                for _ in range(20):
                    sample = space.sample()
                    self.assertTrue(space.contains(sample), sample)

    def test_masks_are_the_legal_actions(self):
        for game in GAMES:
            with self.subTest(game=game):
                client = self.make(Client, game)
                random = np.random.default_rng(5)
                want = ["views", "actions"] + (["indices"] if client.game.all_actions else [])
                (state,) = client.reset([0], [5], want=want)
                for _ in range(12):
                    if state.over:
                        break
                    for at, actions in enumerate(state.actions):
                        self.assertEqual(actions, sorted(actions, key=str.encode))
                        if client.game.all_actions:
                            self.assertEqual(actions, [client.game.all_actions[index] for index in state.indices[at]])
                    acts = [str(random.choice(actions)) for actions in state.actions]
                    state = client.act(0, *acts, want=want)

    def test_an_action_that_is_not_legal_changes_nothing(self):
        for game in GAMES:
            with self.subTest(game=game):
                client = self.make(Client, game)
                (state,) = client.reset([0], [5])
                with self.assertRaises(Refused) as caught:
                    client.act(0, *["no such action" for _ in state.asked])
                self.assertIn("no such action", str(caught.exception))
                self.assertEqual(client.states([0]), [state])

    def test_a_history_restores_its_table(self):
        for game in GAMES:
            with self.subTest(game=game):
                client = self.make(Client, game)
                state = wander(client, 0, plies=8)
                history = client.history(0)
                (restored,) = client.restore(np.array([1]), np.array([9]), history)
                self.assertEqual(restored.views, state.views)
                self.assertEqual(restored.actions, state.actions)
                self.assertEqual(client.history(1), history)
                for viewer in ("public", *range(history.seats)):
                    self.assertEqual(client.view(1, viewer), client.view(0, viewer))

    def test_a_copy_meets_the_same_chance_and_leaves_the_table_alone(self):
        for game in GAMES:
            with self.subTest(game=game):
                client = self.make(Client, game)
                state = wander(client, 0, plies=4)
                client.clone(0, [1])
                moved = follow(client, 1, plies=10)
                self.assertEqual(client.states([0]), [state])
                again = follow(client, 0, plies=10)
                self.assertEqual((again.views, again.actions, again.over), (moved.views, moved.actions, moved.over))
                self.assertEqual(client.history(0), client.history(1))

    def test_a_redeal_keeps_what_the_viewer_knows(self):
        for game in GAMES:
            with self.subTest(game=game):
                client = self.make(Client, game)
                state = wander(client, 0, plies=4)
                if state.over or not client.game.secrets:
                    continue
                seat = state.asked[0]
                views = [client.view(0, "open")]
                for table in range(1, 6):
                    client.redeal(0, [table], [table], seat)
                    self.assertEqual(client.view(table, seat), client.view(0, seat))
                    views.append(client.view(table, "open"))
                # A game whose only secrets are choices of this moment has nothing to deal.
                if client.game.id in ("phase10-flip", "liars-dice"):
                    self.assertTrue(any(view != views[0] for view in views))


class Environments(unittest.TestCase):
    def env(self, make, *args, **options):
        env = make(*args, **options)
        self.addCleanup(env.close)
        return env

    def test_a_batch_plays_as_single_tables_do(self):
        tables = 16
        for game in BOARDS:
            # There, chance goes on in the next match of a batch, which single tables cannot be told.
            if game == "flip4":
                continue
            with self.subTest(game=game):
                envs, client = self.env(FlipsideVector, game, tables), self.env(Client, game)
                random = np.random.default_rng(2)
                seen, infos = envs.reset(seed=2)
                want = ["indices", "observations"]
                states = client.reset(range(tables), range(tables), want=want)
                ended = 0
                for _ in range(60):
                    draws = seen["action_mask"] * random.random(seen["action_mask"].shape)
                    actions = draws.argmax(axis=1)
                    over = [state.table for state in states if state.over]
                    steps = [
                        {"table": state.table, "indices": [int(actions[state.table])]}
                        for state in states if not state.over
                    ]
                    new = client.step(steps, want=want) if steps else []
                    new += client.reset(over, over, want=want) if over else []
                    states = sorted(new, key=lambda state: state.table)
                    before = infos["seat"]
                    seen, reward, terminated, truncated, infos = envs.step(actions)
                    self.assertFalse(truncated.any())
                    for table, state in enumerate(states):
                        self.assertEqual(bool(terminated[table]), state.over is not None)
                        if state.over:
                            ended += 1
                            self.assertEqual(infos["seat"][table], 255)
                            self.assertFalse(seen["action_mask"][table].any())
                            by_seat = rewards(state.over.places)
                            self.assertEqual(infos["rewards"][table].tolist(), by_seat)
                            self.assertEqual(reward[table], by_seat[before[table]])
                        else:
                            self.assertEqual((int(infos["seat"][table]),), state.asked)
                            self.assertEqual(np.flatnonzero(seen["action_mask"][table]).tolist(), state.indices[0])
                            np.testing.assert_array_equal(seen["observation"][table], state.observations[0])
                self.assertGreater(ended, 0)

    def test_observations_of_a_batch_belong_to_the_space(self):
        envs = self.env(FlipsideVector, "flipfour", 8)
        seen, _ = envs.reset(seed=1)
        self.assertTrue(envs.observation_space.contains(seen))

    def test_a_batch_of_four_seats_rewards_them_all(self):
        envs = self.env(FlipsideVector, "flip4", 64, seats=4, options={"max_turns": 60})
        random = np.random.default_rng(4)
        seen, _ = envs.reset(seed=4)
        won = drawn = 0
        for _ in range(200):
            draws = seen["action_mask"] * random.random(seen["action_mask"].shape)
            seen, _, ended, _, infos = envs.step(draws.argmax(axis=1))
            for by_seat in infos["rewards"][ended]:
                self.assertEqual(by_seat.shape, (4,))
                self.assertAlmostEqual(by_seat.sum(), 0)
                won += by_seat.max() == 1
                drawn += not by_seat.any()
        self.assertGreater(won, 0)
        self.assertGreater(drawn, 0)

    def test_what_a_batch_has_shown_may_be_changed(self):
        envs, other = (self.env(FlipsideVector, "flipflop-3x3", 4) for _ in range(2))
        (seen, infos), (also, _) = envs.reset(seed=1), other.reset(seed=1)
        for _ in range(30):
            actions = also["action_mask"].argmax(axis=1)
            infos["seat"][:] = 255
            seen["observation"][:] = 7
            seen, rewards, ended, _, infos = envs.step(actions)
            also, same, _, _, _ = other.step(actions)
            np.testing.assert_array_equal(rewards, same)
            np.testing.assert_array_equal(seen["observation"], also["observation"])

    def test_a_batch_needs_observations_as_arrays(self):
        with self.assertRaisesRegex(FlipsideError, "no observations as arrays; use several tables of Client"):
            FlipsideVector("phase10-flip", 4)

    def test_planes_show_the_view_of_the_seat(self):
        client = self.env(Client, "flipflop-3x3")
        client.reset([0], [1])
        first, second = client.observation(0, 0), client.observation(0, 1)
        # White's rooks are on rank 1, which is the last row.
        np.testing.assert_array_equal(first[0], [[0, 0, 0], [0, 0, 0], [1, 1, 1]])
        np.testing.assert_array_equal(first[2], [[1, 1, 1], [0, 0, 0], [0, 0, 0]])
        np.testing.assert_array_equal(first[0], second[2])
        np.testing.assert_array_equal(first[2], second[0])
        self.assertEqual(len(client.game.planes), client.game.shape[0])

    def test_no_seat_sees_what_another_has_just_chosen(self):
        env = self.env(FlipsideAEC, "puissance4-basic")
        env.reset(seed=1)
        self.assertEqual(env.agent_selection, "seat_0")
        before = env.observe("seat_1")
        env.step(int(np.flatnonzero(env.observe("seat_0")["action_mask"])[0]))
        self.assertEqual(env.agent_selection, "seat_1")
        after = env.observe("seat_1")
        self.assertEqual(before["observation"], after["observation"])
        np.testing.assert_array_equal(before["action_mask"], after["action_mask"])

    def test_an_illegal_action_loses(self):
        env = self.env(FlipsideAEC, "flipfour")
        env.reset(seed=1)
        env.step(illegal(env))
        self.assertTrue(all(env.terminations.values()))
        self.assertEqual(env.rewards, {"seat_0": -1.0, "seat_1": 1.0})
        self.assertEqual(env.infos["seat_0"]["reason"], "illegal")
        self.assertRegex(env.infos["seat_0"]["illegal"], "a1-a2: .+")

    def test_a_legal_action_stands_in_for_an_illegal_one(self):
        env = self.env(FlipsideAEC, "flipfour", illegal="random")
        env.reset(seed=1)
        env.step(illegal(env))
        self.assertFalse(any(env.terminations.values()))
        self.assertEqual(env.agent_selection, "seat_1")
        self.assertRegex(env.infos["seat_0"]["illegal"], "a1-a2: .+")
        self.assertEqual(env.infos["seat_1"], {})
        env.step(int(np.flatnonzero(env.observe("seat_1")["action_mask"])[0]))
        self.assertEqual(env.infos["seat_0"], {})

    def test_an_illegal_action_raises_and_nothing_happens(self):
        env = self.env(FlipsideAEC, "flipfour", illegal="raise")
        env.reset(seed=1)
        with self.assertRaisesRegex(IllegalAction, "a1-a2: .+"):
            env.step(illegal(env))
        self.assertEqual(env.agent_selection, "seat_0")
        env.step(int(np.flatnonzero(env.observe("seat_0")["action_mask"])[0]))
        self.assertEqual(env.agent_selection, "seat_1")

    def test_an_illegal_action_raises_where_several_seats_choose_and_keeps_the_choices(self):
        env = self.env(FlipsideAEC, "puissance4-basic", illegal="raise")
        env.reset(seed=1)
        first = env.observe("seat_0")["action_mask"]
        for agent in ("seat_0", "seat_1"):
            self.assertEqual(env.agent_selection, agent)
            with self.assertRaises(IllegalAction):
                env.step(int(np.flatnonzero(first == 0)[0]))
            self.assertEqual(env.agent_selection, agent)
            env.step(int(np.flatnonzero(env.observe(agent)["action_mask"])[0]))
        self.assertEqual(len(env.match.events()[0]["acts"]), 2)

    def test_too_many_legal_actions_say_what_to_set(self):
        env = self.env(FlipsideAEC, "phase10-flip", max_actions=1)
        env.reset(seed=1)
        with self.assertRaisesRegex(FlipsideError, "set max_actions above 1"):
            env.last()

    def test_the_seats_and_options_of_a_match(self):
        env = self.env(FlipsideAEC, "flipfour", options={"max_plies": 2})
        env.reset(seed=1)
        for agent in env.agent_iter():
            observation, reward, over, _, info = env.last()
            env.step(None if over else int(np.flatnonzero(observation["action_mask"])[0]))
        self.assertEqual((info["reason"], reward), ("limit", 0.0))

    def test_partners_win_and_lose_together(self):
        env = self.env(FlipsideParallel, "puissance4-basic", seats=4)
        self.assertEqual(env.possible_agents, ["seat_0", "seat_1", "seat_2", "seat_3"])
        random = np.random.default_rng(1)
        observations, _ = env.reset(seed=1)
        while env.agents:
            actions = {
                agent: int(random.choice(np.flatnonzero(observations[agent]["action_mask"]))) for agent in env.agents
            }
            observations, reward, _, _, infos = env.step(actions)
        self.assertEqual(infos["seat_0"]["reason"], "line")
        self.assertEqual(sorted(reward.values()), [-1.0, -1.0, 1.0, 1.0])

    def test_partners_lose_together_by_an_illegal_action(self):
        env = self.env(FlipsideParallel, "puissance4-basic", seats=4)
        env.reset(seed=1)
        actions = {agent: env.WAIT for agent in env.agents}
        _, reward, _, _, _ = env.step(actions)
        self.assertEqual(sorted(reward.values()), [-1.0, -1.0, 1.0, 1.0])

    def test_drawings(self):
        env = self.env(FlipsideAEC, "flipfour", render_mode="svg")
        env.reset(seed=1)
        self.assertIn("<svg", env.render())
        env.render_mode = "ansi"
        self.assertIn("a", env.render())
        env.render_mode = None
        with self.assertRaisesRegex(ValueError, "make it with 'ansi', 'svg' or 'human'"):
            env.render()

    def test_rewards_compare_places(self):
        self.assertEqual(rewards([1, 2]), [1.0, -1.0])
        self.assertEqual(rewards([1, 1]), [0.0, 0.0])
        self.assertEqual(rewards([1, 2, 3]), [1.0, 0.0, -1.0])
        self.assertEqual(rewards([1, 2, 2, 4]), [1.0, 0.0, 0.0, -1.0])
        # Partners share a place and are not compared.
        self.assertEqual(rewards([1, 2, 1, 2], [0, 1, 0, 1]), [1.0, -1.0, 1.0, -1.0])


class Opponents(unittest.TestCase):
    def play(self, opponents, game="flipfour", **options):
        """Plays a match at random, and returns its history."""
        env = FlipsideGym(game, opponents, **options)
        self.addCleanup(env.close)
        random = np.random.default_rng(4)
        observation, info = env.reset(seed=4)
        over = False
        while not over:
            action = int(random.choice(np.flatnonzero(observation["action_mask"])))
            observation, reward, over, _, info = env.step(action)
        self.assertEqual(reward, rewards(info["places"])[info["seat"]])
        return env.match.events()

    def test_the_same_seed_gives_the_same_match_against_a_bot(self):
        self.assertEqual(self.play("sample:greedy"), self.play("sample:greedy"))

    def test_each_seat_has_its_opponent(self):
        self.play(["sample:random", "sample:greedy"], game="phase10-flip", seats=3, seat=1, options={"max_rounds": 1})

    def test_a_program_that_speaks_the_protocol(self):
        self.play((sys.executable, str(REPOSITORY / "kits/python/bot.py")))
        self.play(f"{sys.executable} {REPOSITORY}/kits/python/bot.py", game=OUTSIDE)

    def test_a_function(self):
        asked = []

        def first(turn):
            asked.append(turn.seat)
            return turn.actions[0]

        self.play(first, seat=0)
        self.assertEqual(set(asked), {1})

    def test_a_process_is_reused_or_started_again(self):
        for reuse in ("true", "false"):
            with self.subTest(reuse=reuse):
                bot = self.script(BOT.replace("REUSE", reuse))
                env = FlipsideGym("flipfour", bot, options={"max_plies": 4})
                self.addCleanup(env.close)
                for seed in range(3):
                    observation, _ = env.reset(seed=seed)
                    over = False
                    while not over:
                        legal = np.flatnonzero(observation["action_mask"])
                        observation, _, over, _, _ = env.step(int(legal[0]))
                starts = Path(bot).with_suffix(".starts").read_text()
                self.assertEqual(len(starts), 1 if reuse == "true" else 3)

    def test_a_process_does_not_outlive_a_match_that_is_left(self):
        bot = self.script(BOT.replace("REUSE", "true"))
        env = FlipsideGym("flipfour", bot)
        self.addCleanup(env.close)
        for seed in range(3):
            observation, _ = env.reset(seed=seed)
            env.step(int(np.flatnonzero(observation["action_mask"])[0]))
        self.assertEqual(len(Path(bot).with_suffix(".starts").read_text()), 3)

    def test_bots_that_fail(self):
        illegal = BOT.replace("REUSE", "true").replace('["actions"][0]', '["id"]')
        for bot, why in (
            ("/no/such/bot", "/no/such/bot does not start: "),
            (self.shell("echo no luck >&2; exit 3"), "ended before it answered; it wrote: no luck"),
            (self.shell("echo hello; cat >/dev/null"), "wrote a line that is not JSON: hello"),
            (self.shell("echo '{}'; cat >/dev/null"), "answered hello by {}"),
            (self.script(illegal), "chose 1, which is not legal"),
        ):
            with self.subTest(why=why):
                env = FlipsideGym("flipfour", bot, seat=1)
                self.addCleanup(env.close)
                with self.assertRaises(BotError) as caught:
                    env.reset(seed=1)
                self.assertIn(why, str(caught.exception))

    def test_a_bot_that_does_not_answer(self):
        env = FlipsideGym("flipfour", self.shell("cat >/dev/null"), patience=0.1)
        self.addCleanup(env.close)
        with self.assertRaisesRegex(BotError, "did not answer within 0.1 s"):
            env.reset(seed=1)

    def test_opponents_and_seats_that_are_not_there(self):
        with self.assertRaisesRegex(ValueError, "3 opponents for 1 other seats"):
            FlipsideGym("flipfour", ["sample:random"] * 3)
        with self.assertRaisesRegex(ValueError, "there is no seat 2: the match has 2"):
            FlipsideGym("flipfour", seat=2)

    def shell(self, line):
        return self.script(f"#!/bin/sh\n{line}\n")

    def script(self, text):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        path = Path(folder.name, "bot")
        path.write_text(text)
        path.chmod(path.stat().st_mode | stat.S_IXUSR)
        return str(path)


class TheProcess(unittest.TestCase):
    def test_a_game_that_is_not_there(self):
        with self.assertRaisesRegex(FlipsideError, "no-such-game"):
            Client("no-such-game")

    def test_a_program_that_is_not_there(self):
        why = "no program /no/flipside; put it on PATH, or set the variable FLIPSIDE"
        with self.assertRaisesRegex(FlipsideError, why):
            Client("flipfour", flipside="/no/flipside")

    def test_the_argument_comes_before_the_variable(self):
        there = os.environ["FLIPSIDE"]
        os.environ["FLIPSIDE"] = "/no/flipside"
        self.addCleanup(os.environ.__setitem__, "FLIPSIDE", there)
        with Client("flipfour", flipside=there) as client:
            self.assertEqual(client.game.id, "flipfour")

    def test_a_game_of_an_arena_and_a_program_without_isolation(self):
        with tempfile.TemporaryDirectory() as folder:
            arena = str(Path(folder, "arena"))
            subprocess.run(
                [os.environ["FLIPSIDE"], "game", "add", OUTSIDE, "--arena", arena], check=True, capture_output=True
            )
            with Client("liars-dice", arena=arena) as client:
                self.assertEqual(client.game.title, "Liar's dice")
        with Client(OUTSIDE, trust=True) as client:
            self.assertEqual(client.game.title, "Liar's dice")

    def test_a_request_that_cannot_be_met(self):
        with Client("flipfour") as client:
            with self.assertRaises(FlipsideError) as caught:
                client.states([5])
            self.assertIn("5", str(caught.exception))
            # It goes on.
            client.reset([5], [1])

    def test_a_request_that_is_no_json_or_has_arrays_to_follow(self):
        with Client("flipfour") as client:
            with self.assertRaises(TypeError):
                client.states([object()])
            with self.assertRaisesRegex(FlipsideError, r"call play\(\) instead"):
                client.request("play", actions=[0])
            with self.assertRaisesRegex(FlipsideError, "there is no batch"):
                client.play([0])
            # It goes on.
            client.reset([5], [1])

    def test_a_process_that_ends_within_its_arrays(self):
        with tempfile.TemporaryDirectory() as folder:
            program = Path(folder, "flipside")
            program.write_text(ENDS_WITHIN_ARRAYS)
            program.chmod(0o755)
            with Client("flipfour", flipside=str(program)) as client:
                with self.assertRaisesRegex(FlipsideError, "ended before it answered"):
                    client.batch(2, 1)

    def test_it_ends_with_its_client(self):
        with Client("flipfour") as client:
            process = client._process._child
        self.assertIsNotNone(process.returncode)

    def test_a_client_that_is_closed_reaches_no_other_process(self):
        closed = Client("flipfour")
        closed.close()
        with Client("flipfour") as client:
            client.reset([0], [1])
            with self.assertRaisesRegex(FlipsideError, "env flipfour is closed"):
                closed.states([0])

    def test_an_answer_that_was_not_awaited_is_not_taken_for_another(self):
        def interrupted(*_):
            raise KeyboardInterrupt

        for method, ask in (
            ("receive", lambda client: client.reset([0], [1])),
            ("receive_bytes", lambda client: client.batch(2, 1)),
        ):
            with self.subTest(method=method):
                client = Client("flipfour")
                setattr(client._process, method, interrupted)
                with self.assertRaises(KeyboardInterrupt):
                    ask(client)
                delattr(client._process, method)
                with self.assertRaisesRegex(FlipsideError, "is closed"):
                    client.states([0])

    def test_chance_on_request(self):
        with Client("flip4") as client:
            (state,) = client.reset([0], [1], chance="asked")
            self.assertTrue(state.waits_for_chance)
            state = client.step_chance(0)
            outcome = client.history(0).events[0]["chance"]
            client.reset([1], [2], chance="asked")
            self.assertEqual(client.step_chance(1, outcome).views, state.views)


#: A program that describes a game as the real one does, and of a batch sends fewer bytes than it says.
ENDS_WITHIN_ARRAYS = f"""#!{sys.executable}
import os, subprocess, sys
described = subprocess.run(
    [os.environ["FLIPSIDE"], *sys.argv[1:]], input=sys.stdin.buffer.readline(), capture_output=True, check=True
)
os.write(1, described.stdout)
sys.stdin.buffer.readline()
os.write(1, b'{{"type":"arrays","asked":2,"legal":170,"observations":400,"points":16}}\\n12345')
"""

#: A bot that takes the first action, and counts in a file how often it was started.
BOT = f"""#!{sys.executable}
import json, sys
open(sys.argv[0] + ".starts", "a").write(".")
for line in sys.stdin:
    message = json.loads(line)
    if message["type"] == "hello":
        print('{{"type":"ready","actions":true,"reuse":REUSE}}', flush=True)
    elif message["type"] == "turn":
        answer = {{"type": "act", "id": message["id"], "action": message["actions"][0]}}
        print(json.dumps(answer), flush=True)
"""


def module(game, convert):
    """Returns what PettingZoo's tests call a module: constructors of both kinds of environments of a game."""

    def parallel_env(max_cycles):
        return seeded(FlipsideParallel(game, max_cycles=max_cycles, illegal="random"))

    def env(max_cycles):
        if convert is None:
            return seeded(FlipsideAEC(game, max_cycles=max_cycles, illegal="random"))
        return convert(parallel_env(max_cycles))

    return types.SimpleNamespace(parallel_env=parallel_env, env=env)


def illegal(env):
    """Returns the index of an action that the seat to move does not have at the start of FlipFour."""
    return env.match.game.all_actions.index("a1-a2")


def wander(client, table, plies):
    """Begins a match at a table, and plays so many plies at random, or fewer if it ends."""
    random = np.random.default_rng(6)
    (state,) = client.reset([table], [6])
    for _ in range(plies):
        if not state.over:
            state = client.act(table, *[str(random.choice(actions)) for actions in state.actions])
    return state


def follow(client, table, plies):
    """Plays so many plies at a table: always the action in the middle."""
    (state,) = client.states([table])
    for _ in range(plies):
        if not state.over:
            state = client.act(table, *[actions[len(actions) // 2] for actions in state.actions])
    return state


def why_not(space, observation):
    part = space["observation"]
    return part.why_not(observation["observation"]) if isinstance(part, ViewSpace) else str(observation)


if __name__ == "__main__":
    unittest.main()
