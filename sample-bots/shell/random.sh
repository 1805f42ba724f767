#!/bin/sh
# A bot that plays any legal action, all alike, in shell and awk. Copy it to start yours.
#
# It reads one JSON message a line from standard input and answers on standard output.
# To say anything else, write to standard error: echo ... >&2.

seed=1
while IFS= read -r line; do
  case $line in
  '{"type":"hello"'*) # a match begins
    # With all randomness from this seed, the same match can be played again.
    seed=${line##*'"seed":'}
    seed=${seed%%[!0-9]*}
    echo '{"type":"ready","name":"random.sh","version":"1","actions":true,"reuse":true}'
    ;;
  '{"type":"turn"'*)
    id=${line#*'"id":'}
    id=${id%%,*}
    actions=${line#*'"actions":["'}
    actions=${actions%%'"]'*}
    # One of the texts between "," and ",".
    action=$(printf '%s' "$actions" | awk -v seed="$((seed % 1000003 + id))" \
      'BEGIN { srand(seed); FS = "\",\"" } { print $(1 + int(rand() * NF)) }')
    echo "{\"type\":\"act\",\"id\":$id,\"action\":\"$action\"}"
    ;;
  esac # "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
done
