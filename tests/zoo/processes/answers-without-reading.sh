#!/bin/sh
# Guesses all that it will be asked.
# gets: unasked
# within: 1800 ms
echo '{"type":"ready"}'
id=1
while [ $id -lt 100 ]; do
  echo "{\"type\":\"act\",\"id\":$id,\"action\":\"+a1\"}"
  id=$((id + 1))
done
sleep 1000.@MARK@
