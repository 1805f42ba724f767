import java.util.Random;

/** Tests of the kit: javac *.java && java -ea TestFlipside */
public class TestFlipside {
    static final String HELLO = "{\"type\":\"hello\",\"protocol\":1,\"match\":\"m\",\"game\":\"flipfour\",\"options\":{\"max_plies\":60},"
            + "\"seat\":1,\"seats\":2,\"clock\":\"move=1s\",\"limits\":{\"line\":65536,\"memory\":0},\"commitment\":\"\",\"seed\":7,\"later\":[]}";
    static final String TURN_BEFORE_EVENTS = "{\"type\":\"turn\",\"id\":5,\"actions\":[\"+a1\",\"+a2\"],\"clocks\":[10,60000],"
            + "\"view\":{\"board\":[\"é\"],\"to_move\":null},\"events\":";
    static final String EVENTS = "[{\"missed\":2},{\"acts\":[{\"seat\":0,\"action\":\"+é\"},{\"seat\":1}]},{\"chance\":null},"
            + "{\"fault\":{\"seat\":0,\"fault\":\"late\"}}]";
    static final String TURN = TURN_BEFORE_EVENTS + EVENTS + "}";
    static final String OVER = "{\"type\":\"over\",\"points\":[1,0],\"places\":[1,2],\"reason\":\"line\",\"view\":{}}";

    static void is(Object found, Object wanted) {
        if (!String.valueOf(found).equals(String.valueOf(wanted))) {
            throw new AssertionError("found " + found + ", not " + wanted);
        }
    }

    static void aTurnIsAnsweredWithItsId() {
        Flipside.Session session = new Flipside.Session("x", turn -> {
            is(turn.match.seat, 1);
            is(turn.match.options.get("max_plies").integer(), 60);
            is(turn.view.get("board").at(0).text(), "é");
            is(turn.view.get("to_move").isNull(), true);
            is(turn.view.get("missing").isNull(), true);
            is(turn.timeLeft() > 50_000 && turn.timeLeft() <= 60_000, true);
            return turn.actions.get(1);
        });
        is(session.answer(HELLO), "{\"type\":\"ready\",\"name\":\"x\",\"version\":\"1\",\"actions\":true,\"reuse\":true,\"events\":true}");
        is(session.answer(TURN), "{\"type\":\"act\",\"id\":5,\"action\":\"+a2\"}");
    }

    static void aTurnHasItsEvents() {
        StringBuilder told = new StringBuilder();
        Flipside.Session session = new Flipside.Session("x", turn -> {
            told.append(turn.events);
            for (Flipside.Json event : turn.events) {
                for (Flipside.Json act : event.get("acts")) {
                    told.append(act.get("seat").integer()).append(act.get("action").isNull());
                }
            }
            return "+a1";
        });
        session.answer(HELLO);
        session.answer(TURN);
        is(told, EVENTS + "0false1true");
        told.setLength(0);
        session.answer(TURN_BEFORE_EVENTS.replace(",\"events\":", "}"));
        is(told, "[]");
    }

    static void aNewMatchBeginsFromNothing() {
        Flipside.Session session = new Flipside.Session("x", turn -> {
            int turns = turn.match.memo == null ? 1 : (Integer) turn.match.memo + 1;
            turn.match.memo = turns;
            return turns + " " + turn.match.random.nextInt(100);
        });
        String first = new Random(7).nextInt(100) + "\"}";
        session.answer(HELLO);
        is(session.answer(TURN).endsWith("\"1 " + first), true);
        is(session.answer(TURN).contains("\"2 "), true);
        is(session.answer(OVER), null);
        session.answer(HELLO);
        is(session.answer(TURN).endsWith("\"1 " + first), true);
    }

    static void notesAreCutAndAreAlwaysUtf8() {
        Flipside.Session session = new Flipside.Session("x", turn -> {
            turn.note = "\ud800\"\\\n" + "😀".repeat(1000);
            return "+a1";
        });
        session.answer(HELLO);
        String note = "?\\\"\\\\\\u000a" + "😀".repeat(Flipside.LONGEST_NOTE - 4);
        is(session.answer(TURN), "{\"type\":\"act\",\"id\":5,\"action\":\"+a1\",\"note\":\"" + note + "\"}");
    }

    static void whatCannotBePlayedIsAnException() {
        refuses(() -> new Flipside.Session("x", turn -> "").answer(TURN), "before hello");
        refuses(() -> new Flipside.Session("x", turn -> "").answer(HELLO.replace("\"protocol\":1", "\"protocol\":2")), "version 1");
        refuses(() -> {
            Flipside.Session session = new Flipside.Session("x", turn -> null);
            session.answer(HELLO);
            session.answer(TURN);
        }, "not an action");
        for (String text : new String[] {"", "{", "[1,]", "{\"a\"}", "tru", "\"a", "\"\\u12\"", "1 2", "[1 2]", "[".repeat(10000)}) {
            refuses(() -> Flipside.Json.parse(text), "");
        }
    }

    static void jsonIsRead() {
        Flipside.Json read = Flipside.Json.parse(" { \"a\" : [ 1 , -2.5e1 , true , false , null , \"\\u00e9\\n\\\"\" ] , \"b\" : { } } ");
        is(read.size(), 2);
        is(read.get("a").at(0).number(), 1);
        is(read.get("a").at(1).decimal(), -25.0);
        is(read.get("a").at(2).isTrue(), true);
        is(read.get("a").at(3).isTrue(), false);
        is(read.get("a").at(4).isNull(), true);
        is(read.get("a").at(5).text(), "é\n\"");
        is(read.get("b").size(), 0);
        is(Flipside.Json.parse("9007199254740991").number(), 9007199254740991L);
    }

    static void refuses(Runnable what, String words) {
        try {
            what.run();
        } catch (RuntimeException refused) {
            is(String.valueOf(refused.getMessage()).contains(words), true);
            return;
        }
        throw new AssertionError("nothing refused: " + words);
    }

    public static void main(String[] arguments) {
        if (arguments.length == 1 && arguments[0].equals("throws")) {
            Flipside.run("x", turn -> {
                System.out.println("thinking");
                throw new IllegalStateException("no idea");
            });
        }
        aTurnIsAnsweredWithItsId();
        aTurnHasItsEvents();
        aNewMatchBeginsFromNothing();
        notesAreCutAndAreAlwaysUtf8();
        whatCannotBePlayedIsAnException();
        jsonIsRead();
        System.out.println("ok");
    }
}
