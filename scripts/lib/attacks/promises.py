"""The parts of SECURITY.md that attacks test. scripts/attacks does not begin if one of them is not there."""

# The site.
ESCAPED = (
    "Everything that bots and people wrote is escaped. Pages load nothing from elsewhere and contain no inline script."
)
UPLOADS = "Only the owner of an upload and organisers can see the messages of the check and the bot's stderr."
OWNED = (
    "A bot's file, its name, its place in a league and requested matches can be changed by their owner and organisers "
    "only."
)
OVER = "Records, the whole seed and hidden information appear when a tournament is over."
STDERR = "Only the owner of a bot and organisers can read a record that quotes the bot's stderr."
SECRETS = "Tokens, sessions and invitations are 256 random bits each, and the arena stores their SHA-256."
ENDED = "A token that was replaced, a session that has ended and an account that is disabled open nothing."
ROLES = "What is for organisers is refused to authors, and what is for accounts to strangers."
CHANGES = "Every request that changes something needs a token in its header, or a matching `Origin`."
WORD = "In a session, it also needs a CSRF token, which only the pages of this session contain."
CACHES = "Pages with a CSRF token are neither cached nor compressed."
HEADERS = "No page can be framed, and no answer lets a page of another site read it."
RATES = "Requests, attempts to sign in, sign-ups and uploads have limits for each address and each account."
RACES = "Limits also hold for requests that arrive at the same moment."
SLOW = "A request whose headers or body come too slowly is given up"
HTTP = "A malformed request gets an error, and never becomes a part of the request of another visitor."
PATHS = "The site never uses the content of a form field as a path."
PLAYS = "Only the account that began a match against bots sees it."
CHECKED = "Uploads are checked in the jail, never with `--trust`, under a random file name."
BUNDLES = (
    "Flipside refuses paths and links that lead out of the bundle, hard links, devices, and more files or bytes than "
    "the limits allow."
)
SIZES = "The bots of an account count with their unpacked size."
HOOKS = "Only organisers can register a webhook."
HOOK_SENDS = (
    "A webhook sends results that everybody can read. It follows no redirect, and shows nothing of a response but its "
    "status."
)
HOOK_WAITS = "A receiver that does not answer delays only its own messages."
CLIENT = "`flipside submit --server` sends the token to this server only, and follows no redirect."

# Workers.
NO_LOGIN = "Without credentials, nobody can use the NATS server: it sends, accepts and stores nothing."
OWN_SUBJECTS = "It can neither publish work, nor read or change the results and messages of others."
OWN_JOBS = "A job tells only of the bots that play in it."
VERIFIED = "A record counts only if it is that of the match that was handed out, and follows from the rules."
NONSENSE = "Nothing that a worker sends ends a tournament"
DIRECTORS = "No job makes a worker run a bot without isolation, or touch a file outside of its folder"

# Files.
COUNTS = "An imported archive counts only if every record in it verifies and fits the schedule."
UNPACKS = "Its files are read one by one within limits. Nothing in it is unpacked or run."
RESTORES = (
    "A backup is restored as a whole or not at all. "
    "A journal with a schema other than Flipside's own, for example with triggers, is refused."
)
NAMES = "The name of a bot's file in a journal, a backup or a job for workers is a SHA-256 with one of four endings"
VERIFIES = "`flipside verify --all` finds every result in the journal that does not follow from its record."
REPLAYS = (
    "`flipside verify FILE` finds every line of a record that does not follow from the rules, its clock and its seed."
)
SIGNED = (
    "Flipside accepts a signed record or archive only if it is, byte for byte, what the arena with this key gave out."
)
NO_PANIC = "No bytes of a bot, a record, an archive or a journal make Flipside panic."
TERMINAL = (
    "Text from bots, files, records, archives and journals is escaped before it reaches the terminal or an export."
)
PIPES = "If an argument is a named pipe, a socket or a device, no command blocks on it or replaces it."
LIMIT = "Every command reads a file only up to a named limit."
PRIVATE = "Only its owner can read an arena"
