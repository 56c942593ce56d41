"""Links to the contents of a file: for a minute, for that file, and no longer than the right of who made them."""

import time
from typing import Any

import pytest

from service.resources import links

from ..builders import permit
from ..forms import find_contents, upload
from ..world import Answer, World

CONTENT = bytes(range(256)) * 100


async def _file(world: World) -> Any:
    board = await world.board()
    return await upload(world, await world.card(board), board.field("attachments"), CONTENT, file_name="plan.bin")


async def _link(world: World, file: Any) -> str:
    link = (await world.member.post(f"/files/{file['id']}/link")).ok()
    assert link.keys() == {"url", "expiresAt"}
    url: str = link["url"]
    assert url.startswith("/api/v1/files/")
    return url.removeprefix("/api/v1")


async def test_a_link_gives_the_contents_without_a_credential_as_the_file_does(world: World) -> None:
    file = await _file(world)
    url = await _link(world, file)
    linked, usual = await world.nobody.get(url), await world.member.get(f"/files/{file['id']}/content")
    assert linked.ok() == usual.ok() == CONTENT
    for name in ("Content-Type", "Content-Disposition", "ETag", "Content-Security-Policy", "X-Content-Type-Options"):
        assert linked.headers[name] == usual.headers[name]
    part = await world.nobody.get(url, headers={"Range": "bytes=10-19"})
    assert (part.status, part.body) == (206, CONTENT[10:20])
    known = await world.nobody.get(url, headers={"If-None-Match": linked.headers["ETag"]})
    assert known.status == 304
    inline = await world.nobody.get(url + "&inline=1")
    assert inline.headers["Content-Disposition"].startswith("inline")


def over(answer: Answer) -> bool:
    answer.refused(403, "permission_denied")
    return True


async def test_a_link_is_over_after_a_minute(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    url = await _link(world, await _file(world))
    now = time.time()
    monkeypatch.setattr(links.time, "time", lambda: now + 58)
    (await world.nobody.get(url)).ok()
    monkeypatch.setattr(links.time, "time", lambda: now + 61)
    assert over(await world.nobody.get(url))


async def test_a_link_is_for_its_file_alone_and_cannot_be_made_up(world: World) -> None:
    file, other = await _file(world), await _file(world)
    url = await _link(world, file)
    token = url.partition("token=")[2]
    jwt = world.member.headers["Authorization"].removeprefix("Bearer ")
    for path in (
        f"/files/{other['id']}/linked?token={token}",
        f"/files/{file['id']}/linked?token={token[:-1]}",
        f"/files/{file['id']}/linked?token={token}x",
        f"/files/{file['id']}/linked?token={token[1:]}",
        f"/files/{file['id']}/linked?token={jwt}",
        f"/files/{file['id']}/linked?token=",
        f"/files/{file['id']}/linked?token=%C3%A4%00.%FF",
        f"/files/none/linked?token={token}",
    ):
        answer = await world.nobody.get(path)
        assert answer.status in (400, 403), path
    assert (await world.nobody.get(f"/files/{file['id']}/linked")).invalid() == ["token"]
    (await world.nobody.get("/auth/me", headers={"Authorization": f"Bearer {token}"})).refused(401, "unauthorized")


async def test_a_link_ends_with_the_right_of_who_made_it(world: World) -> None:
    file = await _file(world)
    url = await _link(world, file)
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == ("Member", "File"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": []})).ok()
    (await world.nobody.get(url)).refused(403, "permission_denied")
    (await world.member.post(f"/files/{file['id']}/link")).refused(403, "permission_denied")
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": ["read"]})).ok()
    (await world.nobody.get(url)).ok()
    (await world.member.post("/auth/logout")).ok()
    assert over(await world.nobody.get(url))


async def test_making_and_following_a_link_need_the_right_to_read_cards_too(world: World) -> None:
    file = await _file(world)
    url = await _link(world, file)
    await permit(world, "Member", "Card", "update", "comment")
    needed = {"resource": "Card", "action": "read"}
    assert (await world.nobody.get(url)).refused(403, "permission_denied") == needed
    assert (await world.nobody.get(url, headers={"Range": "bytes=0-9"})).refused(403, "permission_denied") == needed
    assert (await world.member.post(f"/files/{file['id']}/link")).refused(403, "permission_denied") == needed
    await permit(world, "Member", "Card", "read")
    (await world.nobody.get(url)).ok()


async def test_a_link_of_a_removed_member_leads_nowhere(world: World) -> None:
    url = await _link(world, await _file(world))
    (await world.sa.delete(world.sa.org(f"/members/{world.member.id}"))).ok()
    (await world.nobody.get(url)).refused(404, "not_found")


async def test_a_link_to_a_file_that_is_gone_is_404(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    file, lost = [await upload(world, card, board.field("attachments"), CONTENT) for _ in range(2)]
    urls = [await _link(world, one) for one in (file, lost)]
    (await world.sa.delete(f"/files/{file['id']}")).ok()
    find_contents(world, lost).unlink()
    for url in urls:
        assert (await world.nobody.get(url)).refused(404, "not_found") == {"resource": "file"}


async def test_a_link_into_an_archived_project_is_404(world: World) -> None:
    board = await world.board()
    file = await upload(world, await world.card(board), board.field("attachments"), CONTENT)
    url = await _link(world, file)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.nobody.get(url)).refused(404, "not_found")
    (await world.member.post(f"/files/{file['id']}/link")).refused(404, "not_found")


async def test_only_who_may_read_the_file_makes_links(world: World) -> None:
    file, agent = await _file(world), await world.agent()
    path = f"/files/{file['id']}/link"
    (await world.outsider.post(path)).refused(404, "not_found")
    (await world.nobody.post(path)).refused(401, "unauthorized")
    (await agent.post(path)).refused(401, "unauthorized")
    (await world.member.post("/files/none/link")).refused(404, "not_found")
    assert (await world.member.post(path, {"seconds": 3600})).invalid() == ["seconds"]
