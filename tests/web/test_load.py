"""Twenty users and five assessments at once: nobody sees another's data, and pages still answer."""

from __future__ import annotations

import re
import time
from concurrent.futures import ThreadPoolExecutor

import httpx

from web_server import Server

USERS = 20
JOBS = 5
SLOWEST = 5.0  # seconds for a page, also on a busy machine; `bench` has the figure of an idle one


class User:
    """Somebody with a file of their own, whose name and column nobody else has."""

    def __init__(self, server: Server, number: int) -> None:
        self.number = number
        self.client = httpx.Client(base_url=server.base, timeout=120)
        self.took: list[float] = []
        page = self.get("/")
        found = re.search(r'name="csrf" content="(\w+)"', page)
        assert found is not None
        self.client.headers["X-CSRF-Token"] = found[1]

    def get(self, path: str) -> str:
        began = time.monotonic()
        answer = self.client.get(path, follow_redirects=True)
        self.took.append(time.monotonic() - began)
        assert answer.status_code == 200, answer.text[-500:]
        return answer.text

    def work(self) -> bool:
        """Upload, perhaps assess, and look around; return whether only one's own is seen."""
        rows = "".join(f"{20 + n % 40},{'fm'[n % 2]},own{self.number}\n" for n in range(60))
        content = f"age,sex,secret{self.number}\n{rows}".encode()
        file = {"file": (f"file{self.number}.csv", content)}
        assert self.client.post("/data/upload", files=file).status_code == 303
        if self.number < JOBS:
            assert self.client.post("/assess").status_code == 303
        seen = "".join(self.get(path) for path in ("/", "/assess", "/", "/assess"))
        others = {int(found) for found in re.findall(r"(?:file|secret|own)(\d+)\b", seen)}
        return others == {self.number}


def test_twenty_users_at_once_see_only_their_own(server: Server) -> None:
    users = [User(server, number) for number in range(USERS)]
    with ThreadPoolExecutor(USERS) as pool:
        assert all(pool.map(User.work, users))
    took = sorted(one for user in users for one in user.took)
    assert took[int(0.95 * len(took))] < SLOWEST
    for user in users:
        user.client.post("/forget")
        user.client.close()
