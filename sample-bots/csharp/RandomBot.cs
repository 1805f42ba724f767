using System;

/// A bot that plays any legal action, all alike, without a library for JSON.
///
/// It reads one JSON message a line from standard input and answers on standard output. To say anything else, write to
/// Console.Error. The README of the sample bots says how to build it.
public static class RandomBot
{
    public static void Main()
    {
        var chance = new Random();
        for (string line; (line = Console.ReadLine()) != null; )
        {
            if (line.StartsWith("{\"type\":\"hello\"", StringComparison.Ordinal))
            {
                // With all randomness from this seed, the same match can be played again.
                int seed = line.LastIndexOf("\"seed\":", StringComparison.Ordinal) + 7;
                chance = new Random((int)(ulong.Parse(Number(line, seed)) % int.MaxValue));
                Send("{\"type\":\"ready\",\"name\":\"RandomBot.cs\",\"version\":\"1\",\"actions\":true,\"reuse\":true}");
            }
            else if (line.StartsWith("{\"type\":\"turn\"", StringComparison.Ordinal))
            {
                string[] actions = Actions(line);
                string action = actions[chance.Next(actions.Length)];
                int id = line.IndexOf("\"id\":", StringComparison.Ordinal) + 5;
                Send("{\"type\":\"act\",\"id\":" + Number(line, id) + ",\"action\":\"" + action + "\"}");
            }
            // "over" tells how the match ended, and needs no answer. The end of the input ends the bot.
        }
    }

    /// The number that begins here. Options and views may have fields of any name, but the id is the first field of a
    /// turn, and the seed the last one of hello.
    static string Number(string message, int begin)
    {
        int end = begin;
        while (char.IsDigit(message[end]))
            end++;
        return message.Substring(begin, end - begin);
    }

    /// The legal actions, as a turn lists them.
    static string[] Actions(string turn)
    {
        int begin = turn.IndexOf("\"actions\":[\"", StringComparison.Ordinal) + 12;
        int end = turn.IndexOf("\"]", begin, StringComparison.Ordinal);
        return turn.Substring(begin, end - begin).Split(new[] { "\",\"" }, StringSplitOptions.None);
    }

    static void Send(string message)
    {
        Console.WriteLine(message);
        Console.Out.Flush();
    }
}
