import java.io.BufferedReader;
import java.io.IOException;
import java.io.InputStreamReader;
import java.nio.charset.StandardCharsets;
import java.util.Random;

/**
 * A bot that plays any legal action, all alike, without a library for JSON.
 *
 * It reads one JSON message a line from standard input and answers on standard output. To say anything else, write to
 * System.err. The README of the sample bots says how to build it.
 */
public class RandomBot {
    private static Random chance = new Random();

    public static void main(String[] arguments) throws IOException {
        var input = new BufferedReader(new InputStreamReader(System.in, StandardCharsets.UTF_8));
        for (String line; (line = input.readLine()) != null; ) {
            if (line.startsWith("{\"type\":\"hello\"")) {
                // With all randomness from this seed, the same match can be played again.
                chance = new Random(Long.parseUnsignedLong(number(line, line.lastIndexOf("\"seed\":") + 7)));
                send("{\"type\":\"ready\",\"name\":\"RandomBot.java\",\"version\":\"1\",\"actions\":true,\"reuse\":true}");
            } else if (line.startsWith("{\"type\":\"turn\"")) {
                String[] actions = actions(line);
                String action = actions[chance.nextInt(actions.length)];
                send("{\"type\":\"act\",\"id\":" + number(line, line.indexOf("\"id\":") + 5) + ",\"action\":\"" + action + "\"}");
            }
            // "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
        }
    }

    /**
     * The number that begins here. Options and views may have fields of any name, but the id is the first field of a turn,
     * and the seed the last one of hello.
     */
    private static String number(String message, int begin) {
        int end = begin;
        while (Character.isDigit(message.charAt(end))) {
            end++;
        }
        return message.substring(begin, end);
    }

    /** The legal actions, as a turn lists them. */
    private static String[] actions(String turn) {
        int begin = turn.indexOf("\"actions\":[\"") + 12;
        return turn.substring(begin, turn.indexOf("\"]", begin)).split("\",\"");
    }

    private static void send(String message) {
        System.out.println(message); // standard output is flushed at the end of each line
    }
}
