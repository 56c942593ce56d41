"""The command agent-demo, as a process of its own against a running service."""

import asyncio
import re
import shlex
import signal
import subprocess
import sys
from collections import Counter
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest

from ..process import COMMAND_TIMEOUT_SECONDS, RUN, ServiceProcess, bare_environment, run_process
from ..world import MEMBER, PASSWORD, SA, World


class Demo:
    """One run of the demo, and what it left on the board."""

    def __init__(self, world: World, folder: Path) -> None:
        self.world, self.folder = world, folder

    def words(self, *words: str, email: str = SA) -> list[str]:
        """Return the command line of a run without pauses, unless the words say otherwise."""
        account = ["--url", self.world.url, "--email", email, "--password", PASSWORD]
        return ["agent-demo", *account, "--pause", "0", *words]

    async def play(self, *words: str, email: str = SA) -> subprocess.CompletedProcess[str]:
        """Run the demo to its end."""
        return await asyncio.to_thread(run_process, *self.words(*words, email=email), folder=self.folder)

    async def begin(self, *words: str, until: str) -> asyncio.subprocess.Process:
        """Start the demo and return when it has said something."""
        process = await asyncio.create_subprocess_exec(
            sys.executable,
            str(RUN),
            *self.words(*words),
            cwd=self.folder,
            env=bare_environment(),
            stdin=asyncio.subprocess.DEVNULL,
            stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE,
        )
        assert process.stdout is not None
        async with asyncio.timeout(COMMAND_TIMEOUT_SECONDS):
            while line := await process.stdout.readline():
                if until in line.decode():
                    return process
        raise AssertionError(f"the demo never said {until!r}")

    async def end(self, process: asyncio.subprocess.Process) -> tuple[int | None, str, str]:
        """Wait for the end of a demo that was begun; give exit code, output and errors."""
        async with asyncio.timeout(COMMAND_TIMEOUT_SECONDS):
            out, err = await process.communicate()
        return process.returncode, out.decode(), err.decode()

    async def cards(self) -> dict[str, list[dict[str, Any]]]:
        """Return the cards of the one project there is, by column."""
        (project,) = (await self.world.sa.get(self.world.sa.org("/projects"))).ok()
        query = {"projectId": project["id"], "pageSize": "100"}
        columns = (await self.world.sa.get(self.world.sa.org("/columns"), params={"projectId": project["id"]})).ok()
        items = (await self.world.sa.get(self.world.sa.org("/cards"), params=query)).ok()["items"]
        return {row["title"]: [card for card in items if card["columnId"] == row["id"]] for row in columns}

    async def requests(self, state: str) -> list[dict[str, Any]]:
        """Return the move requests in a state."""
        query = {"state": state, "pageSize": "100"}
        found: list[dict[str, Any]] = (await self.world.sa.get(self.world.sa.org("/move-requests"), params=query)).ok()[
            "items"
        ]
        return found

    async def leftovers(self) -> list[Any]:
        """List the keys, agents and teams of the organization, which had none before."""
        paths = ["/settings/api-keys", self.world.sa.org("/agents"), self.world.sa.org("/teams")]
        return [row for path in paths for row in (await self.world.sa.get(path)).ok()]

    async def approved_moves(self, card: Any) -> list[Any]:
        """List the moves of a card that were requested and approved."""
        rows = await self.world.history(card["id"])
        return [row for row in rows if row["action"] == "moved" and "moveRequestId" in row["changes"]]


def _project(said: str) -> str:
    """Find the project in what the demo said."""
    return re.search(r"created the project .* \((proj_\w+)\)", said)[1]  # type: ignore[index]


@pytest.fixture
def demo(world: World, tmp_path: Path) -> Demo:
    return Demo(world, tmp_path)


async def test_all_cards_are_done_by_approval_but_the_one_that_waits_for_the_user(demo: Demo) -> None:
    done = await demo.play()
    assert (done.returncode, done.stderr) == (0, "")
    cards = await demo.cards()
    assert {title: len(held) for title, held in cards.items() if held} == {"Review": 1, "Done": 9}  # with two parts
    (waiting,) = await demo.requests("open")
    assert waiting["cardId"] == cards["Review"][0]["id"]
    approved = {request["id"]: request for request in await demo.requests("approved")}
    assert len(approved) == 9
    for card in cards["Done"]:
        (moved,) = await demo.approved_moves(card)
        request = approved[moved["changes"]["moveRequestId"]["to"]]
        assert moved["actor"]["id"] == request["decidedBy"]["id"] == demo.world.sa.id
        assert moved["changes"]["requestedBy"]["to"] == request["requestedBy"]["id"]
        assert re.fullmatch(r"demo-[0-9a-f]{4}-(planner|builder|reviewer)", request["requestedBy"]["id"])


async def test_its_cards_have_labels_and_checklists_that_the_agents_check(demo: Demo) -> None:
    said = (await demo.play("--cards", "4")).stdout
    cards = {card["title"]: card for held in (await demo.cards()).values() for card in held}
    lists = {title: card["checklist"] for title, card in cards.items() if card["checklist"]}
    assert lists == {
        "Write the release notes": {"done": 2, "total": 2},
        "Repair the sign-in on phones": {"done": 3, "total": 3},
    }
    assert '] checked "Reproduce it" in the checklist of "Repair the sign-in on phones"\n' in said
    assert '] checked "Fix it", "Test it twice" in the checklist of "Repair' in said
    query = {"projectId": _project(said)}
    flow = (await demo.world.sa.get(demo.world.sa.org("/board-flow"), params=query)).ok()
    fields = next(kind["fields"] for kind in flow["cardTypes"] if kind["title"] == "Demo task")
    (shown,) = [field for field in fields if field["showOnCard"]]
    assert set(shown["optionColors"]) == {"bug", "docs", "design", "customers"}
    board = (await demo.world.sa.get(demo.world.sa.org("/board"), params=query)).ok()
    values = {card["title"]: card.get("values") for card in board["cards"]}
    assert values["Repair the sign-in on phones"] == {shown["id"]: ["bug", "design"]}


async def test_one_request_is_rejected_with_a_note_and_asked_again_by_the_same_agent(demo: Demo) -> None:
    await demo.play()
    (rejected,) = await demo.requests("rejected")
    assert rejected["decisionNote"]
    others = [*await demo.requests("approved"), *await demo.requests("open")]
    (again,) = [request for request in others if request["cardId"] == rejected["cardId"]]
    assert again["requestedBy"] == rejected["requestedBy"]
    assert again["createdAt"] >= rejected["decidedAt"]


@pytest.mark.slow
async def test_three_agents_comment_and_no_two_work_on_one_card_at_a_time(demo: Demo) -> None:
    said = (await demo.play("--cards", "6", "--pause", "0.1")).stdout
    assert "was refused" not in said  # nobody decides about a card while its agent still works on it
    authors, claims = set(), 0
    for card in [card for held in (await demo.cards()).values() for card in held]:
        holder = None
        for row in await demo.world.history(card["id"]):
            if row["action"] == "claimed":
                assert holder is None
                holder, claims = row["actor"]["id"], claims + 1
            elif row["action"] == "released":
                assert row["actor"]["id"] == holder
                holder = None
            elif row["action"] == "commented":  # which needs no claim
                authors |= {row["actor"]["id"]} if row["actor"]["type"] == "Agent" else set()
            elif row["actor"]["type"] == "Agent" and row["action"] not in ("created", "related"):  # as of parts
                assert row["actor"]["id"] == holder, row
        assert holder is None
    assert len(authors) == 3
    assert claims == 6 + 2 + 1  # two parts, and once more what was split


async def test_cards_are_claimed_by_priority_and_then_by_due_date(demo: Demo) -> None:
    said = (await demo.play()).stdout
    claims = re.findall(r'claimed "(.*)" for 60 s \(priority (\w+)', said)
    (split,) = re.findall(r'found "(.*)" too much', said)
    again = [place for place, (title, _) in enumerate(claims) if title == split][1]  # when its parts were done
    del claims[again]
    assert [priority for _, priority in claims] == [
        "urgent",
        *["high"] * 4,  # two of them parts
        *["medium"] * 2,
        *["low"] * 2,
        "none",
    ]
    assert said.index('claimed "Draw a new icon"') < said.index('claimed "Rename the settings page"')


async def test_a_card_that_is_too_much_is_split_and_comes_back_when_its_parts_are_done(demo: Demo) -> None:
    said = (await demo.play("--cards", "3")).stdout
    (split,) = re.findall(
        r'^\[builder\] found "(.*)" too much, and split it into "First half: .*" and "Second', said, re.M
    )
    cards = {card["title"]: card for held in (await demo.cards()).values() for card in held}
    assert len(cards) == 5
    parent, parts = cards[split], [cards[f"{half} half: {split}"] for half in ("First", "Second")]
    shown = (await demo.world.sa.get(f"/cards/{parent['id']}")).ok()
    assert shown["parts"]["total"] == 2
    assert [part["priority"] for part in parts] == [parent["priority"]] * 2
    rows = await demo.world.history(parent["id"])
    claims = [row["createdAt"] for row in rows if row["action"] == "claimed"]
    done = [row for part in parts for row in await demo.approved_moves(part)]
    assert len(claims) == 2
    assert [row["createdAt"] < claims[1] for row in done] == [True, True]


async def test_a_claim_and_an_approval_gate_are_shown_to_keep_agents_from_what_they_may_not(demo: Demo) -> None:
    said = (await demo.play("--cards", "2")).stdout
    assert re.search(r"^\[builder\] tried to rename .* planner holds\. Refused.*\(409 already_claimed\)$", said, re.M)
    assert re.search(r"^\[planner\] tried to move .* without asking\. Refused.*\(403 approval_required\)$", said, re.M)
    assert re.search(r"^\[planner\] started again and found that it still holds", said, re.M)
    assert re.search(r"^\[planner\] asked a person about .*\n(.*\n)*\[you\] answered .*planner on", said, re.M)


@pytest.mark.slow
async def test_the_demo_leaves_only_its_project(demo: Demo) -> None:
    assert (await demo.play()).returncode == 0
    assert (await demo.play()).returncode == 0
    assert await demo.leftovers() == []
    projects = (await demo.world.sa.get(demo.world.sa.org("/projects"))).ok()
    assert [project["title"] for project in projects] == ["Agent demo", "Agent demo"]


async def test_the_commands_in_the_demo_summary_work(demo: Demo) -> None:
    said = (await demo.play("--cards", "1")).stdout
    project, page = re.search(r"projects/(proj_\w+) ", said)[1], demo.world.url  # type: ignore[index]
    for address in (f"{page}/b/{project}", f"{page}/ ", f"{page}/agents/"):
        assert f"\n  {address}" in said
    assert f"\n  {page}/  Home: demo-" in said
    lines = [line for line in said.splitlines() if line.startswith(("TOKEN=", "curl"))]
    assert len(lines) == 4
    script = "set -euo pipefail\n" + "\n".join(lines)
    environment = {**bare_environment(), "PASSWORD": PASSWORD}
    done = await asyncio.to_thread(
        subprocess.run, ["bash", "-c", script], env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    assert '"state":"approved"' in done.stdout
    assert '"error"' not in done.stdout
    assert (await demo.world.sa.get(demo.world.sa.org("/projects"))).ok() == []
    assert PASSWORD not in said


async def test_the_demo_stops_at_its_bound_and_leaves_no_claim(demo: Demo) -> None:
    done = await demo.play("--seconds", "0.5", "--pause", "5")
    assert (done.returncode, done.stderr) == (0, "")
    assert "stopped after 0.5 s" in done.stdout
    held = (await demo.cards())["Todo"]
    assert (len(held), [card for card in held if card["claim"]]) == (8, [])
    assert await demo.leftovers() == []


@pytest.mark.slow
async def test_a_card_that_is_taken_away_meanwhile_does_not_end_the_demo(demo: Demo) -> None:
    process = await demo.begin("--cards", "3", "--pause", "0.2", until="planner holds")
    (first,) = [
        card for card in (await demo.cards())["Todo"] if (card["claim"] or {}).get("agentId", "").endswith("planner")
    ]
    (await demo.world.sa.delete(f"/cards/{first['id']}")).ok()
    code, said, _ = await demo.end(process)
    assert code == 0
    assert Counter(re.findall(r"^\[(\w+)\] was refused", said, re.M)) == {"planner": 1}
    assert {title: len(held) for title, held in (await demo.cards()).items() if held} == {"Review": 1, "Done": 3}


@pytest.mark.parametrize(
    ("moment", "number"),
    [
        ("created the team", signal.SIGINT),
        ("created a key", signal.SIGINT),
        ("is online", signal.SIGHUP),
        ("claimed", signal.SIGINT),
        ("released", signal.SIGTERM),
        ("rejected", signal.SIGINT),
    ],
)
async def test_an_interruption_leaves_neither_key_nor_agent(demo: Demo, moment: str, number: int) -> None:
    process = await demo.begin("--pause", "0.05", until=moment)
    process.send_signal(number)
    code, _, errors = await demo.end(process)
    assert code == 1
    assert errors.startswith("agent-demo: Interrupted. The project proj_")
    assert errors.count("\n") == 1
    assert await demo.leftovers() == []


async def test_an_interruption_while_the_keys_are_removed_leaves_none_either(demo: Demo) -> None:
    process = await demo.begin("--seconds", "0.2", "--pause", "1", until="stopped after")
    process.send_signal(signal.SIGTERM)
    await demo.end(process)
    assert await demo.leftovers() == []


async def test_a_reader_that_goes_away_ends_it_without_a_key(demo: Demo) -> None:
    line = " ".join(shlex.quote(word) for word in [sys.executable, str(RUN), *demo.words()])
    script = f"set -o pipefail; {line} | head -n 5"
    done = await asyncio.to_thread(
        subprocess.run, ["bash", "-c", script], env=bare_environment(), capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (1, "agent-demo: Stopped, because its output was closed.\n")
    assert await demo.leftovers() == []


async def test_keys_that_cannot_be_removed_are_named_and_end_by_themselves(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        demo = Demo(world, tmp_path)
        process = await demo.begin("--pause", "0.2", until="released")
        keys = {key["id"]: key for key in (await world.sa.get("/settings/api-keys")).ok()}
        service_process.kill()
        code, _, errors = await demo.end(process)
    assert (code, len(keys), errors.count("\n")) == (1, 3, 1)
    assert "Cannot reach the service" in errors
    latest = (datetime.now(UTC) + timedelta(hours=1)).isoformat()
    for key_id, key in keys.items():
        assert f"/settings/api-keys/{key_id}" in errors
        assert key["expiresAt"] < latest


async def test_a_member_is_told_to_come_as_an_architect_and_nothing_is_made(demo: Demo) -> None:
    done = await demo.play(email=MEMBER)
    assert (done.returncode, done.stdout) == (1, "")
    assert "You are Member in Home, and the demo needs a SolutionArchitect" in done.stderr
    assert done.stderr.count("\n") == 1
    assert (await demo.world.sa.get(demo.world.sa.org("/projects"))).ok() == []


@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        (["--password", "not the password"], 1, "invalid_credentials"),
        (["--organization", "org_nowhere"], 1, "You are not in an organization org_nowhere"),
        (["--url", "http://127.0.0.1:1"], 1, "Cannot reach the service at http://127.0.0.1:1/api/v1"),
        (["--url", "nonsense"], 2, "is not a service address"),
        (["--cards", "0"], 2, "from 1 to 50"),
        (["--cards", "many"], 2, "from 1 to 50"),
        (["--seconds", "601"], 2, "from 0 to 600"),
        (["--pause", "nan"], 2, "from 0 to 5"),
    ],
)
async def test_a_demo_that_cannot_run_is_refused_before_it_creates_anything(
    demo: Demo, words: list[str], code: int, said: str
) -> None:
    done = await demo.play(*words)
    assert (done.returncode, done.stdout) == (code, "")
    assert said in done.stderr
    assert "Traceback" not in done.stderr
    assert await demo.leftovers() == []
