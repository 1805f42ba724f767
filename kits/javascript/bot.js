// mybot: plays any legal action of any game. Make it think in `choose`.
'use strict';

const { run, log } = require('./flipside.js');

/**
 * Returns the action to play: a text in the game's notation.
 * @param {import('./flipside.js').Turn} turn
 */
function choose(turn) {
  // turn.match says what is being played: its game, options, seat, number of seats and clock.
  // turn.view is all that your seat sees now. At flipfour, for example:
  //
  //     turn.view.board[0][2]    the letter of the square c5: the rows come from the top down
  //     turn.view.hands          how many pieces each seat has in hand
  //
  // `flipside rules GAME` explains each field; flipside.js has the types.
  // turn.events tells what happened since your last turn: who did what, as far as your seat may know.
  if (turn.id === 1) {
    log(`${turn.match.game}: seat ${turn.match.seat} of ${turn.match.seats}`);
  }

  // Think here. Check turn.timeLeft(), in milliseconds, in long searches.
  return turn.match.random.choice(turn.actions);
}

run(choose, { name: 'mybot' });
