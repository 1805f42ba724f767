#!/bin/sh
# Writes bytes that are no UTF-8.
# gets: not-text
# within: 1500 ms
printf '{"type":"ready","name":"\377\376"}\n'
sleep 1000.@MARK@
