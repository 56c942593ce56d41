"""How fast the service is, told as a ratio to a bare aiohttp "hello" measured in the same run.

    python -m tests.bench.speed            (needs wrk: apt-get install wrk)

Service and hello share one core and are driven in turns from another; each figure is the
median of several turns, with fsync on. Nothing here is asserted: read the table.
"""

import argparse
import json
import os
import platform
import re
import sqlite3
import statistics
import subprocess
import sys
import tempfile
import time
import urllib.request
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from threading import Thread
from typing import Any

import aiohttp
import pydantic

ROOT = Path(__file__).parents[2]
PASSWORD = "bench-password"
HELLO = """
from aiohttp import web

async def hello(request):
    return web.json_response({"hello": "world"})

app = web.Application()
app.router.add_get("/", hello)
ready = lambda text: print("is ready at", text, flush=True)
web.run_app(app, host="127.0.0.1", port=8181, access_log=None, print=ready)
"""
MOVES = """
local cards = {%s}
local columns = {"%s", "%s"}
local turn, index = 1, -1 -- wrk asks for one request before it begins, and does not send it
wrk.method = "PATCH"
wrk.headers["Content-Type"] = "application/json"
function request()
  index = index + 1
  if index > #cards then index = 1; turn = 3 - turn end
  local card = cards[math.max(index, 1)]
  return wrk.format(nil, "/api/v1/cards/" .. card .. "/status", nil, '{"toColumnId":"' .. columns[turn] .. '"}')
end
"""
COMMENT = """
wrk.method = "POST"
wrk.body = '{"content":"A comment of ordinary length, as people write them on cards."}'
wrk.headers["Content-Type"] = "application/json"
"""


@dataclass
class Load:
    """What wrk measured."""

    rate: float
    p99: float  # milliseconds
    failed: int


def wrk(url: str, seconds: int, token: str = "", script: Path | None = None, connections: int = 64) -> Load:
    """Drive one URL from the second core."""
    command = ["taskset", "-c", "1", "wrk", "-t1", f"-c{connections}", f"-d{seconds}s", "--latency"]
    command += ["-H", f"Authorization: Bearer {token}"] if token else []
    command += ["-s", str(script)] if script else []
    text = subprocess.run([*command, url], capture_output=True, text=True, check=True).stdout
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text)[1])  # type: ignore[index]
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()  # type: ignore[union-attr]
    failed = re.search(r"Non-2xx or 3xx responses: (\d+)", text)
    scale = {"us": 0.001, "ms": 1, "s": 1000}[unit]
    return Load(rate, float(value) * scale, int(failed[1]) if failed else 0)


def start(command: list[str], environment: dict[str, str], folder: Path) -> subprocess.Popen[str]:
    """Start a program on the first core and wait until it says that it is ready."""
    process = subprocess.Popen(
        ["taskset", "-c", "0", sys.executable, *command],
        env={**os.environ, **environment},
        cwd=folder,
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )
    assert process.stdout is not None
    for line in process.stdout:
        if "ready at" in line or "Running on" in line:
            return process
    raise SystemExit(f"{command} did not start")


class Board:
    """A board in a fresh service, made through the API."""

    def __init__(self, base: str) -> None:
        self.base = base
        login = self.call("POST", "/auth/login", {"email": "admin@localhost", "password": PASSWORD})
        self.token, self.org = login["token"], f"/organizations/{login['user']['orgId']}"

    token = ""

    def call(self, method: str, path: str, body: Any = None) -> Any:
        """Send one request."""
        headers = {"Content-Type": "application/json", "Authorization": f"Bearer {self.token}"}
        data = None if body is None else json.dumps(body).encode()
        request = urllib.request.Request(self.base + path, data, headers, method=method)
        with urllib.request.urlopen(request) as response:
            return json.loads(response.read() or b"null")

    def project(self, cards: int) -> tuple[str, list[str], list[str]]:
        """Make a project with cards in Todo: its id, their ids, and the columns Todo and In Progress."""
        project = self.call("POST", f"{self.org}/projects", {"title": f"{cards} cards"})["id"]
        columns = self.call("GET", f"{self.org}/columns?projectId={project}")
        todo, doing = (next(column["id"] for column in columns if column["title"] == title) for title in TITLES)
        kind = self.call("GET", f"{self.org}/card-types")[0]["id"]
        body = {"projectId": project, "cardTypeId": kind, "columnId": todo}
        made = [
            self.call("POST", f"{self.org}/cards", {**body, "title": f"Card number {number} of this board"})["id"]
            for number in range(cards)
        ]
        return project, made, [todo, doing]

    def index(self) -> float:
        """Have all indexed for search that a write leaves for later; tell how many seconds that took."""
        began = time.perf_counter()
        self.call("GET", f"{self.org}/search?q=anything")
        return time.perf_counter() - began

    def gather(self, cards: list[str], column: str) -> None:
        """Bring all cards back into one column, so that each next move is a legal one."""
        for card in cards:
            if self.call("GET", f"/cards/{card}")["columnId"] != column:
                self.call("PATCH", f"/cards/{card}/status", {"toColumnId": column})


TITLES = ("Todo", "In Progress")


def median(turns: int, measure: Callable[[], tuple[Load, Load]]) -> tuple[float, float, int]:
    """Measure in turns: median rate, median ratio to hello, failures."""
    pairs = [measure() for _ in range(turns)]
    ratios = [ours.rate / hello.rate for ours, hello in pairs]
    rates = [ours.rate for ours, _ in pairs]
    return statistics.median(rates), statistics.median(ratios), sum(ours.failed for ours, _ in pairs)


def resident(process: subprocess.Popen[str]) -> float:
    """Give the resident memory of a process in MB."""
    status = Path(f"/proc/{process.pid}/status").read_text()
    return int(re.search(r"VmRSS:\s+(\d+)", status)[1]) / 1024  # type: ignore[index]


def describe() -> None:
    """Say on what this was measured."""
    model = re.search(r"model name\s*: (.*)", Path("/proc/cpuinfo").read_text())
    print(f"machine: {model[1] if model else platform.machine()}, {os.cpu_count()} cores, {platform.platform()}")
    versions = f"Python {platform.python_version()}, aiohttp {aiohttp.__version__}, pydantic {pydantic.VERSION}"
    print(f"versions: {versions}, SQLite {sqlite3.sqlite_version}, synchronous=FULL")


def measure(folder: Path, seconds: int, turns: int) -> None:
    """Start both programs, measure everything, print the table."""
    environment = {
        "SERVICE_PORT": "8180",
        "SERVICE_DATA_PATH": str(folder / "data"),
        "SA_BOOTSTRAP_PASSWORD": PASSWORD,
    }
    service = start([str(ROOT / "run.py")], environment, folder)
    hello = start(["-c", HELLO], {}, folder)
    try:
        print(f"idle memory: {resident(service):.1f} MB (bound: under 60)")
        board = Board("http://127.0.0.1:8180/api/v1")
        table(board, folder, seconds, turns)
        crowd(board, seconds)
    finally:
        for process in (service, hello):
            process.terminate()
            process.wait(15)


def table(board: Board, folder: Path, seconds: int, turns: int) -> None:
    """Print the ratios, and for a write how long what it leaves for later took when there was time."""
    project, cards, (todo, doing) = board.project(200)
    moves, comment = folder / "moves.lua", folder / "comment.lua"
    moves.write_text(MOVES % (",".join(f'"{card}"' for card in cards), doing, todo))
    comment.write_text(COMMENT)
    rows: list[tuple[str, float, str, Path | None]] = [
        ("GET card", 0.45, f"/cards/{cards[100]}", None),
        ("move", 0.22, "/cards", moves),
        ("comment", 0.25, f"/cards/{cards[0]}/comments", comment),
        ("board-flow, 200 cards", 0.05, f"{board.org}/board-flow?projectId={project}", None),
    ]
    print(f"{'request':<24}{'per second':>12}{'of hello':>10}{'bound':>8}{'failed':>8}{'left, µs':>10}")
    for name, bound, path, script in rows:
        later: list[float] = []

        def turn(path: str = path, script: Path | None = script, later: list[float] = later) -> tuple[Load, Load]:
            if script is moves:
                board.gather(cards, todo)
            ours = wrk(board.base + path, seconds, board.token, script)
            later.append(board.index())  # so that hello has the core to itself
            return ours, wrk("http://127.0.0.1:8181/", seconds)

        rate, ratio, failed = median(turns, turn)
        left = statistics.median(later) / (rate * seconds) * 1e6 if script else 0
        print(f"{name:<24}{rate:>12,.0f}{ratio:>10.3f}{bound:>8}{failed:>8}{left:>10.1f}", flush=True)


def crowd(board: Board, seconds: int) -> None:
    """Print how fast a board of 5,000 cards is, unchanged and changing, and what a small request beside it waits."""
    print("making a board of 5,000 cards …", flush=True)
    project, cards, _ = board.project(5000)
    url = f"{board.base}{board.org}/board-flow?projectId={project}"
    kept = wrk(url, seconds, board.token, connections=4)
    print(f"board-flow, 5,000 cards, unchanged: {kept.rate:,.0f}/s (bound: 100)")
    patch = ["taskset", "-c", "1", sys.executable, "-c", CHANGING, board.base, board.token, cards[0], str(seconds)]
    changing = subprocess.Popen(patch)
    small: list[Load] = []
    thread = Thread(target=lambda: small.append(wrk(f"{board.base}/cards/{cards[1]}", seconds, board.token, None, 1)))
    thread.start()
    fresh = wrk(url, seconds, board.token, connections=4)
    thread.join()
    changing.wait()
    print(f"board-flow, 5,000 cards, made anew each time: {fresh.rate:,.0f}/s (bound: 100)")
    print(f"a small request beside it: p99 {small[0].p99:.1f} ms (bound: 15)")


# Changes one card as fast as a board can be made anew, so that no kept board is of use.
CHANGING = """
import json, sys, time, urllib.request
base, token, card, seconds = sys.argv[1:]
headers = {"Content-Type": "application/json", "Authorization": f"Bearer {token}"}
end, count = time.time() + float(seconds), 0
while time.time() < end:
    count += 1
    body = json.dumps({"title": f"Card {count}"}).encode()
    request = urllib.request.Request(f"{base}/cards/{card}", body, headers, method="PATCH")
    urllib.request.urlopen(request).read()
    time.sleep(0.004)
"""


def main() -> None:
    """Read the options and measure."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=int, default=4, help="of one measurement")
    parser.add_argument("--turns", type=int, default=5, help="the median of so many is shown")
    options = parser.parse_args()
    describe()
    with tempfile.TemporaryDirectory() as folder:
        measure(Path(folder), options.seconds, options.turns)


if __name__ == "__main__":
    main()
