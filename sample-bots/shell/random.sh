#!/bin/sh
# A bot that plays any legal action, all alike, in shell alone: it starts no other program. Copy it to start yours.
#
# It reads one JSON message a line from standard input and answers on standard output.
# To say anything else, write to standard error: echo ... >&2.

drawn=1
while IFS= read -r line; do
  case $line in
  '{"type":"hello"'*) # a match begins
    # With all randomness from this seed, the same match can be played again.
    drawn=${line##*'"seed":'}
    drawn=$((${drawn%%[!0-9]*} % 2147483648))
    echo '{"type":"ready","name":"random.sh","version":"1","actions":true,"reuse":true}'
    ;;
  '{"type":"turn"'*)
    id=${line#*'"id":'}
    id=${id%%,*}
    actions=${line#*'"actions":["'}
    actions=${actions%%'"]'*}
    # Count the texts between "," and ",", draw one of them, and drop those before it.
    count=1 rest=$actions
    while [ "$rest" != "${rest#*'","'}" ]; do
      count=$((count + 1)) rest=${rest#*'","'}
    done
    drawn=$(((drawn * 1103515245 + 12345) % 2147483648))
    place=$((drawn / 65536 % count))
    while [ "$place" -gt 0 ]; do
      place=$((place - 1)) actions=${actions#*'","'}
    done
    echo "{\"type\":\"act\",\"id\":$id,\"action\":\"${actions%%'","'*}\"}"
    ;;
  esac # "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
done
