// A kit for Flipside bots in JavaScript (Node.js 14 or newer), without dependencies.
//
// A bot is a function from a turn to an action:
//
//     const { run } = require('./flipside.js');
//     run((turn) => turn.match.random.choice(turn.actions), { name: 'mybot' });
//
// The kit keeps the protocol: ids, UTF-8, the end of the input, and a new match in the same process. While the bot
// runs, the console and process.stdout write to standard error, because standard output belongs to the referee. Only
// these still reach the referee: a process.stdout that was kept before, fs.writeSync(1, …), native code, and a child
// process with stdio 'inherit'; start children with stdio ['inherit', 2, 2]. An exception ends the bot with its stack
// on standard error and exit code 1.
//
// The types at the end are for editors. `flipside rules GAME` explains the fields of a view, and
// `flipside schema GAME --example` shows real messages.
'use strict';

const { Console } = require('console');

/** The version of the protocol that this kit speaks. */
const PROTOCOL = 1;

/** The referee cuts longer notes; the kit does so before it sends them. */
const LONGEST_NOTE = 240;

/** Random numbers that follow from a seed: SplitMix32. */
class Random {
  /** @param {number} seed a whole number from 0 to 2^53 - 1 */
  constructor(seed) {
    this.state = (seed ^ Math.imul(Math.floor(seed / 0x100000000), 0x9e3779b9)) >>> 0;
  }

  /** Returns a whole number from 0 to 2^32 - 1. */
  next() {
    this.state = (this.state + 0x9e3779b9) >>> 0;
    let bits = this.state;
    bits = Math.imul(bits ^ (bits >>> 16), 0x21f0aaad);
    bits = Math.imul(bits ^ (bits >>> 15), 0x735a2d97);
    return (bits ^ (bits >>> 15)) >>> 0;
  }

  /** Returns a number from 0 to less than 1. */
  random() {
    return this.next() / 0x100000000;
  }

  /** Returns a whole number from 0 to count - 1. */
  below(count) {
    return Math.floor(this.random() * count);
  }

  /** Returns an item of an array, all equally likely. */
  choice(items) {
    return items[this.below(items.length)];
  }
}

/** A question of the referee. */
class Turn {
  constructor(match, message, arrived) {
    /** @type {Match} The match that the turn belongs to. */
    this.match = match;
    /** @type {number} The number of the question, from 1. */
    this.id = message.id;
    /** @type {any} Everything that this seat may see now. */
    this.view = message.view;
    /** @type {string[]} The legal actions in byte order; empty if the bot runs with actions: false. */
    this.actions = message.actions || [];
    /** @type {number[]} The time that each seat has for its next move, in milliseconds. */
    this.clocks = message.clocks;
    /** @type {Event[]} What happened since this bot's last turn, the oldest first; `flipside protocol` says more. */
    this.events = message.events || [];
    /** @type {string|undefined} A remark for the match's record, for people. Set it to send it. */
    this.note = undefined;
    /** The whole message. */
    this.message = message;
    this.arrived = arrived;
  }

  /** Returns the milliseconds that are left for this move. */
  timeLeft() {
    return this.clocks[this.match.seat] - (now() - this.arrived);
  }
}

function now() {
  return Number(process.hrtime.bigint()) / 1e6;
}

/** Writes a line to standard error. The referee keeps the end of what a bot writes there. */
function log(...words) {
  console.error(...words);
}

function begin(hello) {
  if (hello.protocol !== PROTOCOL) {
    throw new Error(`this kit speaks version ${PROTOCOL} of the protocol, not ${hello.protocol}`);
  }
  return {
    id: hello.match,
    game: hello.game,
    options: hello.options,
    seat: hello.seat,
    seats: hello.seats,
    clock: hello.clock,
    memory: hello.limits.memory,
    seed: hello.seed,
    commitment: hello.commitment,
    random: new Random(hello.seed),
    bot_options: hello.bot_options || {},
    memo: undefined,
    message: hello,
  };
}

/** A conversation with the referee, without reading and writing: a line in, an answer or nothing out. */
class Session {
  constructor(choose, options = {}) {
    this.choose = choose;
    this.options = options;
    this.match = undefined;
  }

  answer(line) {
    const arrived = now();
    const message = JSON.parse(line);
    const { name = '', version = '1', actions = true, reuse = true, start, end } = this.options;
    if (message.type === 'hello') {
      this.match = begin(message);
      if (start) start(this.match);
      return { type: 'ready', name, version, actions, reuse, events: true };
    }
    if (message.type === 'turn') {
      if (this.match === undefined) throw new Error('a turn came before hello');
      const turn = new Turn(this.match, message, arrived);
      const action = this.choose(turn);
      if (typeof action !== 'string') {
        throw new TypeError(`the bot's function returned ${String(action)}, which is not an action`);
      }
      const answer = { type: 'act', id: turn.id, action };
      if (turn.note !== undefined) answer.note = cut(turn.note);
      return answer;
    }
    if (message.type === 'over') {
      if (this.match && end) end(this.match, message);
      this.match = undefined;
    }
    return undefined;
  }
}

/** A note that is short enough and is UTF-8: half of a surrogate pair cannot be written. */
function cut(note) {
  const characters = Array.from(Buffer.from(String(note), 'utf8').toString('utf8'));
  return characters.slice(0, LONGEST_NOTE).join('');
}

/**
 * Plays until the referee ends the input.
 *
 * `actions` asks for the list of legal actions. With `reuse`, the same process may play further matches. `start` is
 * called when a match begins, before the bot says that it is ready: throw there if the bot does not play the game.
 * `end` is called with the message `over`.
 *
 * @param {(turn: Turn) => string} choose returns an action
 * @param {{name?: string, version?: string, actions?: boolean, reuse?: boolean,
 *   start?: (match: Match) => void, end?: (match: Match, over: object) => void}} [options]
 */
function run(choose, options) {
  const output = process.stdout;
  // The console that Node makes may have taken hold of standard output already, so there is a new one.
  Object.defineProperty(process, 'stdout', { value: process.stderr, configurable: true, enumerable: true });
  globalThis.console = new Console(process.stderr);
  const session = new Session(choose, options);
  // The referee no longer listens, so there is nobody left to answer.
  output.on('error', () => process.exit(0));
  const lines = require('readline').createInterface({ input: process.stdin, crlfDelay: Infinity });
  lines.on('line', (line) => {
    const answer = session.answer(line);
    if (answer !== undefined) output.write(JSON.stringify(answer) + '\n');
  });
}

module.exports = { run, log, Random, Turn, Session, PROTOCOL, LONGEST_NOTE };

/**
 * What stays the same during a match.
 * @typedef {object} Match
 * @property {string} id The match's id.
 * @property {string} game The game's id, for example `flipfour`.
 * @property {any} options All options of the game with their values.
 * @property {number} seat The seat of this bot, from 0.
 * @property {number} seats How many seats play.
 * @property {string} clock The clock in the protocol's notation, for example `move=1s`.
 * @property {number} memory The memory that the bot may use, in bytes; 0 if it is not limited.
 * @property {number} seed The seed of `random`.
 * @property {string} commitment The hash that commits the referee to the dice of this match.
 * @property {Random} random With all randomness from here, the bot plays the same match again.
 * @property {any} bot_options Options that the organiser of a tournament set for this bot.
 * @property {any} memo Anything that the bot wants to keep until its next turn of this match.
 * @property {any} message The whole message `hello`.
 */

/**
 * What happened once, as far as this seat may know. An event has one of these fields.
 * @typedef {object} Event
 * @property {{seat: number, action?: string}[]} [acts] These seats acted, at the same time if there are several; no
 *   action: it is hidden.
 * @property {any} [chance] An outcome of chance; null if it is hidden.
 * @property {{seat: number, fault: string}} [fault] A bot was disqualified; legal actions drawn at random stand in for
 *   it.
 * @property {number} [missed] So many older events were omitted, because the list would be too long.
 */

/**
 * The view of `flipflop-3x3`, `flipflop-5x5` (without `hands`), `flipfour` and `yonmoque`.
 * @typedef {object} BoardView
 * @property {string[]} board The rows of the board from the top rank down.
 * @property {number[]} [hands] By seat, the pieces in hand.
 * @property {number|null} to_move The seat whose turn it is.
 * @property {number} ply How many actions have been taken.
 * @property {number} repetitions How often the position has occurred.
 * @property {{winner: number|null, reason: string}} [over] How the match ended.
 */

/**
 * The view of `flip4`.
 * @typedef {object} Flip4View
 * @property {(number|null)[][]} layout The numbers of the squares; null on the corners.
 * @property {string[]} board The digits of the seats whose pieces stand there, `.` or `C`.
 * @property {number} part 1 while pieces are placed, then 2.
 * @property {string} phase What the match waits for.
 * @property {number|null} start The seat that began.
 * @property {string} direction The order of play.
 * @property {number|null} to_move The seat whose turn it is.
 * @property {number[][]} rolls The rolls of this turn, the last one last.
 * @property {number[]} hands By seat, the pieces yet to place.
 * @property {number[]} lost_turns By seat, the turns lost in a row.
 * @property {number} turns How many turns are over.
 * @property {{seat: number, roll: number[], action: string|null}|null} last The turn before.
 * @property {{points: number[], reason: string}} [over] How the match ended.
 */

/**
 * @typedef {object} Phase10Seat
 * @property {number} score The total.
 * @property {number} completed How many phases are completed.
 * @property {number} phase The phase of this round.
 * @property {boolean} laid Whether this phase is laid.
 * @property {number} cards How many cards the seat holds.
 * @property {string[]} [backs] The backs of its cards; not for your own seat.
 * @property {{kind: string, colour: string|null, cards: string[]}[]} groups Its groups on the table.
 */

/**
 * The view of `phase10-flip`.
 * @typedef {object} Phase10View
 * @property {number} round The number of the round.
 * @property {number[]|null} deciding The seats of the deciding round.
 * @property {number|null} dealer The seat that dealt.
 * @property {string} side The side in play.
 * @property {number} turn How many turns have ended in this round.
 * @property {string} stage What comes next.
 * @property {number|null} to_move The seat whose turn it is.
 * @property {string[]} [hand] Your hand.
 * @property {Phase10Seat[]} seats What is seen of each seat.
 * @property {{cards: number, top: string|null}} draw_pile The draw pile.
 * @property {{cards: number, top: string|null}} discard_pile The discard pile.
 * @property {{points: number[], reason: string}} [over] How the match ended.
 * @property {any} [open] All cards, after the match.
 */

/** @typedef {{ranks: string[][], rim: string}} Tray A tray; `ranks[0]` is the last rank. */
/** @typedef {{tray: string, cells: string[]}} Line Four cells of a tray. */

/**
 * The view of `puissance4-basic` and `puissance4-championship`.
 * @typedef {object} Puissance4View
 * @property {number} round The round, from 1.
 * @property {number} tick The tick of the round, from 0.
 * @property {string} phase What the match waits for.
 * @property {number[]} to_move The seats that choose now.
 * @property {Tray} top The upper tray.
 * @property {Tray} bottom The lower tray.
 * @property {any[]} sides What each side has.
 * @property {any[]} lines The lines that stand.
 * @property {{side: number, since: number, line: Line}} [claim] The line that is claimed now.
 * @property {{tick: number, tokens: any[]}|null} landed What landed last.
 * @property {{round: number, side: number, line: Line}|null} scored The last line that counted.
 * @property {{points: number[], reason: string}} [over] How the match ended.
 */

/** @typedef {{basic: number, bomb: number, cell: number, double: number, line: number}} Kinds */

/**
 * The view of `puissance4-extra-pro`.
 * @typedef {object} ExtraProView
 * @property {number} round The round, from 1.
 * @property {string} phase What the match waits for.
 * @property {number|null} to_move The seat whose turn it is.
 * @property {number|null} starts The side that launches first in this round.
 * @property {Tray} top The upper tray.
 * @property {Tray} bottom The lower tray.
 * @property {{score: number, holder: number, hand: Kinds, out: Kinds}[]} sides What each side has.
 * @property {{side: number, kind: string, aim: string}} [in_air] The token in the air.
 * @property {string} [power_at] The cell of the power token that needs a choice.
 * @property {{side: number, kind: string, place: string}|null} landed What landed last.
 * @property {{round: number, side: number, line: Line}|null} scored The last line that counted.
 * @property {{points: number[], reason: string}} [over] How the match ended.
 */
