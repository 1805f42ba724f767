"""One whole flow with the client that openapi-python-client has made: the own account, an upload, its check, requested
matches, a result, and the replay of the match.

usage: flow.py SITE TOKEN FILE   with the folder of the client on PYTHONPATH
"""

import io
import sys
import time
from pathlib import Path

from flipside_client import AuthenticatedClient
from flipside_client.api.account import own_account
from flipside_client.api.bots import submit_bot, upload
from flipside_client.api.matches import match_replay, match_result, matches, request_matches
from flipside_client.api.tournaments import tournament
from flipside_client.models import RequestAsked, TournamentState, UploadState
from flipside_client.types import File

GAME = "flipflop-3x3"


def main():
    site, token, file = sys.argv[1:]
    client = AuthenticatedClient(base_url=site, token=token, raise_on_unexpected_status=True, timeout=300)
    me = own_account.sync(client=client)
    assert (me.name, me.role, me.bots) == ("ada", "author", []), me

    body = File(payload=io.BytesIO(Path(file).read_bytes()))
    sent = submit_bot.sync("walker", client=client, body=body, game=[GAME])
    assert sent.name == "walker", sent
    # The test ends it if this never ends.
    while (seen := upload.sync(str(sent.upload), client=client)).state in (UploadState.WAITING, UploadState.CHECKING):
        time.sleep(0.2)
    assert seen.state == UploadState.ACCEPTED, seen
    assert seen.bot == "walker@1" and GAME in seen.report.games, seen
    assert all(step.status in ("ok", "skipped", "warning") for step in seen.report.steps), seen
    assert own_account.sync(client=client).bots == ["walker"]

    asked = RequestAsked(game=GAME, bots=["walker", "sample:random"], rounds=1)
    requested = request_matches.sync(client=client, body=asked)
    while tournament.sync(requested.tournament, client=client).state != TournamentState.OVER:
        time.sleep(0.2)
    played = matches.sync(client=client, tournament=requested.tournament)
    assert len(played.items) == 2, played
    for row in played.items:
        result = match_result.sync(row.id, client=client)
        seats = {seat.bot: seat.place for seat in result.seats}
        assert seats.keys() == {"walker@1", "random@1"} and min(seats.values()) == 1, result
        replay = match_replay.sync(row.id, client=client).to_dict()
        assert len(replay["steps"]) > 1, replay.keys()
    print(f"{len(played.items)} matches")


main()
