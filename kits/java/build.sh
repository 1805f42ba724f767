#!/bin/sh
# Compiles the bot into one executable file: an isolated bot sees only its own file, so a script precedes the jar.
set -eu
cd "$(dirname "$0")"
javac -encoding UTF-8 -d build/classes Bot.java Flipside.java
jar --create --file build/bot.jar --main-class Bot -C build/classes .
# A JVM sizes its heap by the machine; a bot has 256 MiB.
printf '%s\n' '#!/bin/sh' 'exec java -Xmx128m -XX:+UseSerialGC -jar "$0"' | cat - build/bot.jar >mybot
chmod +x mybot
