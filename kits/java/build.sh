#!/bin/sh
# Compiles the bot into bot.jar, which bot.toml names.
set -eu
cd "$(dirname "$0")"
javac -encoding UTF-8 -d build/classes Bot.java Flipside.java
jar --create --file bot.jar --main-class Bot -C build/classes .
