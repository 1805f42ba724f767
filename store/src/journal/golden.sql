-- A journal of version 1 with a row of every kind. From the first release on, it is never made anew.

INSERT INTO bots (id, name, version, kind, sha256, size, file, submitted_at, deleted_at) VALUES
    (1, 'greedy', 1, 'process', '0101010101010101010101010101010101010101010101010101010101010101', 10, '0101010101010101010101010101010101010101010101010101010101010101', 1700000000000, NULL),
    (2, 'random', 1, 'module', '0202020202020202020202020202020202020202020202020202020202020202', 20, '0202020202020202020202020202020202020202020202020202020202020202.wasm', 1700000000001, NULL),
    (3, 'random', 2, 'module', '0303030303030303030303030303030303030303030303030303030303030303', 30, '0303030303030303030303030303030303030303030303030303030303030303.wasm', 1700000000002, NULL);
INSERT INTO bot_games (bot, game) VALUES
    (1, 'flipfour');
INSERT INTO former_names (bot, name, renamed_at) VALUES
    (1, 'eager', 1700000000030);
INSERT INTO games (name, version, kind, sha256, size, file, description, added_at, imported) VALUES
    ('nim', 1, 'process', '0404040404040404040404040404040404040404040404040404040404040404', 40, '0404040404040404040404040404040404040404040404040404040404040404.tar.zst', '{"type":"game"}', 1700000000003, 0);
INSERT INTO tournaments (id, name, settings, created_at) VALUES
    (1, 'evening', '{"game":"flipfour","options":"{}","seats":2,"format":"round-robin","rounds":1,"clock":"move=1s","seed":7,"salt":"00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff","pause_after":1}', 1700000000004);
INSERT INTO entrants (tournament, number, bot) VALUES
    (1, 0, 1),
    (1, 1, 3);
INSERT INTO changes (tournament, number, idx, change, reason, at, bot) VALUES
    (1, 0, 2, '{"rounds":{"more":1}}', 'a second leg', 1700000000020, NULL),
    (1, 1, NULL, '{"withdraw":{"entrant":1}}', NULL, 1700000000021, NULL),
    (1, 2, NULL, '{"join":{"entrant":2}}', NULL, 1700000000022, 2);
INSERT INTO runs (id, tournament, pinned) VALUES
    (1, 1, 1),
    (2, 1, 0);
INSERT INTO imports (id, tournament, archive, name, flipside, at, finished, last, signer) VALUES
    (1, 1, x'0101010101010101010101010101010101010101010101010101010101010101', 'evening', '0.1.0', 1700000000010, 1, 0, NULL),
    (2, 1, x'0202020202020202020202020202020202020202020202020202020202020202', 'evening', '0.1.0', 1700000000011, 0, 2, x'0404040404040404040404040404040404040404040404040404040404040404'),
    (3, 1, x'0303030303030303030303030303030303030303030303030303030303030303', 'evening', '0.1.0', 1700000000012, 0, 5, NULL);
INSERT INTO workers (id, name, class) VALUES
    (1, 'north', 'c3'),
    (2, '', 'c2');
INSERT INTO matches (tournament, idx, id, round, block, started_at, duration_us, reason, plies, import, worker) VALUES
    (1, 0, 'evening-0', 0, 0, 1700000000005, 2000, 'fault', 40, NULL, 1),
    (1, 1, 'evening-1', 0, 0, 1700000000007, 0, 'forfeit', 0, 2, NULL);
INSERT INTO match_seats (tournament, idx, seat, bot, points, place, fault, fault_detail, used_us, plies, model) VALUES
    (1, 0, 0, 1, 1, 1, NULL, NULL, 1000, 20, '{"moves":20,"answered":19,"first_try":17,"tries":22,"provider_errors":1,"tokens_in":16240,"tokens_out":680,"fallbacks":2}'),
    (1, 0, 1, 3, 0, 2, 'late', 'no answer in 1 s', 1000, 20, NULL),
    (1, 1, 0, 3, 0, 2, 'forfeit', 'it is paused', 0, 0, NULL),
    (1, 1, 1, 1, 1, 1, NULL, NULL, 0, 0, NULL);
INSERT INTO records (tournament, idx, sha256, zstd) VALUES
    (1, 0, x'ad1397b9890622cc1d296baf0c1ac93ffd964339aaef1c47a8dab90272f9a093', x'28b52ffd2311c98d4322b500004869696e672d30227d0a03fca90980c39186a6b5150d');
INSERT INTO evidence (tournament, idx, seat, sha256, zstd) VALUES
    (1, 0, 1, x'bce799eb8765ee1403003bf45007378a4468cf0e0b80ee43488088a215c8b40d', x'28b52ffd2311c98d4372b50200c4037b22737464657272223a2268656c70222c227472616666696366726f6d5f626f6e65223a227b7d222c22627974652c74727572657369676e367d5d7d07fc2f0173250ed61d429da7af266549c38f95fc6569a81f');
INSERT INTO notes (tournament, slot, seat, idx, sha256, zstd) VALUES
    (1, 0, 0, 0, x'5d45d9185afde16ed44ad9885de7d40effe6711dceb0aa4a74a6c7a876ed7678', x'28b52ffd00584101007b22737464657272223a227468696e6b696e67222c22706f6e64657265645f7573223a373030307d');
INSERT INTO voids (tournament, idx, reason, at) VALUES
    (1, 1, 'the referee was late', 1700000000006);
INSERT INTO pauses (tournament, idx, bot, faults, detail) VALUES
    (1, 0, 3, '{"late":1}', 'no answer in 1 s');
INSERT INTO audits (id, tournament, idx, worker, auditor, difference, record, proves, at) VALUES
    (1, 1, 0, 'north', '', NULL, x'ad1397b9890622cc1d296baf0c1ac93ffd964339aaef1c47a8dab90272f9a093', 1, 1700000000031);
INSERT INTO banned_workers (worker, reason, at) VALUES
    ('liar', 'match 5: it lies', 1700000000033);
INSERT INTO withdrawn (id, tournament, idx, worker, at) VALUES
    (1, 1, 5, 'liar', 1700000000034);
