#!/bin/sh
# Reads what lies beside it and around it.
# gets: closed, exited with code 77
# within: 1500 ms
# trusted: works
here=$(dirname "$0")
for file in "$here"/* "$here"/.* "$here"/../* '@SECRET@/../arena/journal.sqlite'; do
  if [ "$file" != "$0" ] && [ -f "$file" ] && head -c 1 "$file" > /dev/null; then
    case $file in
      /bot/../*) ;;
      *) echo "WORKED: read $file" >&2; exit 66 ;;
    esac
  fi
done
exit 77
