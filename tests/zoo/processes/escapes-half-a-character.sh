#!/bin/sh
# Writes half of a pair of surrogates as JSON has it.
# gets: malformed
# within: 1500 ms
printf '{"type":"ready","name":"\\ud800"}\n'
sleep 1000.@MARK@
