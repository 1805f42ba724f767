import java.io.BufferedReader;
import java.io.FileDescriptor;
import java.io.FileOutputStream;
import java.io.IOException;
import java.io.InputStreamReader;
import java.io.OutputStream;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.StringJoiner;
import java.util.function.Function;

/**
 * A kit for Flipside bots in Java 11 or newer, without dependencies.
 *
 * <p>A bot is a function from a turn to an action:
 *
 * <pre>
 * Flipside.run("mybot", turn -&gt; turn.actions.get(turn.match.random.nextInt(turn.actions.size())));
 * </pre>
 *
 * <p>The kit keeps the protocol: ids, flushing, UTF-8, the end of the input, and a new match in the same process. While
 * the bot runs, System.out writes to standard error, because standard output belongs to the referee. Java cannot redirect
 * what does not use System.out: a System.out that the bot kept before `run`, native code, and a child process with
 * inheritIO. An exception ends the bot with its stack trace on standard error and exit code 1.
 *
 * <p>`flipside rules GAME` explains the fields of a view, and `flipside schema GAME --example` shows real messages.
 */
public final class Flipside {
    /** The version of the protocol that this kit speaks. */
    public static final int PROTOCOL = 1;

    /** The referee cuts longer notes; the kit does so before it sends them. */
    public static final int LONGEST_NOTE = 240;

    private Flipside() {}

    /** What stays the same during a match. */
    public static final class Match {
        /** The whole message `hello`. */
        public final Json message;
        /** The match's id. */
        public final String id;
        /** The game's id, for example `flipfour`. */
        public final String game;
        /** All options of the game with their values. */
        public final Json options;
        /** The seat of this bot, from 0. */
        public final int seat;
        /** How many seats play. */
        public final int seats;
        /** The clock in the protocol's notation, for example `move=1s`. */
        public final String clock;
        /** The memory that the bot may use, in bytes; 0 if it is not limited. */
        public final long memory;
        /** Options that the organiser of a tournament set for this bot; NULL if there are none. */
        public final Json botOptions;
        /** Random numbers. With all randomness from here, the bot plays the same match again. */
        public final Random random;
        /** Anything that the bot wants to keep until its next turn of this match. */
        public Object memo;

        Match(Json hello) {
            long version = hello.get("protocol").number();
            if (version != PROTOCOL) {
                throw new IllegalArgumentException(
                        "this kit speaks version " + PROTOCOL + " of the protocol, not " + version);
            }
            message = hello;
            id = hello.get("match").text();
            game = hello.get("game").text();
            options = hello.get("options");
            seat = hello.get("seat").integer();
            seats = hello.get("seats").integer();
            clock = hello.get("clock").text();
            memory = hello.get("limits").get("memory").number();
            botOptions = hello.get("bot_options");
            random = new Random(hello.get("seed").number());
        }
    }

    /** A question of the referee. */
    public static final class Turn {
        /** The match that the turn belongs to. */
        public final Match match;
        /** The whole message `turn`. */
        public final Json message;
        /** The number of the question, from 1. */
        public final long id;
        /** Everything that this seat may see now. */
        public final Json view;
        /** The legal actions in byte order. */
        public final List<String> actions = new ArrayList<>();
        /**
         * What happened since this bot's last turn, the oldest first: an array. Each event has one of the fields `acts`,
         * `chance`, `fault` and `missed`; `flipside protocol` describes them.
         */
        public final Json events;
        /** A remark for the match's record, for people. Set it to send it. */
        public String note;

        private final long arrived;

        Turn(Match match, Json message, long arrived) {
            this.match = match;
            this.message = message;
            this.arrived = arrived;
            id = message.get("id").number();
            view = message.get("view");
            events = message.get("events").isNull() ? Json.EMPTY : message.get("events");
            for (Json action : message.get("actions")) {
                actions.add(action.text());
            }
        }

        /** Returns the milliseconds that are left for this move. */
        public long timeLeft() {
            long given = message.get("clocks").at(match.seat).number();
            return given - (System.nanoTime() - arrived) / 1_000_000;
        }
    }

    /** Writes a line to standard error. The referee keeps the end of what a bot writes there. */
    public static void log(Object words) {
        System.err.println(words);
    }

    /** Plays until the referee ends the input. The function returns an action in the game's notation. */
    public static void run(String name, Function<Turn, String> choose) {
        OutputStream output = new FileOutputStream(FileDescriptor.out);
        System.setOut(System.err);
        try {
            Session session = new Session(name, choose);
            BufferedReader lines = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
            for (String line; (line = lines.readLine()) != null; ) {
                String answer = session.answer(line);
                if (answer != null && !send(output, answer)) {
                    break;
                }
            }
        } catch (Throwable failure) {
            failure.printStackTrace();
            System.exit(1);
        }
        // Threads of the bot do not keep the process alive.
        System.exit(0);
    }

    /** Returns whether the referee still listens. */
    private static boolean send(OutputStream output, String answer) {
        try {
            output.write((answer + "\n").getBytes(StandardCharsets.UTF_8));
            output.flush();
            return true;
        } catch (IOException gone) {
            return false;
        }
    }

    /** A conversation with the referee, without reading and writing: a line in, an answer or null out. */
    static final class Session {
        private final String name;
        private final Function<Turn, String> choose;
        private Match match;

        Session(String name, Function<Turn, String> choose) {
            this.name = name;
            this.choose = choose;
        }

        String answer(String line) {
            long arrived = System.nanoTime();
            Json message = Json.parse(line);
            switch (message.get("type").text()) {
                case "hello":
                    match = new Match(message);
                    return "{\"type\":\"ready\",\"name\":" + Json.quote(name)
                            + ",\"version\":\"1\",\"actions\":true,\"reuse\":true,\"events\":true}";
                case "turn":
                    if (match == null) {
                        throw new IllegalStateException("a turn came before hello");
                    }
                    return act(new Turn(match, message, arrived));
                case "over":
                    match = null;
                    return null;
                default:
                    return null; // a message of a later version
            }
        }

        private String act(Turn turn) {
            String action = choose.apply(turn);
            if (action == null) {
                throw new NullPointerException("the bot's function returned null, which is not an action");
            }
            String note = "";
            if (turn.note != null) {
                int letters = Math.min(LONGEST_NOTE, turn.note.codePointCount(0, turn.note.length()));
                String cut = turn.note.substring(0, turn.note.offsetByCodePoints(0, letters));
                note = ",\"note\":" + Json.quote(cut);
            }
            return "{\"type\":\"act\",\"id\":" + turn.id + ",\"action\":" + Json.quote(action) + note + "}";
        }
    }

    /** A value of JSON. Its methods throw an exception if it is another kind of value. */
    public static final class Json implements Iterable<Json> {
        /** What a missing field is, and null. */
        public static final Json NULL = new Json(null);

        /** An array without items. */
        static final Json EMPTY = new Json(new ArrayList<Json>());

        private final Object value;

        private Json(Object value) {
            this.value = value;
        }

        /** Reads a text. */
        public static Json parse(String text) {
            Reader reader = new Reader(text);
            Json value = reader.value(0);
            reader.end();
            return value;
        }

        /** Returns whether it is null or missing. */
        public boolean isNull() {
            return value == null;
        }

        /** Returns the field of an object; NULL if there is none. */
        public Json get(String name) {
            Object found = ((Map<?, ?>) value).get(name);
            return found == null ? NULL : (Json) found;
        }

        /** Returns an item of an array. */
        public Json at(int place) {
            return (Json) ((List<?>) value).get(place);
        }

        /** Returns the number of items of an array, or of fields of an object; 0 for null. */
        public int size() {
            return value == null ? 0 : value instanceof Map ? ((Map<?, ?>) value).size() : ((List<?>) value).size();
        }

        /** Returns a string. */
        public String text() {
            return (String) value;
        }

        /** Returns a whole number. */
        public long number() {
            return value instanceof Long ? (Long) value : (long) (double) (Double) value;
        }

        /** Returns a whole number. */
        public int integer() {
            return Math.toIntExact(number());
        }

        /** Returns a number. */
        public double decimal() {
            return ((Number) value).doubleValue();
        }

        /** Returns true or false. */
        public boolean isTrue() {
            return (Boolean) value;
        }

        /** Iterates over an array; null has no items. */
        @Override
        @SuppressWarnings("unchecked")
        public Iterator<Json> iterator() {
            return value == null ? new ArrayList<Json>().iterator() : ((List<Json>) value).iterator();
        }

        /** Returns the value as JSON. */
        @Override
        public String toString() {
            if (value instanceof Map) {
                StringJoiner fields = new StringJoiner(",", "{", "}");
                ((Map<?, ?>) value).forEach((name, field) -> fields.add(quote((String) name) + ":" + field));
                return fields.toString();
            }
            if (value instanceof List) {
                StringJoiner items = new StringJoiner(",", "[", "]");
                for (Json item : this) {
                    items.add(item.toString());
                }
                return items.toString();
            }
            return value instanceof String ? quote((String) value) : String.valueOf(value);
        }

        /** Returns a string as JSON. Half of a surrogate pair becomes a question mark. */
        static String quote(String text) {
            String clean = new String(text.getBytes(StandardCharsets.UTF_8), StandardCharsets.UTF_8);
            StringBuilder out = new StringBuilder("\"");
            for (char letter : clean.toCharArray()) {
                if (letter == '"' || letter == '\\') {
                    out.append('\\').append(letter);
                } else if (letter < ' ') {
                    out.append(String.format("\\u%04x", (int) letter));
                } else {
                    out.append(letter);
                }
            }
            return out.append('"').toString();
        }
    }

    /** Reads JSON. */
    private static final class Reader {
        /** No message is deeper. */
        private static final int DEEPEST = 100;

        private final String text;
        private int at;

        Reader(String text) {
            this.text = text;
        }

        Json value(int depth) {
            if (depth > DEEPEST) {
                throw wrong("too deep");
            }
            switch (peek()) {
                case '{':
                    return new Json(object(depth));
                case '[':
                    return new Json(array(depth));
                case '"':
                    return new Json(string());
                case 't':
                    return word("true", new Json(true));
                case 'f':
                    return word("false", new Json(false));
                case 'n':
                    return word("null", Json.NULL);
                default:
                    return new Json(number());
            }
        }

        void end() {
            if (at < text.length() && peek() != 0) {
                throw wrong("text after the end");
            }
        }

        private Map<String, Json> object(int depth) {
            Map<String, Json> fields = new LinkedHashMap<>();
            take('{');
            for (boolean first = true; peek() != '}'; first = false) {
                if (!first) {
                    take(',');
                    peek();
                }
                String name = string();
                take(':');
                fields.put(name, value(depth + 1));
            }
            take('}');
            return fields;
        }

        private List<Json> array(int depth) {
            List<Json> items = new ArrayList<>();
            take('[');
            for (boolean first = true; peek() != ']'; first = false) {
                if (!first) {
                    take(',');
                }
                items.add(value(depth + 1));
            }
            take(']');
            return items;
        }

        private String string() {
            take('"');
            StringBuilder out = new StringBuilder();
            for (; ; ) {
                char letter = next();
                if (letter == '"') {
                    return out.toString();
                }
                out.append(letter == '\\' ? escaped() : letter);
            }
        }

        private char escaped() {
            char letter = next();
            switch (letter) {
                case 'b':
                    return '\b';
                case 'f':
                    return '\f';
                case 'n':
                    return '\n';
                case 'r':
                    return '\r';
                case 't':
                    return '\t';
                case 'u':
                    at += 4;
                    if (at > text.length()) {
                        throw wrong("an escape without an end");
                    }
                    return (char) Integer.parseInt(text.substring(at - 4, at), 16);
                default:
                    return letter;
            }
        }

        private Number number() {
            int begin = at;
            while (at < text.length() && "+-.eE0123456789".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            String number = text.substring(begin, at);
            if (number.isEmpty()) {
                throw wrong("no value");
            }
            if (number.matches("-?[0-9]{1,18}")) {
                return Long.valueOf(number);
            }
            return Double.valueOf(number);
        }

        private Json word(String word, Json value) {
            if (!text.startsWith(word, at)) {
                throw wrong("no value");
            }
            at += word.length();
            return value;
        }

        /** Skips blanks; returns the next character, which stays; 0 at the end. */
        private char peek() {
            while (at < text.length() && " \t\r\n".indexOf(text.charAt(at)) >= 0) {
                at++;
            }
            return at < text.length() ? text.charAt(at) : 0;
        }

        private void take(char letter) {
            if (peek() != letter) {
                throw wrong("no " + letter);
            }
            at++;
        }

        private char next() {
            if (at == text.length()) {
                throw wrong("a string without an end");
            }
            return text.charAt(at++);
        }

        private IllegalArgumentException wrong(String what) {
            return new IllegalArgumentException("not JSON: " + what + " at character " + at);
        }
    }
}
