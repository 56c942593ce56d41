"""export and import: an organization of any size moves from one service to another, in parts, and arrives the same."""

import asyncio
import base64
import codecs
import io
import json
import os
import random
import signal
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from service.clients.client import ApiFailure
from service.clients.client import Client as ApiClient
from service.clients.transfer import importing, parts
from service.clients.transfer.parts import SnapshotIndex, index_snapshot
from service.clients.transfer.reading import NotASnapshot
from service.database.queries import sql

from ..builders import permit
from ..forms import upload
from ..process import ServiceProcess, run
from ..snapshots import blob, fill_organization, remove_volatile_parts, snapshot_of
from ..world import PASSWORD, SA, World

CHANCE = random.Random(7)  # noqa: S311  # any bytes, the same each time


def to(url: str) -> dict[str, str]:
    """Return the environment of a command that speaks to a service."""
    return {"SERVICE_EMAIL": SA, "SERVICE_PASSWORD": PASSWORD, "SERVICE_API_URL": url}


@pytest.fixture
def other(tmp_path: Path) -> Iterator[ServiceProcess]:
    """Provide a service with another organization and another first user."""
    folder = tmp_path / "other"
    folder.mkdir()
    with ServiceProcess(folder, {"SA_BOOTSTRAP_EMAIL": SA, "SA_BOOTSTRAP_PASSWORD": PASSWORD}) as process:
        yield process


async def much(world: World) -> None:
    """Fill the SA's organization with something of everything, and more of what there is most of."""
    board = await fill_organization(world)
    await permit(world, "Member", "Card", "read", "comment")
    cards = [await world.card(board, title=f"Card {number} " + "x" * number) for number in range(40)]
    for card in cards[:10]:
        comment = (await world.sa.post(f"/cards/{card['id']}/comments", {"content": 'A \\ " } ] text'})).ok()
        (await world.sa.post(f"/cards/{card['id']}/comments/{comment['id']}/replies", {"content": "Yes"})).ok()
    for number in range(5):
        prompt = (await world.sa.post("/prompts", {"name": f"Prompt {number}", "body": "y" * 900})).ok()
        for label in ("v2", "v3"):
            version = (
                await world.sa.post(f"/prompts/{prompt['id']}/versions", {"label": label, "body": "z" * 900})
            ).ok()
        (await world.sa.patch(f"/prompts/{prompt['id']}/versions/{version['id']}", {"active": True})).ok()
    await upload(world, cards[0], board.field("attachments"), CHANCE.randbytes(70_000))


def comparable(snapshot: Any) -> dict[str, Any]:
    """Leave out what is another one in another service: who is assigned, and which agents are online."""
    found = remove_volatile_parts(snapshot)
    for row in found["cards"]:
        row["assignedUserId"] = None
    for row in found["agents"]:
        row["isOnline"] = False
    permissions = [(row["role"], row["resource"], row["actions"]) for row in snapshot["permissions"]]
    return {**found, "permissions": sorted(permissions)}


async def forget(world: World) -> str:
    """Remove the SA's organization for good, with its files; return its id."""
    elsewhere, home = (await world.sa.post("/organizations", {"title": "Elsewhere"})).ok(), world.sa.org_id
    await world.service.store.write(lambda tx: tx.run(sql.organizations.delete, org_id=home))
    world.service.file_store.remove_folder_later(home)
    await world.service.file_store.wait_for_removals()
    world.service.clear_credential_cache()
    world.sa.headers["X-Organization-Id"] = elsewhere["id"]
    return home


async def client_of(world: World) -> ApiClient:
    token = world.sa.headers["Authorization"].removeprefix("Bearer ")
    return ApiClient(world.url, token=token, organization=world.sa.headers["X-Organization-Id"])


def there(world: World, org_id: str) -> Any:
    return world.client({**world.sa.headers, "X-Organization-Id": org_id}, org_id=org_id)


@pytest.mark.slow
async def test_the_commands_carry_an_organization_with_its_files_from_one_service_to_another(
    service_process: ServiceProcess, other: ServiceProcess, tmp_path: Path
) -> None:
    async with World(service_process.url) as world:
        board = await world.board()
        card = await world.card(board, title="Moves house")
        await upload(world, card, board.field("attachments"), bytes(range(256)) * 100)
        before = await snapshot_of(world.sa, includeFiles="true")
    exported = run("export", "home.json", folder=tmp_path, environment=to(service_process.url))
    assert (exported.returncode, exported.stderr) == (0, "")
    assert (tmp_path / "home.json").stat().st_mode & 0o777 == 0o600
    assert remove_volatile_parts(json.loads((tmp_path / "home.json").read_bytes())) == remove_volatile_parts(before)
    imported = run("import", "home.json", folder=tmp_path, environment=to(other.url))
    assert (imported.returncode, imported.stderr) == (0, "")
    assert "Imported “Home”:" in imported.stdout
    target = ["export", "--organization", before["organization"]["id"], "copy.json"]
    assert run(*target, folder=tmp_path, environment=to(other.url)).returncode == 0
    assert comparable(json.loads((tmp_path / "copy.json").read_bytes())) == comparable(before)
    left = [name for name in os.listdir(tmp_path) if ".json" in name]
    assert sorted(left) == ["copy.json", "home.json"]


def test_no_files_leaves_their_contents_out(service_process: ServiceProcess, tmp_path: Path) -> None:
    environment = to(service_process.url)
    assert run("export", "--no-files", "home.json", folder=tmp_path, environment=environment).returncode == 0
    assert all("contentBase64" not in row for row in json.loads((tmp_path / "home.json").read_bytes())["files"])


@pytest.mark.parametrize(
    "command", [["export", "home.json"], ["import", "missing.json"], ["export", "/missing/home.json"]]
)
async def test_a_command_ends_its_session_whether_it_succeeds_or_not(
    service_process: ServiceProcess, tmp_path: Path, command: list[str]
) -> None:
    async with World(service_process.url) as world:
        await asyncio.to_thread(run, *command, folder=tmp_path, environment=to(service_process.url))
        assert [row["current"] for row in (await world.sa.get("/settings/sessions")).ok()] == [True]


@pytest.mark.slow
@pytest.mark.parametrize("target", [3_000, 20_000, 1 << 24])
async def test_parts_of_any_size_make_the_same_organization(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, target: int
) -> None:
    await much(world)
    before = await snapshot_of(world.sa, includeFiles="true")
    file = tmp_path / "home.json"
    file.write_text(json.dumps(before, indent=1 if target == 20_000 else None))
    home = await forget(world)
    monkeypatch.setattr(parts, "PART_BYTES", target)
    monkeypatch.setattr(parts, "INLINE_BYTES_MAX", 50_000)
    with file.open("rb") as source:
        found = index_snapshot(source)
    seen: list[int] = []
    async with await client_of(world) as client:
        imported = await importing.FileImport(client, file, found).run(seen.append)
    assert (len(seen) > 5) == (target < 1 << 24)
    assert sum(seen) == found.total
    assert imported["cards"] == len(before["cards"])
    after = await snapshot_of(there(world, home), includeFiles="true")
    assert comparable(after) == comparable(before)
    assert not parts.progress_file(file).exists()


async def test_an_import_that_was_cut_short_goes_on_where_it_was(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    await much(world)
    before = await snapshot_of(world.sa, includeFiles="true")
    file = tmp_path / "home.json"
    file.write_text(json.dumps(before))
    home = await forget(world)
    monkeypatch.setattr(parts, "PART_BYTES", 5_000)
    with file.open("rb") as source:
        found = index_snapshot(source)
    sent: list[str] = []

    class Failing(ApiClient):
        async def send(self, path: str, content: Any, headers: Any) -> Any:
            sent.append(path)
            if len(sent) == 4:
                raise ApiFailure(0, "unreachable", "The cable is out.")
            return await super().send(path, content, headers)

    plain = await client_of(world)
    failing = Failing(world.url, token=plain._credential.removeprefix("Bearer "), organization=plain.organization)  # type: ignore[union-attr]
    async with failing as client:
        with pytest.raises(ApiFailure):
            await importing.FileImport(client, file, found).run(lambda size: None)
        assert json.loads(parts.progress_file(file).read_text())["done"] == 3
        await importing.FileImport(client, file, found).run(lambda size: None)
    count = sum(1 for _ in parts.split(file.open("rb"), found))
    assert len(sent) == count + 1
    assert comparable(await snapshot_of(there(world, home), includeFiles="true")) == comparable(before)


async def test_a_changed_file_begins_anew(world: World, tmp_path: Path) -> None:
    file = tmp_path / "home.json"
    file.write_text("one")
    client = ApiClient(world.url)
    importing.Progress(file, client).save(3)
    assert importing.Progress(file, client).done == 3
    assert importing.Progress(file, ApiClient("http://127.0.0.1:1")).done == 0
    file.write_text("another")
    assert importing.Progress(file, client).done == 0


async def test_importing_once_more_after_inviting_brings_back_who_was_assigned(world: World, tmp_path: Path) -> None:
    board = await world.board()
    card = await world.card(board, assignedUserId=world.member.id)
    file = tmp_path / "home.json"
    snapshot = await snapshot_of(world.sa)
    for row in snapshot["cards"]:
        row["assignedUserId"] = "usr_of_another_service"
    for row in snapshot["users"]:
        if row["id"] == world.member.id:
            row["id"] = "usr_of_another_service"
    file.write_text(json.dumps(snapshot))
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedUserId": None})).ok()
    with file.open("rb") as source:
        found = index_snapshot(source)
    world.sa.headers["X-Organization-Id"] = world.sa.org_id
    async with await client_of(world) as client:
        await importing.FileImport(client, file, found).run(lambda size: None)
    assert (await world.sa.get(f"/cards/{card['id']}")).ok()["assignedUserId"] == world.member.id


@pytest.mark.parametrize(
    "text",
    ["", "[]", "{", '{"meta": {}, "organization": {}', '{"meta": {}}', '{"meta": {} "organization": {}}', '{"a": "b',
     "{} {}", '{"files": [{"contentBase64": "abc'],
)  # fmt: skip
def test_what_is_no_snapshot_is_refused_with_a_place(tmp_path: Path, text: str) -> None:
    file = tmp_path / "home.json"
    file.write_text(text)
    refused = run("import", "home.json", folder=tmp_path, environment=to("http://127.0.0.1:1"))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "home.json cannot be imported" in refused.stderr
    assert "Traceback" not in refused.stderr


def chopped(text: bytes, size: int) -> SnapshotIndex:
    """Look through a snapshot that comes a few bytes at a time."""

    class Slow(io.BytesIO):
        def read(self, wanted: int | None = -1) -> bytes:
            return super().read(size)

    return index_snapshot(Slow(text))


def test_a_snapshot_is_read_the_same_however_its_bytes_come() -> None:
    row = {"title": 'a "b" \\ {[é漢', "nested": {"x": [1, [2], {"y": None}]}}
    rows = [{"id": f"c{number}", **row} for number in range(30)]
    content = base64.b64encode(os.urandom(5000)).decode()
    file = {"id": "f1", "name": "contentBase64", "contentBase64": content, "more": 1}
    lost = {"id": "f2", "contentBase64": None}
    head = {"meta": {"a": 1}, "organization": {"id": "o"}}
    text = json.dumps({**head, "cards": rows, "empty": [], "files": [file, lost], "exportedAt": "x"}).encode()
    whole = index_snapshot(io.BytesIO(text))
    assert whole.counts == {"cards": 30, "files": 2, "meta": 0, "organization": 0, "exportedAt": 0}
    for size in (1, 2, 3, 7, 64, 1000):
        assert chopped(text, size) == whole
    marked = codecs.BOM_UTF8 + text  # as some editors save it
    for source, index in ((text, whole), (marked, index_snapshot(io.BytesIO(marked)))):
        for part in parts.split(io.BytesIO(source), index):
            sent = json.loads(part.body.read())
            assert sent["cards"] == rows
            assert sent["files"] == [file, lost]


@pytest.mark.slow
def test_a_part_is_never_larger_than_the_import_takes() -> None:
    with pytest.raises(NotASnapshot, match="row is too large"):
        index_snapshot(io.BytesIO(b'{"cards": [{"id": "' + b"x" * (70 << 20)))


def test_wrong_usage_is_told_in_one_line(tmp_path: Path) -> None:
    refused = run("import", "missing.json", folder=tmp_path, environment=to("http://127.0.0.1:1"))
    assert (refused.returncode, refused.stdout) == (2, "")
    assert "missing.json" in refused.stderr
    anonymous = run("export", "home.json", folder=tmp_path)
    assert anonymous.returncode == 2
    unreachable = run("export", "home.json", folder=tmp_path, environment=to("http://127.0.0.1:1"))
    assert unreachable.returncode == 1
    assert "was not changed" in unreachable.stderr
    assert list(tmp_path.iterdir()) == []


async def test_an_export_that_breaks_off_leaves_the_file_from_before(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    environment = to(service_process.url)
    (tmp_path / "home.json").write_text("from before")
    service_process.signal(signal.SIGKILL)
    assert run("export", "home.json", folder=tmp_path, environment=environment).returncode == 1
    assert (tmp_path / "home.json").read_text() == "from before"


async def test_contents_that_are_lost_can_be_brought_back_and_only_those(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    file = await upload(world, card, board.field("attachments"), b"precious")
    path, kept = f"/files/{file['id']}/content", blob(world, world.sa.org_id, card["id"], file["id"])
    raw = {"headers": {"Content-Type": "application/octet-stream"}}
    (await world.sa.call("POST", path, data=b"precious", **raw)).refused(409, "conflict")
    kept.unlink()
    for wrong in (b"", b"preciou", b"preciouss"):
        assert (await world.sa.call("POST", path, data=wrong, **raw)).invalid() == [""]
        assert not kept.exists()
    (await world.member.call("POST", path, data=b"precious", **raw)).refused(403, "sa_required")
    (await world.outsider.call("POST", path, data=b"precious", **raw)).refused(404, "not_found")
    (await world.sa.call("POST", path, data=b"precious", **raw)).ok()
    assert (await world.sa.get(path)).ok() == b"precious"


async def test_links_beside_the_file_lead_no_content_elsewhere(world: World, tmp_path: Path) -> None:
    await fill_organization(world)
    file, outside = tmp_path / "home.json", tmp_path / "outside"
    for name in ("home.json.part", "home.json.importing.new"):
        outside.write_text("mine")
        (tmp_path / name).symlink_to(outside)
    exported = await asyncio.to_thread(run, "export", str(file), folder=tmp_path, environment=to(world.url))
    assert exported.returncode == 3  # one of the files has no contents
    async with ApiClient(world.url) as client:
        await client.log_in(SA, PASSWORD)
        progress = importing.Progress(file, client)
        progress.save(1)
    assert importing.Progress(file, client).done == 1
    assert outside.read_text() == "mine"
    assert file.stat().st_mode & 0o777 == 0o600


async def test_an_export_without_the_contents_of_files_ends_with_3_and_names_them(
    service_process: ServiceProcess, tmp_path: Path
) -> None:
    environment = to(service_process.url)
    async with World(service_process.url) as world:
        board = await world.board()
        card = await world.card(board)
        file = await upload(world, card, board.field("attachments"), file_name='a "name".txt')
        (service_process.folder / "data" / "files" / world.sa.org_id / card["id"] / file["id"]).unlink()
        done = await asyncio.to_thread(run, "export", "home.json", folder=tmp_path, environment=environment)
    assert done.returncode == 3
    assert f"without contents: {file['name']} ({file['id']})" in done.stderr
    assert "has lost the contents of 1 file." in done.stderr


async def test_an_import_says_what_it_would_undo_and_asks(
    world: World, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = await world.board()
    cards = [await world.card(board, title=f"Card {number}") for number in range(3)]
    environment = to(world.url)
    assert (await asyncio.to_thread(run, "export", "home.json", folder=tmp_path, environment=environment)).stderr == ""
    (await world.sa.patch(f"/cards/{cards[0]['id']}", {"title": "Newer"})).ok()
    (await world.sa.delete(f"/cards/{cards[1]['id']}")).ok()
    (await world.sa.delete(f"/cards/{cards[2]['id']}", params={"mode": "permanent"})).ok()
    said = "1 items were changed, 1 archived and 1 removed"

    async def start(*options: str, text: str = "") -> Any:
        arguments = ("import", *options, "home.json")
        return await asyncio.to_thread(run, *arguments, folder=tmp_path, environment=environment, text=text)

    unattended = await start()
    assert (unattended.returncode, unattended.stdout) == (2, "")
    assert said in unattended.stderr
    assert "--yes" in unattended.stderr
    people = await start("--people-only")
    assert (people.returncode, people.stderr) == (0, "")
    monkeypatch.setattr("service.terminal.is_interactive", lambda: True)
    declined = await start(text="no\n")
    assert declined.returncode == 1
    assert said in declined.stdout
    assert (await world.sa.get(f"/cards/{cards[0]['id']}")).ok()["title"] == "Newer"
    assert (await start(text="yes\n")).returncode == 0
    for number, card in enumerate(cards):
        assert (await world.sa.get(f"/cards/{card['id']}")).ok()["title"] == f"Card {number}"
    (await world.sa.patch(f"/cards/{cards[0]['id']}", {"title": "Newer again"})).ok()
    assert (await start("--yes")).returncode == 0
    assert (await world.sa.get(f"/cards/{cards[0]['id']}")).ok()["title"] == "Card 0"
    assert (await start()).returncode == 0  # nothing was changed since


async def test_people_who_are_no_members_are_named_and_restored_later(world: World, tmp_path: Path) -> None:
    board = await world.board()
    card = await world.card(board, assignedUserId=world.member.id)
    snapshot = json.dumps(await snapshot_of(world.sa)).replace(world.member.id, "usr_of_another_service")
    (tmp_path / "home.json").write_text(snapshot)
    (await world.sa.patch(f"/cards/{card['id']}", {"assignedUserId": None, "title": "Newer"})).ok()
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    arguments = ("import", "--people-only", "home.json")
    done = await asyncio.to_thread(run, *arguments, folder=tmp_path, environment=to(world.url))
    assert (done.returncode, done.stderr) == (0, "")
    assert "No members: member@example.test." in done.stdout
    assert "--people-only" in done.stdout
    await world.service.store.write(
        lambda tx: tx.run(
            sql.members.create, org_id=world.sa.org_id, user_id=world.member.id, role="Member", now=tx.now
        )
    )
    done = await asyncio.to_thread(run, *arguments, folder=tmp_path, environment=to(world.url))
    assert "No members" not in done.stdout
    shown = (await world.sa.get(f"/cards/{card['id']}")).ok()
    assert (shown["assignedUserId"], shown["title"]) == (world.member.id, "Newer")
