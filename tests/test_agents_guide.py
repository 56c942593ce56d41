"""The guide for owners of agents: its commands work as written, and its table has every error that an agent can get."""

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest

from service.reference.error_meanings import ERROR_MEANINGS
from service.tools import server, toolsets

from .process import ServiceProcess, bare_environment

assert server  # importing it fills the registry
ROOT = Path(__file__).parent.parent
GUIDE = (ROOT / "docs" / "agents.md").read_text("utf-8")
PASSWORD = "a password for the guide"
# Errors of what no agent can do: sign in, design boards, decide, import and export.
OF_PEOPLE = {
    *("EmptySnapshot", "InvalidSnapshotShape", "UnknownExceptionDuringParse", "UnsupportedProduct", "id_conflict"),
    *("invalid_credentials", "session_ended", "token_expired", "wrong_password", "email_exists", "last_sa"),
    *("permission_denied", "sa_required", "stale_request", "shortcut_exists", "handle_taken"),
    *("invalid_pattern", "key_exists", "card_type_in_use", "column_not_empty", "transition_exists"),
}


@pytest.mark.slow
def test_the_commands_lead_from_an_api_key_to_a_card_that_waits_for_approval(tmp_path: Path) -> None:
    script = "set -euo pipefail\n" + "\n".join(re.findall(r"```bash\n(.*?)```", GUIDE, re.DOTALL))
    script = script.replace(".venv/bin/tandem", f"{sys.executable} {ROOT / 'run.py'}")
    data, project = tmp_path / "data", tmp_path / "project"
    data.mkdir()
    project.mkdir()
    with ServiceProcess(data, {"SA_BOOTSTRAP_PASSWORD": PASSWORD}) as service:
        lines = script.replace("http://127.0.0.1:8080", service.url) + (
            '\ncurl -s "$A/organizations/$O/move-requests?state=open" -H "$H"; echo; curl -s $A/cards/DEMO-1 -H "$H"'
        )
        environment = {**bare_environment(), "PASSWORD": PASSWORD}
        command = ["bash", "-c", lines]
        done = subprocess.run(command, cwd=project, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    *_, requests, card = done.stdout.splitlines()
    assert [request["note"] for request in json.loads(requests)["items"]] == ["Please look."]
    assert (json.loads(card)["claim"], json.loads(card)["title"]) == (None, "Say hello")
    assert '"isError":true' not in done.stdout
    assert done.stdout.count('"isError":false') == 6
    assert '{"jsonrpc": "2.0", "id": 1, "result": {}}' in done.stdout
    assert "tandem" in json.loads((project / ".mcp.json").read_text("utf-8"))["mcpServers"]
    assert "claim_next" in (project / "AGENTS.md").read_text("utf-8")


def test_the_table_has_every_error_that_an_agent_can_get_with_its_status() -> None:
    rows = re.findall(r"^\| (\d+) \| `(\w+)` \| (.+) \|$", GUIDE, re.MULTILINE)
    known = {(str(status), code) for status, codes in ERROR_MEANINGS.items() for code in codes}
    assert {code for _, code, _ in rows}.isdisjoint(OF_PEOPLE)
    assert {(status, code) for status, code, _ in rows} == {row for row in known if row[1] not in OF_PEOPLE}
    assert len(rows) == len({code for _, code, _ in rows})
    assert {code for _, code in known} >= OF_PEOPLE
    for _, code, what in rows:
        assert what.endswith("."), code


def test_the_guide_names_the_tools_of_the_core_and_none_that_is_not_listed() -> None:
    (core,) = re.findall(r"the nine of the loop in about 1,300:\n(.*?)\. All tools", GUIDE, re.DOTALL)
    assert tuple(re.findall(r"`(\w+)`", core)) == toolsets.CORE_TOOLS
    listed = {tool.name for tool in toolsets.list_tools(toolsets.FULL)}
    named = set(re.findall(r"`([a-z]+_[a-z]+)`", GUIDE)) | set(re.findall(r"^tool (\w+)", GUIDE, re.MULTILINE))
    codes = {code for codes in ERROR_MEANINGS.values() for code in codes}
    assert named - listed - codes == {"agent_claims_max", "public_url"} & named
    assert f"all {len(listed)} tools" in GUIDE
