"""Drives a service by wrk (apt-get install wrk), from the second core, with requests of some lists in turn."""

import json
import subprocess
import tempfile
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from ..world import Client
from .yardstick import DRIVER_CORE

TIMEOUT_SECONDS = 60  # after which wrk counts an answer as lost
Request = tuple[str, str, str]  # method, path, body
TOOL_HEADERS = {"Accept": "application/json, text/event-stream"}
# Each list has a place of its own, so that another card comes each time. wrk asks for one request that it never sends.
LUA = """
local lists, pattern = %s, %s
local places, turn = {}, -1
for number in ipairs(lists) do places[number] = 0 end
wrk.headers["Content-Type"] = "application/json"

function request()
  turn = turn + 1
  local number = pattern[turn %% #pattern + 1]
  local list = lists[number]
  local one = list[places[number] %% #list + 1]
  if turn > 0 then places[number] = places[number] + 1 end
  return wrk.format(one[1], one[2], nil, one[3] ~= "" and one[3] or nil)
end
"""
# Counts what is refused as it should be when there is too much to do, besides what a script does with answers; it costs
# wrk a little for each answer.
REFUSALS = """
overloaded = 0
local scripted = response
function response(status, headers, body)
  if status == 503 and headers["Retry-After"] then overloaded = overloaded + 1 end
  if scripted then scripted(status, headers, body) end
end
"""
# Claims the next card, or gives one back that an answer showed to be claimed.
CLAIMS = """
local claimed = {}
wrk.headers["Content-Type"] = "application/json"
function request()
  local card = table.remove(claimed)
  if card then return wrk.format("DELETE", "/api/v1/cards/" .. card .. "/claim/mcp", nil) end
  return wrk.format("POST", "/api/v1%s/cards/claim/mcp", nil, "{}")
end
function response(status, _, body)
  local card = status == 200 and string.match(body, '"id":"(card_[^"]+)"')
  if card then table.insert(claimed, card) end
end
"""
TOLD = """
local threads = {}
function setup(thread) table.insert(threads, thread) end

function done(summary, latency)
  local errors, p50, p99 = summary.errors, latency:percentile(50), latency:percentile(99)
  local failed, lost = errors.status, errors.connect + errors.read + errors.write + errors.timeout
  local overloaded = threads[1]:get("overloaded") or 0
  local counts = string.format('"requests":%d,"failed":%d,"lost":%d,"overloaded":%d,',
    summary.requests, failed, lost, overloaded)
  local times = string.format('"duration":%d,"mean":%d,"p50":%d,"p99":%d,"worst":%d',
    summary.duration, latency.mean, p50, p99, latency.max)
  io.write("\\ntold {", counts, times, "}\\n")
end
"""


@dataclass
class Load:
    """What wrk measured; times in milliseconds."""

    requests: int
    rate: float  # a second
    mean: float
    p50: float
    p99: float
    worst: float
    failed: int  # answers of 400 and more
    lost: int  # connections that broke, and answers that did not come
    overloaded: int  # of those that failed: 503 with Retry-After, counted by REFUSALS only


def script(*pattern: Sequence[Request]) -> str:
    """Write a script that asks from these lists in turn, again and again; a list may stand there several times."""
    lists = list({id(one): one for one in pattern}.values())
    numbers = [next(number for number, other in enumerate(lists, 1) if other is one) for one in pattern]
    return LUA % (_lua(lists), _lua(numbers))


def _lua(value: object) -> str:
    if isinstance(value, list | tuple):
        return "{" + ",\n".join(map(_lua, value)) + "}"
    return json.dumps(value)


def write_claims(agent: Client) -> str:
    """Write the script of an agent that claims cards and gives them back."""
    return CLAIMS % agent.org()


def call_tool(name: str, **arguments: Any) -> Request:
    """Return the request of a tool call, to be sent with TOOL_HEADERS."""
    params = {"name": name, "arguments": arguments}
    return "POST", "/mcp", json.dumps({"jsonrpc": "2.0", "id": 1, "method": "tools/call", "params": params})


def drive(
    url: str, seconds: int, headers: Mapping[str, str] | None = None, lua: str = "", connections: int = 64
) -> Load:
    """Drive a service, by a script if there is one."""
    with Driver(url, seconds, headers, lua, connections) as driver:
        return driver.load()


class Driver:
    """A wrk that runs; a `with` block starts it, and ends it if need be."""

    def __init__(
        self, url: str, seconds: int, headers: Mapping[str, str] | None = None, lua: str = "", connections: int = 64
    ) -> None:
        self._url, self._lua = url, lua
        self._command = ["taskset", "-c", str(DRIVER_CORE), "wrk", "-t1", f"-c{connections}"]
        self._command += [f"-d{seconds}s", "--timeout", f"{TIMEOUT_SECONDS}s"]
        for name, value in (headers or {}).items():
            self._command += ["-H", f"{name}: {value}"]

    def __enter__(self) -> "Driver":
        self._file = tempfile.NamedTemporaryFile("w", suffix=".lua")
        self._file.write(self._lua + TOLD)
        self._file.flush()
        command = [*self._command, "-s", self._file.name, self._url]
        self._process = subprocess.Popen(command, stdout=subprocess.PIPE, text=True)
        return self

    def __exit__(self, *_: object) -> None:
        self._process.kill()
        self._process.wait()
        self._file.close()

    def load(self) -> Load:
        """Wait for the end, and return what was measured."""
        text = self._process.communicate()[0]
        told = json.loads(text.rpartition("\ntold ")[2])
        times = {name: told[name] / 1000 for name in ("mean", "p50", "p99", "worst")}
        counts = {name: told[name] for name in ("requests", "failed", "lost", "overloaded")}
        return Load(**counts, **times, rate=told["requests"] / told["duration"] * 1e6)
