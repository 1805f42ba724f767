#!/bin/sh
# Has colours, bells and the title of the window in all that it says.
# gets: closed, exited with code 3
# within: 1800 ms
read hello
printf '%s\n' '{"type":"ready","name":"\u001b[31mred\u0007","version":"\u001b]0;mine\u0007\r"}'
read turn
printf '\033[2J\033]0;mine\007\r' >&2
exit 3
