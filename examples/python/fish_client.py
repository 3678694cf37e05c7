"""A client in one file that fetches the key of a player, and posts a fish and a crab.

    pip install cryptography        (Debian: apt install python3-cryptography)
    FISH_USER=Alex FISH_PASSWORD=secret python3 fish_client.py

More environment variables: FISH_URL (http://127.0.0.1:8787), FISH_GAMEMODE (earth), FISH_API_KEY (lifts the rate limit).
The password is in the environment because every process on the machine can read an argument list.
"""

import base64
import http.client
import json
import os
import sys
import time
from urllib.error import HTTPError
from urllib.parse import urlencode
from urllib.request import Request, urlopen

from cryptography.fernet import Fernet

TRIES = 3
TIMEOUT_SECONDS = 10


class ServiceError(Exception):
    """The service rejected the request or did not respond."""


class FishClient:
    def __init__(self, url, user, gamemode, api_key=""):
        self.url = url
        self.user = user
        self.gamemode = gamemode
        self.api_key = api_key
        self.fernet = None

    def fetch_key(self, password):
        """Fetches the key of the player. Call this method once before you post catches."""
        credentials = base64.b64encode(f"{self.user}:{password}".encode()).decode()
        _, answer = self._send("/get/user/key", None, {"Authorization": f"Basic {credentials}"})
        self.fernet = Fernet(answer["fernetKey"])

    def post_fish(self, name, rarity):
        """Posts a fish. rarity is 1 Bronze, 2 Silver, 3 Gold, 4 Diamond, 5 other, 6 Platinum or 7 Mythical."""
        return self._post("fish", {"fish": name, "rarity": rarity})

    def post_crab(self):
        return self._post("crab", {"fish": "crab"})

    def _post(self, kind, payload):
        # Encrypt once: the service stores a repeated token only once. A new token would store a second catch.
        token = self.fernet.encrypt(json.dumps(payload, separators=(",", ":")).encode())
        headers = {"Content-Type": "application/octet-stream", "x-gamemode": self.gamemode}
        status, answer = self._send(f"/post/{kind}?{urlencode({'name': self.user})}", token, headers)
        return f"{status} {answer['message']}, id {answer['id']}"

    def _send(self, path, body, headers):
        """Sends a request. Without a response, sends the same bytes again, since the first request may have arrived."""
        if self.api_key:
            headers = {**headers, "x-api-key": self.api_key}
        for attempt in range(1, TRIES + 1):
            try:
                with urlopen(Request(self.url + path, body, headers), timeout=TIMEOUT_SECONDS) as answer:
                    return answer.status, json.load(answer)
            except HTTPError as refusal:
                if refusal.code < 500 or attempt == TRIES:
                    raise ServiceError(f"{refusal.code} {error_of(refusal)}{when_to_retry(refusal)}") from None
            except (OSError, http.client.HTTPException) as no_answer:
                if attempt == TRIES:
                    raise ServiceError(f"No answer from {self.url}. Is it the right address?") from no_answer
            time.sleep(0.5 * attempt)


def when_to_retry(refusal):
    """Returns a hint if the rate limit is reached. The catch is not stored, and this client has no queue to keep it."""
    seconds = refusal.headers.get("Retry-After")
    return f" Try again in {seconds} s." if seconds else ""


def error_of(refusal):
    try:
        return json.load(refusal)["error"]
    except (ValueError, KeyError, TypeError):
        return refusal.reason


def main():
    client = FishClient(
        os.environ.get("FISH_URL") or "http://127.0.0.1:8787",
        os.environ.get("FISH_USER") or "",
        os.environ.get("FISH_GAMEMODE") or "earth",
        os.environ.get("FISH_API_KEY") or "",
    )
    try:
        client.fetch_key(os.environ.get("FISH_PASSWORD") or "")
        print(client.post_fish("Salmon", 3))
        print(client.post_crab())
    except ServiceError as error:
        sys.exit(str(error))


if __name__ == "__main__":
    main()
