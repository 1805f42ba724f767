// Tests of the kit: node test_flipside.js
'use strict';

const assert = require('assert');
const { spawnSync } = require('child_process');
const path = require('path');
const { Random, Session, LONGEST_NOTE } = require('./flipside.js');

const HELLO = {
  type: 'hello', protocol: 1, match: 'm', game: 'flipfour', options: { max_plies: 60 }, seat: 1, seats: 2,
  clock: 'move=1s', limits: { line: 65536, memory: 0 }, commitment: '', seed: 7, later: 'ignored',
};
const EVENTS = [
  { missed: 2 }, { acts: [{ seat: 0, action: '+é' }, { seat: 1 }] }, { chance: null },
  { fault: { seat: 0, fault: 'late' } },
];
const TURN = {
  type: 'turn', id: 5, actions: ['+a1', '+a2'], clocks: [10, 60000], view: { board: ['é'] }, events: EVENTS,
};
const OVER = { type: 'over', points: [1, 0], places: [1, 2], reason: 'line', view: {} };

function converse(messages, choose, options) {
  const session = new Session(choose, options);
  return messages.map((message) => session.answer(JSON.stringify(message))).filter((answer) => answer);
}

function runBot(text, messages) {
  const kit = JSON.stringify(path.join(__dirname, 'flipside.js'));
  const input = messages.map((message) => JSON.stringify(message) + '\n').join('');
  return spawnSync(process.execPath, ['-e', `const { run } = require(${kit});\n${text}`], { input, encoding: 'utf8' });
}

const tests = {
  'a turn is answered with its id'() {
    const answers = converse([HELLO, TURN], (turn) => {
      assert.strictEqual(turn.match.seat, 1);
      assert.deepStrictEqual(turn.view.board, ['é']);
      assert(turn.timeLeft() > 50000 && turn.timeLeft() <= 60000);
      return turn.actions[1];
    }, { name: 'x' });
    assert.deepStrictEqual(answers, [
      { type: 'ready', name: 'x', version: '1', actions: true, reuse: true, events: true },
      { type: 'act', id: 5, action: '+a2' },
    ]);
  },

  'a new match begins from nothing'() {
    const count = (turn) => String((turn.match.memo = (turn.match.memo || 0) + 1));
    const actions = converse([HELLO, TURN, TURN, OVER, HELLO, TURN], count).map((answer) => answer.action);
    assert.deepStrictEqual(actions, [undefined, '1', '2', undefined, '1']);
  },

  'a turn has its events'() {
    const told = [];
    const choose = (turn) => {
      told.push(turn.events);
      return '+a1';
    };
    converse([HELLO, TURN, { ...TURN, events: undefined }], choose);
    assert.deepStrictEqual(told, [EVENTS, []]);
  },

  'random numbers follow from the whole seed'() {
    const first = (seed) => new Random(seed).next();
    assert.strictEqual(first(7), first(7));
    assert.notStrictEqual(first(7), first(7 + 2 ** 32));
    const counts = [0, 0, 0];
    const random = new Random(2 ** 53 - 1);
    for (let time = 0; time < 3000; time++) counts[random.below(3)]++;
    assert(counts.every((count) => count > 850 && count < 1150), String(counts));
  },

  'notes are cut and are always UTF-8'() {
    const choose = (turn) => {
      turn.note = '\ud800' + 'é'.repeat(1000);
      return '+a1';
    };
    const { note } = converse([HELLO, TURN], choose)[1];
    assert.strictEqual(note, '\ufffd' + 'é'.repeat(LONGEST_NOTE - 1));
  },

  'the start and the end of a match are told'() {
    const told = [];
    const start = (match) => told.push(match.game);
    const end = (match, over) => told.push(over.reason);
    converse([HELLO, OVER], () => '', { start, end });
    assert.deepStrictEqual(told, ['flipfour', 'line']);
  },

  'what cannot be played is an exception'() {
    assert.throws(() => converse([TURN], () => '+a1'), /before hello/);
    assert.throws(() => converse([{ ...HELLO, protocol: 2 }], () => '+a1'), /version 1/);
    assert.throws(() => converse([HELLO, TURN], () => undefined), /not an action/);
  },

  'console.log does not disturb the referee, and the end of the input ends the bot'() {
    const ran = runBot("run((turn) => { console.log('thinking'); return turn.actions[0]; });", [HELLO, TURN]);
    assert.strictEqual(ran.status, 0, ran.stderr);
    assert.strictEqual(ran.stdout.trim().split('\n').length, 2);
    assert.strictEqual(ran.stderr, 'thinking\n');
  },

  'no other way to print disturbs the referee'() {
    const ran = runBot(`
      const { info } = console;
      run((turn) => {
        info('1');
        console.dir(2);
        console.dirxml(3);
        console.table([]);
        console.group('4');
        console.groupEnd();
        process.stdout.write('5\\n');
        return turn.actions[0];
      });`, [HELLO, TURN]);
    assert.strictEqual(ran.status, 0, ran.stderr);
    const types = ran.stdout.trim().split('\n').map((line) => JSON.parse(line).type);
    assert.deepStrictEqual(types, ['ready', 'act']);
    for (const words of ['1', '2', '3', '4', '5']) assert(ran.stderr.split('\n').includes(words), ran.stderr);
  },

  'an exception ends the bot with its stack'() {
    const ran = runBot('run((turn) => turn.nothing.at.all);', [HELLO, TURN]);
    assert.strictEqual(ran.status, 1);
    assert(ran.stderr.includes('TypeError') && ran.stderr.includes('    at '), ran.stderr);
  },
};

for (const [name, test] of Object.entries(tests)) {
  test();
  console.log(`ok: ${name}`);
}
