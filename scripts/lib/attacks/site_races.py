"""Attacks by requests that arrive at the same moment: invitations, names and requests that only one may have."""

from .ground_site import GAME, bot
from .promises import RACES
from .trial import attack
from .web import together


def site(who, promise):
    return attack("site", who, promise)


@site("an author", RACES)
def invitation_race(ground, trial):
    """Thirty people use an invitation for one account at the same moment"""
    link = ground.invite("--uses", "1")
    trial.sent("30 × POST /join/… at once, from 30 addresses")
    visitors = [ground.visitor() for _ in range(30)]
    answers = together([lambda who=who, at=at: who.form(link, name=f"race{at}") for at, who in enumerate(visitors)])
    made = [answer for answer in answers if answer.status == 200 and "flipside_" in answer.text]
    trial.came(f"{len(made)} account(s); others {sorted({answer.status for answer in answers})}")
    trial.must(len(made) == 1, f"{len(made)} accounts were made")


@site("an author", RACES)
def account_race(ground, trial):
    """Ten people take the same name at the same moment"""
    trial.sent("10 × POST /join/… with the name twin, TWIN, Twin at once")
    link = ground.invite("--uses", "10")
    names = ["twin", "TWIN", "Twin", "tWin", "twIn"] * 2
    answers = together([lambda who=ground.visitor(), name=name: who.form(link, name=name) for name in names])
    made = sum(answer.status == 200 for answer in answers)
    trial.came(f"{made} account(s)")
    trial.must(made == 1, f"{made} accounts have the name")


@site("an author", RACES)
def bot_name_race(ground, trial):
    """Two authors upload their first bot of a name at the same moment"""
    one, two = ground.account("uma", ground.link), ground.account("vic", ground.link)
    trial.sent("8 × PUT /api/v1/bots/raced at once, from two accounts")
    answers = together(
        [
            lambda who=who, name=name: (who, who.put_bot(name, bot(mark=name)))
            for name in ("raced", "Raced")
            for who in (one, two)
            for _ in range(2)
        ]
    )
    owners = {who.name for who, answer in answers if answer.status == 202}
    trial.came(f"taken from {len(owners)} account(s)")
    trial.must(len(owners) == 1, f"owners are {owners}")
    winner = next(who for who, answer in answers if answer.status == 202)
    for who, answer in answers:
        if answer.status == 202:
            ground.checked(who, answer.json["upload"])
    loser = two if winner is one else one
    trial.must(loser.put_bot("raced", bot(mark="later")).status in (403, 409), "the other account has the name too")


@site("an author", RACES)
def request_race(ground, trial):
    """An author requests twelve matches at the same moment, of which three may wait"""
    who = ground.account("wes", ground.link)
    asked = {"game": GAME, "bots": ["sample:random", "sample:greedy"], "rounds": 20}
    trial.sent("12 × POST /api/v1/requests at once")
    answers = together([lambda: who.api("POST", "/requests", asked) for _ in range(12)])
    made = sum(answer.status == 201 for answer in answers)
    trial.came(f"{made} requests; others {sorted({answer.status for answer in answers if answer.status != 201})}")
    trial.must(made <= 3, f"{made} requests wait")
    left = who.api("GET", "/requests").json["left"]
    trial.must(left == 50 - made, f"{left} are left after {made}")
