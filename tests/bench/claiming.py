"""What it costs to claim the next card and to give it back: `python -m tests.bench.claiming` (needs wrk).

Every second request claims the best free card of a board of 1,000, every other gives one back; the ratio is to a bare
aiohttp in the same run.
"""

import statistics
import tempfile
from pathlib import Path
from typing import Any

from .speed import HELLO, PASSWORD, ROOT, Board, describe, start, wrk

PORT, HELLO_PORT = 8182, 8181
CARDS, TURNS, SECONDS = 1000, 3, 4
# Each connection's answer names the card that was claimed; what was claimed is given back before more is.
LUA = """
local claimed = {}
local headers = {["Content-Type"] = "application/json", ["Authorization"] = "ApiKey %s"}
request = function()
  local card = table.remove(claimed)
  if card then return wrk.format("DELETE", "/api/v1/cards/" .. card .. "/claim/mcp", headers) end
  return wrk.format("POST", "/api/v1%s/cards/claim/mcp", headers, "{}")
end
response = function(status, _, body)
  local card = status == 200 and string.match(body, '"id":"(card_[^"]+)"')
  if card then table.insert(claimed, card) end
end
"""


def agent_of(board: Board) -> str:
    """Register an agent, approve it, and give its key."""
    team = board.call("POST", f"{board.org}/teams", {"name": "Bench"})["id"]
    secret: str = board.call("POST", "/settings/api-keys", {"name": "Bench"})["secret"]
    person, board.token = board.token, secret
    board.call("POST", f"/teams/{team}/agents/register", {"id": "bench", "title": "Bench"})
    board.token = person
    board.call("PATCH", "/agents/bench/approve")
    return secret


def measure(folder: Path) -> None:
    """Start both programs, measure in turns, print rate and ratio."""
    settings = {"SERVICE_PORT": str(PORT), "SERVICE_DATA_PATH": str(folder / "data"), "SERVICE_AGENT_CLAIMS_MAX": "0"}
    service = start([str(ROOT / "run.py")], {**settings, "SA_BOOTSTRAP_PASSWORD": PASSWORD}, folder)
    hello = start(["-c", HELLO], {}, folder)
    try:
        board = Board(f"http://127.0.0.1:{PORT}/api/v1")
        project: Any = board.project(1)[0]
        kind = board.call("GET", f"{board.org}/card-types")[0]["id"]
        columns = board.call("GET", f"{board.org}/columns?projectId={project}")
        body = {"projectId": project, "cardTypeId": kind, "columnId": columns[1]["id"]}
        for number in range(CARDS):
            board.call("POST", f"{board.org}/cards", {**body, "title": f"Card number {number}"})
        script = folder / "claims.lua"
        script.write_text(LUA % (agent_of(board), board.org))
        ours, bare = (f"http://127.0.0.1:{port}/" for port in (PORT, HELLO_PORT))
        pairs = [(wrk(ours, SECONDS, script=script), wrk(bare, SECONDS)) for _ in range(TURNS)]
    finally:
        for process in (service, hello):
            process.terminate()
            process.wait(15)
    rate = statistics.median(own.rate for own, _ in pairs)
    ratio = statistics.median(own.rate / other.rate for own, other in pairs)
    failed = sum(own.failed for own, _ in pairs)
    what = f"claim the next of {CARDS} cards and give it back, a call"
    print(f"{what}: {rate:,.0f}/s, {ratio:.2f} of hello (bound: 0.10), {failed} failed")


if __name__ == "__main__":
    describe()
    with tempfile.TemporaryDirectory() as place:
        measure(Path(place))
