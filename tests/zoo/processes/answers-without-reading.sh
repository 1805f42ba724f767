#!/bin/sh
# Guesses all that it will be asked. It says it at once: a guess that came a moment after its question
# would be an answer.
# gets: unasked
# within: 1800 ms
guesses='{"type":"ready"}'
id=1
while [ $id -lt 50 ]; do
  guesses="$guesses
{\"type\":\"act\",\"id\":$id,\"action\":\"+a1\"}"
  id=$((id + 1))
done
printf '%s\n' "$guesses"
sleep 1000.@MARK@
