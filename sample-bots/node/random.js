#!/usr/bin/env node
// A bot that plays any legal action, all alike. Copy it to start yours.
//
// It reads one JSON message a line from standard input and answers on standard output.
// To say anything else, write to standard error: console.error(...).

const lines = require('readline').createInterface({ input: process.stdin });
let state = 1;

// A number from 0 to below `count` (xorshift). With all randomness from the seed, the same match can be played again.
function chance(count) {
  state ^= state << 13;
  state ^= state >>> 17;
  state ^= state << 5;
  return (state >>> 0) % count;
}

function send(message) {
  process.stdout.write(JSON.stringify(message) + '\n');
}

lines.on('line', (line) => {
  const message = JSON.parse(line);
  if (message.type === 'hello') { // a match begins
    state = message.seed % 0x7fffffff || 1;
    // actions: list the legal actions at every turn; reuse: another hello may follow.
    send({ type: 'ready', name: 'random.js', version: '1', actions: true, reuse: true });
  } else if (message.type === 'turn') { // message.view shows what this seat may see
    send({ type: 'act', id: message.id, action: message.actions[chance(message.actions.length)] });
  }
  // "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
});
