"""Follows the new catches of a player. This program needs no key, no password and no package.

    python3 watch_catches.py Alex earth

More environment variables: FISH_URL (http://127.0.0.1:8787), FISH_API_KEY (lifts the rate limit), STATE_FILE (watched.txt:
the id of the last reported catch, after which the next run continues).
"""

import http.client
import json
import os
import random
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

# Three heartbeats of the service. A connection without a byte for this long is dead.
SILENCE_SECONDS = 45
# If three streams in a row are cut within 30 s, a proxy probably cuts all streams. The program then polls instead.
MAX_CUTS = 3
STABLE_SECONDS = 30
POLL_SECONDS = 15
POLLS_BEFORE_STREAM = 20
FIRST_PAUSE_SECONDS = 1
LAST_PAUSE_SECONDS = 30


def on_catch(user, catch):
    """Put your own code here. A catch has the keys kind, id, name and caughtAt. A fish also has a rarity."""
    what = f"{catch['name']} ({catch['rarity']})" if catch["kind"] == "fish" else "a crab"
    print(f"{catch['caughtAt']} {user} has caught {what}!", flush=True)


class WatchError(Exception):
    """The service rejected the request, so a retry would not help."""


def watch(url, user, gamemode, last_event_id=None, api_key=None):
    """Yields (event id, catch) for each new catch exactly once, even if the connection is lost.

    Starts after last_event_id, or with the next catch if last_event_id is None. Raises WatchError if the service
    rejects the request.
    """
    cuts = polls = 0
    pause = FIRST_PAUSE_SECONDS
    while True:
        is_poll = cuts >= MAX_CUTS
        query = {"name": user, "gamemode": gamemode} | ({"follow": "false"} if is_poll else {})
        headers = {"Last-Event-ID": last_event_id, "x-api-key": api_key}
        request = Request(f"{url}/events?{urlencode(query)}", headers={k: v for k, v in headers.items() if v})
        opened_at = time.monotonic()
        has_begun = False
        wait = pause * random.uniform(1, 1.5)
        try:
            with urlopen(request, timeout=SILENCE_SECONDS) as stream:
                for event in events(stream):
                    if not has_begun and not is_poll:
                        print(f"Watching {user} in {gamemode}.", file=sys.stderr, flush=True)
                    has_begun = True
                    pause = wait = FIRST_PAUSE_SECONDS
                    last_event_id = event.get("id", last_event_id)
                    if event["event"] == "catch":
                        yield last_event_id, json.loads(event["data"])
        except HTTPError as refusal:
            if refusal.code < 500 and refusal.code != 429:
                raise WatchError(f"{refusal.code} {error_of(refusal)}") from None
            retry_after = refusal.headers.get("Retry-After", "")
            wait = int(retry_after) if retry_after.isdecimal() else wait
            print(f"{refusal.code} (trying again in {wait:.0f} s)", file=sys.stderr)
        except TimeoutError:
            cuts = cuts if has_begun else MAX_CUTS  # A proxy buffers the stream.
        except (OSError, http.client.HTTPException) as problem:
            print(f"{url} does not respond: {problem} (trying again in {wait:.0f} s)", file=sys.stderr)
        if is_poll:
            wait = max(wait, POLL_SECONDS)
            polls += 1
            if polls % POLLS_BEFORE_STREAM == 0:
                cuts = MAX_CUTS - 1
        elif has_begun:
            cuts = cuts + 1 if time.monotonic() - opened_at < STABLE_SECONDS else 0
        else:
            pause = min(2 * pause, LAST_PAUSE_SECONDS)
        time.sleep(wait)


def events(stream):
    """Yields the server-sent events of a response, each as a dict of its fields."""
    fields = {}
    for line in stream:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        elif not line.strip():
            if "event" in fields:
                yield fields
            fields = {}


def error_of(refusal):
    try:
        return json.load(refusal)["error"]
    except (ValueError, KeyError, TypeError):
        return refusal.reason


def read_state(file):
    try:
        with open(file, encoding="ascii") as state:
            return state.read()
    except FileNotFoundError:
        return None  # The first run starts with the next catch.


def write_state(file, event_id):
    """Replaces the whole file at once, so that a kill never leaves a half-written file."""
    with open(f"{file}.new", "w", encoding="ascii") as state:
        state.write(event_id)
    os.replace(f"{file}.new", file)


def main():
    if len(sys.argv) < 2:
        sys.exit("Usage: python3 watch_catches.py PLAYER [GAMEMODE]")
    user, gamemode = (sys.argv[1:] + ["earth"])[:2]
    url = os.environ.get("FISH_URL") or "http://127.0.0.1:8787"
    state_file = os.environ.get("STATE_FILE") or "watched.txt"
    try:
        for event_id, catch in watch(url, user, gamemode, read_state(state_file), os.environ.get("FISH_API_KEY")):
            on_catch(user, catch)
            # The id is stored after the report. A kill between the two repeats a report, but never skips a catch.
            write_state(state_file, event_id)
    except WatchError as error:
        sys.exit(str(error))
    except KeyboardInterrupt:
        pass


if __name__ == "__main__":
    main()
