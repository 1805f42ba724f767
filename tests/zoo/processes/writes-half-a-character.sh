#!/bin/sh
# Writes half of a pair of surrogates as UTF-8 does not have it.
# gets: not-text
# within: 1500 ms
printf '{"type":"ready","name":"\355\240\200"}\n'
sleep 1000.@MARK@
