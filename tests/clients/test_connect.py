"""`tandem connect`: an agent is registered, approved by a person, and its client knows the service; nothing is lost."""

import asyncio
import json
import os
import subprocess
import sys
import tomllib
from pathlib import Path
from typing import Any

import pytest
from mcp.client.client import Client as McpClient
from mcp.client.stdio import StdioServerParameters, stdio_client

from service.clients.client import ApiFailure
from service.clients.connect.tool_client import ToolClient

from ..process import RUN, bare_environment, run
from ..tools.talk import talking
from ..world import Client, World

FILES = {"claude": ".mcp.json", "cursor": ".cursor/mcp.json", "vscode": ".vscode/mcp.json", "codex": "home/config.toml"}


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """Make the folder of a project, beside that of the service."""
    project = tmp_path / "project"
    project.mkdir()
    return project


def everything(folder: Path) -> dict[Path, str]:
    """Read all that there is in a folder."""
    return {path: path.read_text("utf-8") for path in folder.rglob("*") if path.is_file()}


def everything_raw(folder: Path) -> dict[Path, bytes]:
    return {path: path.read_bytes() for path in folder.rglob("*") if path.is_file()}


def environment(who: Client, folder: Path) -> dict[str, str]:
    known = {"SERVICE_API_URL": who.base, "SERVICE_API_KEY": who.secret, "CODEX_HOME": str(folder / "home")}
    return bare_environment() | known


async def connect(who: Client, folder: Path, *arguments: str, **more: str) -> subprocess.CompletedProcess[str]:
    """Run the command to its end."""
    known = environment(who, folder) | more
    return await asyncio.to_thread(run, "connect", *arguments, folder=folder, environment=known)


async def newcomer(world: World) -> Client:
    """Make a key for a team, with which no agent has registered."""
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Builders"})).ok()
    return await world.key(teamId=team["id"])


def expected(client: str, url: str) -> Any:
    """Return what each client has to find, in the shape that its documentation shows."""
    program = {"command": sys.executable, "args": [str(RUN), "mcp"]}

    def process(key: str, agent: str) -> Any:
        known = {"SERVICE_API_URL": url, "SERVICE_API_KEY": key, "SERVICE_AGENT_ID": agent}
        return {"tandem": {"type": "stdio", **program, "env": known}}

    of_codex = {"SERVICE_API_URL": url, "SERVICE_AGENT_ID": "builder"}
    entry: dict[str, Any] = {
        "claude": {"mcpServers": process("${SERVICE_API_KEY}", "${SERVICE_AGENT_ID:-}")},
        "cursor": {"mcpServers": process("${env:SERVICE_API_KEY}", "${env:SERVICE_AGENT_ID}")},
        "vscode": {
            "servers": process("${input:tandem-key}", "${env:SERVICE_AGENT_ID}"),
            "inputs": [
                {"type": "promptString", "id": "tandem-key", "description": "Key of the agent", "password": True}
            ],
        },
        "codex": {"mcp_servers": {"tandem": {**program, "env": of_codex, "env_vars": ["SERVICE_API_KEY"]}}},
    }
    return entry[client]


def of_earlier_version(client: str, url: str) -> Any:
    """Return what earlier versions wrote for each client."""
    agents = {
        "claude": "${SERVICE_AGENT_ID:-}",
        "cursor": "${env:SERVICE_AGENT_ID}",
        "vscode": "${env:SERVICE_AGENT_ID}",
    }
    keys = {"claude": "${SERVICE_API_KEY}", "cursor": "${env:SERVICE_API_KEY}", "vscode": "${input:tandem-key}"}
    kind = {} if client == "cursor" else {"type": "http"}
    headers = {"Authorization": f"ApiKey {keys[client]}", "X-Agent-Id": agents[client]}
    return {"servers" if client == "vscode" else "mcpServers": {"tandem": {**kind, "url": url, "headers": headers}}}


def parsed(file: Path) -> Any:
    text = file.read_text("utf-8")
    return tomllib.loads(text) if file.suffix == ".toml" else json.loads(text)


@pytest.mark.parametrize("client", FILES)
async def test_each_client_is_told_in_its_own_shape_without_the_key_and_a_second_time_changes_nothing(
    world: World, folder: Path, client: str
) -> None:
    key = await newcomer(world)
    done = await connect(key, folder, client, "--agent", "builder", "--no-wait")
    assert done.returncode == 0, done.stderr
    file = folder / FILES[client]
    assert parsed(file) == expected(client, key.base)
    before = everything(folder)
    assert set(before) == {file, folder / "AGENTS.md"}
    assert key.secret not in "".join(before.values()) + done.stdout + done.stderr
    assert "claim_next" in before[folder / "AGENTS.md"]
    assert (await connect(key, folder, client, "--agent", "builder", "--no-wait")).returncode == 0
    assert everything(folder) == before


@pytest.mark.slow
async def test_it_waits_until_a_person_approves_and_says_where_and_then_the_agent_works(
    world: World, folder: Path
) -> None:
    await world.board()
    key = await newcomer(world)
    process = await asyncio.create_subprocess_exec(
        *(sys.executable, str(RUN), "connect", "claude", "--agent", "builder", "--title", "The builder"),
        cwd=folder,
        env=environment(key, folder),
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    assert process.stderr
    registered, where = [(await asyncio.wait_for(process.stderr.readline(), 30)).decode() for _ in range(2)]
    assert registered == "builder is registered, and pending.\n"
    assert f"approves it at {key.base}/" in where
    (waiting,) = (await world.sa.get(world.sa.org("/attention"))).ok()
    assert (waiting["kind"], waiting["agentId"]) == ("pending_agent", "builder")
    assert not (folder / ".mcp.json").exists()
    (folder / ".mcp.json").write_text('{"mcpServers": {"meanwhile": {"url": "https://other.example"}}}')
    (await world.sa.patch("/agents/builder/approve")).ok()
    assert await asyncio.wait_for(process.wait(), 30) == 0
    servers = parsed(folder / ".mcp.json")["mcpServers"]
    assert servers["meanwhile"] == {"url": "https://other.example"}
    async with talking(key, **{"X-Agent-Id": "builder"}) as talk:
        me = await talk.ok("whoami")
    assert me["agent"] == {"id": "builder", "title": "The builder", "status": "approved", "isOnline": True}


@pytest.mark.parametrize("client", ["claude", "codex"])
async def test_a_client_can_be_told_to_list_the_core_tools_only(world: World, folder: Path, client: str) -> None:
    key, agent = await newcomer(world), ("--agent", "builder", "--no-wait")
    assert (await connect(key, folder, client, *agent, "--toolset", "core")).returncode == 0
    servers = next(value for value in parsed(folder / FILES[client]).values() if isinstance(value, dict))
    assert servers["tandem"]["args"] == [str(RUN), "mcp", "--toolset", "core"]
    assert (await connect(key, folder, client, *agent)).returncode == 0
    assert parsed(folder / FILES[client]) == expected(client, key.base)
    before = everything(folder)
    wrong = await connect(key, folder, client, *agent, "--toolset", "some")
    assert (wrong.returncode, everything(folder)) == (2, before)
    assert "choose from" in wrong.stderr


@pytest.mark.parametrize("client", FILES)
async def test_connect_keeps_existing_configuration(world: World, folder: Path, client: str) -> None:
    key = await newcomer(world)
    file = folder / FILES[client]
    file.parent.mkdir(exist_ok=True)
    if client == "codex":
        file.write_text('# mine\nmodel = "m"\n\n[mcp_servers.other]\nurl = "https://other.example"\n')
    else:
        servers = "servers" if client == "vscode" else "mcpServers"
        file.write_text(json.dumps({"mine": 1, servers: {"other": {"url": "https://other.example"}}}))
    file.chmod(0o640)
    (folder / "AGENTS.md").write_text("# Rules\n\nBe kind.\n")
    assert (await connect(key, folder, client, "--agent", "builder", "--no-wait")).returncode == 0
    now = parsed(file)
    (servers,) = [value for value in now.values() if isinstance(value, dict)]
    assert servers.keys() == {"other", "tandem"}
    assert servers["other"] == {"url": "https://other.example"}
    assert now.get("mine", now.get("model")) in (1, "m")
    assert file.stat().st_mode & 0o777 == 0o640
    assert (folder / "AGENTS.md").read_text().startswith("# Rules\n\nBe kind.\n\n## Work on the board")


@pytest.mark.parametrize(
    ("client", "text"),
    [
        ("claude", '{"mcpServers": {"tandem": {"url": "https://mine.example"}}}'),
        ("vscode", '{\n  // mine\n  "servers": {}\n}'),
        ("cursor", "[]"),
        ("codex", '[mcp_servers.tandem]\nurl = "https://mine.example"\n'),
        ("codex", "no = = toml"),
        ("codex", 'mcp_servers = { other = { command = "x" } }\n'),
        ("codex", "mcp_servers = 3\n"),
        ("codex", "[mcp_servers]\ntandem = 3\n"),
        ("codex", '[mcp_servers.tandem]\nenv = 3\ncommand = "x"\n'),
        ("claude", '{"mcpServers": {"tandem": {"env": 3, "headers": []}}}'),
        ("vscode", '{"servers": {}, "inputs": {}}'),
        ("vscode", '{"servers": {}, "inputs": ["key"]}'),
        ("claude", '{"mcpServers": {"other": {"note": "\udcff"}}}'),  # no UTF-8
    ],
)
async def test_a_file_that_cannot_be_extended_stays_and_no_agent_is_registered(
    world: World, folder: Path, client: str, text: str
) -> None:
    key = await newcomer(world)
    file = folder / FILES[client]
    file.parent.mkdir(exist_ok=True)
    file.write_text(text, "utf-8", "surrogateescape")
    done = await connect(key, folder, client, "--agent", "builder", "--no-wait")
    assert done.returncode == 1
    assert FILES[client] in done.stderr
    assert "--print" in done.stderr
    assert done.stderr.count("\n") == 1
    assert file.read_text("utf-8", "surrogateescape") == text
    assert not (folder / "AGENTS.md").exists()
    assert (await world.sa.get(world.sa.org("/agents"))).ok() == []


async def test_connect_print_shows_everything_and_writes_nothing(world: World, folder: Path) -> None:
    key, file = await newcomer(world), folder / ".mcp.json"
    for text in (None, "// mine\n"):
        if text is not None:
            file.write_text(text)
        before = everything(folder)
        done = await connect(key, folder, "claude", "--print", SERVICE_API_KEY="" if text else key.secret)
        assert done.returncode == 0, done.stderr
        assert (await world.sa.get(world.sa.org("/agents"))).ok() == []
        assert '"tandem"' in done.stdout
        assert "## Work on the board" in done.stdout
        assert everything(folder) == before


async def test_a_guide_keeps_its_line_ends_and_one_that_is_no_text_is_left_alone(world: World, folder: Path) -> None:
    key, guide = await newcomer(world), folder / "AGENTS.md"
    guide.write_bytes(b"\xff")
    done = await connect(key, folder, "claude", "--agent", "builder", "--no-wait")
    assert (done.returncode, done.stderr.count("\n"), everything_raw(folder)) == (1, 1, {guide: b"\xff"})
    guide.write_bytes(b"# Rules\r\n\r\nBe kind.\r\n")
    assert (await connect(key, folder, "claude", "--agent", "builder", "--no-wait")).returncode == 0
    assert guide.read_bytes().startswith(b"# Rules\r\n\r\nBe kind.")


async def test_a_wrong_key_an_away_service_and_a_stopped_agent_are_one_line(world: World, folder: Path) -> None:
    key = await newcomer(world)
    for more, code, sentence in [
        ({"SERVICE_API_KEY": ""}, 2, "SERVICE_API_KEY"),
        ({"SERVICE_API_KEY": "tdm_wrong"}, 1, "There is no such key"),
        ({"SERVICE_API_URL": "nonsense"}, 2, "is not a service address"),
        ({"SERVICE_API_URL": "http://127.0.0.1:9"}, 1, "Cannot reach the service at http://127.0.0.1:9/mcp"),
        ({"SERVICE_AGENT_ID": "no id!"}, 1, "id: must match"),
    ]:
        done = await connect(key, folder, "claude", **more)
        assert (done.returncode, done.stdout) == (code, ""), more
        assert sentence in done.stderr
        assert done.stderr.count("\n") == 1
    assert everything(folder) == {}
    (await connect(key, folder, "claude", "--agent", "builder", "--no-wait"))
    (await world.sa.patch("/agents/builder/stop")).ok()
    done = await connect(key, folder, "cursor", "--agent", "builder")
    assert done.returncode == 1
    assert "builder was stopped" in done.stderr


async def test_a_refusal_of_the_endpoint_or_a_tool_has_the_code_of_the_service(world: World) -> None:
    key = await newcomer(world)
    async with ToolClient(key.base, key.secret) as server:
        for tool, arguments, code in [
            ("whoami", {"a": [0] * 2001}, "validation_failed"),  # an error of JSON-RPC, with the envelope as data
            ("register", {"id": "no id!", "title": "T"}, "validation_failed"),  # a result of the tool
            ("nonsense", {}, "-32602"),  # an error of the protocol
        ]:
            with pytest.raises(ApiFailure) as raised:
                await server.call(tool, **arguments)
            assert raised.value.code == code
    async with ToolClient(key.base, "tdm_wrong") as server:
        with pytest.raises(ApiFailure) as raised:
            await server.call("whoami")
    assert raised.value.code == "unauthorized"


@pytest.mark.parametrize("client", FILES)
async def test_a_file_of_the_project_contains_no_agent_and_the_key_is_enough(
    world: World, folder: Path, client: str
) -> None:
    key = await newcomer(world)
    done = await connect(key, folder, client, "--no-wait")
    assert done.returncode == 0, done.stderr
    (agent,) = (await world.sa.get(world.sa.org("/agents"))).ok()
    assert agent["id"].startswith(f"{client}-")
    assert "SERVICE_AGENT_ID" not in done.stdout
    before = everything(folder)
    assert agent["id"] not in "".join(before.values())
    assert "SERVICE_AGENT_ID" not in "".join(before.values())
    (await world.sa.patch(f"/agents/{agent['id']}/approve")).ok()
    for header in ({}, {"X-Agent-Id": ""}):  # the second as from a variable that is not set
        async with talking(key, **header) as talk:
            assert (await talk.ok("whoami"))["agent"]["id"] == agent["id"]
    assert (await connect(key, folder, client)).returncode == 0  # again: the only agent of the key, which is approved
    assert everything(folder) == before
    assert len((await world.sa.get(world.sa.org("/agents"))).ok()) == 1


async def test_with_several_agents_of_a_key_the_file_names_the_variable_and_stays_so(
    world: World, folder: Path
) -> None:
    key = await newcomer(world)
    for agent_id in ("first", "second"):
        assert (
            await connect(key, folder, "codex", "--agent", agent_id, "--no-wait", CODEX_HOME=agent_id)
        ).returncode == 0
    done = await connect(key, folder, "claude", "--no-wait")
    assert done.returncode == 0, done.stderr
    assert "Set SERVICE_AGENT_ID=claude-" in done.stdout
    text = (folder / ".mcp.json").read_text()
    assert parsed(folder / ".mcp.json")["mcpServers"]["tandem"]["env"]["SERVICE_AGENT_ID"] == "${SERVICE_AGENT_ID:-}"
    other = await newcomer(world)
    for named in (
        ("--agent", "other"),
        (),
    ):  # the second time the key's only agent, for which the variable may be unset
        assert (await connect(other, folder, "claude", *named, "--no-wait")).returncode == 0
        assert (folder / ".mcp.json").read_text() == text
    assert len((await world.sa.get(world.sa.org("/agents"))).ok()) == 4


async def test_the_agent_that_an_earlier_version_wrote_is_taken_out(world: World, folder: Path) -> None:
    key = await newcomer(world)
    entry = of_earlier_version("claude", f"{key.base}/mcp")
    entry["mcpServers"]["tandem"]["headers"]["X-Agent-Id"] = "claude-somebodys-machine"
    (folder / ".mcp.json").write_text(json.dumps(entry))
    assert (await connect(key, folder, "claude", "--no-wait")).returncode == 0
    assert "somebodys" not in (folder / ".mcp.json").read_text()


@pytest.mark.parametrize("client", ["claude", "cursor", "vscode"])
@pytest.mark.parametrize("url", ["", "https://other.example"])
async def test_the_entry_of_an_earlier_version_for_the_same_service_becomes_the_process(
    world: World, folder: Path, client: str, url: str
) -> None:
    key, file = await newcomer(world), folder / FILES[client]
    file.parent.mkdir(exist_ok=True)
    earlier = of_earlier_version(client, f"{url or key.base}/mcp") | {"mine": 1}
    file.write_text(json.dumps(earlier))
    done = await connect(key, folder, client, "--agent", "builder", "--no-wait")
    assert done.returncode == (1 if url else 0)
    assert parsed(file) == (earlier if url else {"mine": 1} | expected(client, key.base))
    if not url:
        moved = json.loads(file.read_text().replace(str(RUN), "/elsewhere/run.py"))
        file.write_text(json.dumps(moved))
        assert (await connect(key, folder, client, "--agent", "builder", "--no-wait")).returncode == 0
        assert parsed(file) == {"mine": 1} | expected(client, key.base)


@pytest.mark.parametrize("agent", ['http_headers = { "X-Agent-Id" = "builder" }\n', ""])
async def test_the_table_of_an_earlier_version_becomes_the_process_unless_it_was_edited(
    world: World, folder: Path, agent: str
) -> None:
    key, file = await newcomer(world), folder / FILES["codex"]
    file.parent.mkdir(exist_ok=True)
    table = f'[mcp_servers.tandem]\nurl = "{key.base}/mcp"\nbearer_token_env_var = "SERVICE_API_KEY"\n{agent}'
    around = '# mine\nmodel = "m"\n\n{}\n[mcp_servers.other]\nurl = "https://other.example"\n'
    file.write_text(around.format(table.replace(" = ", "  =  ")))
    done = await connect(key, folder, "codex", "--agent", "builder", "--no-wait")
    assert (done.returncode, "remove it" in done.stderr) == (1, True)
    file.write_text(around.format(table))
    assert (await connect(key, folder, "codex", "--agent", "builder", "--no-wait")).returncode == 0
    assert parsed(file)["mcp_servers"]["tandem"] == expected("codex", key.base)["mcp_servers"]["tandem"]
    assert parsed(file)["mcp_servers"]["other"] == {"url": "https://other.example"}
    assert file.read_text().startswith("# mine\n")
    before = file.read_text()
    assert (await connect(key, folder, "codex", "--agent", "builder", "--no-wait")).returncode == 0
    assert file.read_text() == before


async def test_two_processes_that_a_client_starts_by_the_file_have_claims_of_their_own(
    world: World, folder: Path
) -> None:
    key, board = await newcomer(world), await world.board()
    for number in range(2):
        await world.card(board, title=f"Card {number}")
    assert (await connect(key, folder, "claude", "--agent", "builder", "--no-wait")).returncode == 0
    (await world.sa.patch("/agents/builder/approve")).ok()
    entry = parsed(folder / ".mcp.json")["mcpServers"]["tandem"]
    filled = {"${SERVICE_API_KEY}": key.secret, "${SERVICE_AGENT_ID:-}": ""}
    env = bare_environment() | {name: filled.get(value, value) for name, value in entry["env"].items()}
    server = StdioServerParameters(command=entry["command"], args=entry["args"], env=env, cwd=folder)
    async with McpClient(stdio_client(server)) as one, McpClient(stdio_client(server)) as two:
        for client in (one, two):
            (taken,) = (await client.call_tool("claim_next", {})).content
            assert json.loads(taken.text)["card"]["claim"]["session"]
        (me,) = (await two.call_tool("whoami", {})).content
        assert [len(json.loads(me.text)[name]) for name in ("claims", "otherClaims")] == [1, 1]


@pytest.mark.parametrize("name", ["AGENTS.md", "CLAUDE.md", ".mcp.json", ".mcp.json.new", "AGENTS.md.new"])
async def test_a_link_of_the_checkout_leads_no_content_out_of_it(world: World, folder: Path, name: str) -> None:
    key, outside = await newcomer(world), folder.parent / ".bashrc"
    outside.write_text("{}")
    (folder / name).symlink_to(outside)
    done = await connect(key, folder, "claude", "--agent", "builder", "--no-wait")
    assert outside.read_text() == "{}"
    assert (folder / name).is_symlink()
    if name.endswith(".new"):
        assert done.returncode == 0
    else:
        assert (done.returncode, done.stderr.count("\n")) == (1, 1)
        assert f"{name}: It is a link to {outside}" in done.stderr
        assert (await world.sa.get(world.sa.org("/agents"))).ok() == []


async def test_a_folder_that_leads_out_of_the_checkout_is_refused(world: World, folder: Path) -> None:
    (folder.parent / "elsewhere").mkdir()
    (folder / ".cursor").symlink_to(folder.parent / "elsewhere")
    done = await connect(await newcomer(world), folder, "cursor", "--agent", "builder", "--no-wait")
    assert done.returncode == 1
    assert list((folder.parent / "elsewhere").iterdir()) == []


async def test_a_link_loop_or_a_special_file_is_reported_and_stays(world: World, folder: Path) -> None:
    key = await newcomer(world)
    for make, problem in (
        (lambda file: file.symlink_to(file.name), "It is a link that leads back to itself."),
        (os.mkfifo, "It is not a file."),
        (Path.mkdir, "It is not a file."),
    ):
        file = folder / "AGENTS.md"
        make(file)
        done = await connect(key, folder, "claude", "--agent", "builder", "--no-wait")
        assert (done.returncode, done.stderr.count("\n")) == (1, 1), done.stderr
        assert f"AGENTS.md: {problem}" in done.stderr
        assert not file.is_file()
        file.rmdir() if file.is_dir() else file.unlink()


@pytest.mark.parametrize(
    ("client", "files", "guide"),
    [
        ("claude", {"CLAUDE.md": "# Rules\n"}, "CLAUDE.md"),
        ("claude", {".claude/CLAUDE.md": "# Rules\n", "AGENTS.md": "# Other\n"}, ".claude/CLAUDE.md"),
        ("claude", {"CLAUDE.md": "See @AGENTS.md\n"}, "AGENTS.md"),
        ("cursor", {"CLAUDE.md": "# Rules\n"}, "AGENTS.md"),
    ],
)
async def test_the_paragraph_goes_into_the_file_that_the_client_reads(
    world: World, folder: Path, client: str, files: dict[str, str], guide: str
) -> None:
    for name, text in files.items():
        (folder / name).parent.mkdir(exist_ok=True)
        (folder / name).write_text(text)
    done = await connect(await newcomer(world), folder, client, "--no-wait")
    assert done.returncode == 0, done.stderr
    assert f"; {guide} tells how to work here" in done.stdout
    paragraphs = [file for file, text in everything(folder).items() if "## Work on the board" in text]
    assert paragraphs == [folder / guide]
    assert (folder / guide).read_text().startswith(files.get(guide, "## Work"))


async def test_a_link_inside_of_the_checkout_is_followed(world: World, folder: Path) -> None:
    (folder / "AGENTS.md").write_text("# Rules\n")
    (folder / "CLAUDE.md").symlink_to("AGENTS.md")
    assert (await connect(await newcomer(world), folder, "claude", "--no-wait")).returncode == 0
    assert (folder / "CLAUDE.md").is_symlink()
    assert (folder / "AGENTS.md").read_text().startswith("# Rules\n\n## Work on the board")
