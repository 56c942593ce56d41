"""Files: who may not, what is refused, and that a refusal leaves nothing behind."""

from service.database.queries import sql

from ..forms import FORM, blob, file_field, head, on_disk, send, target, text, upload, values
from ..world import Client, World


async def nothing_left(world: World) -> bool:
    """Tell whether neither a row nor a byte is there."""
    found = await world.service.store.read(lambda tx: tx.all(sql.files.list_all))
    return not found and await on_disk(world) == set()


async def test_each_missing_part_of_an_upload_is_named(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    card_id, field_id = text("cardId", card["id"]), text("fieldId", board.field("attachments"))
    wanted = {
        "file": (card_id, field_id),
        "cardId": (field_id, blob()),
        "fieldId": (card_id, blob(), text("fieldId", "")),
    }
    for name, parts in wanted.items():
        details = (await send(world.sa, *parts)).refused(400, "validation_failed")
        assert [field["path"] for field in details["fields"]] == [name]
    details = (await send(world.sa)).refused(400, "validation_failed")
    assert [field["path"] for field in details["fields"]] == ["file", "cardId", "fieldId"]
    assert await nothing_left(world)


async def test_unknown_repeated_and_oversized_parts_are_refused(world: World) -> None:
    board = await world.board()
    place = target(await world.card(board), board.field("attachments"))
    for parts in (
        (place, text("comment", "x"), blob()),
        (place, text("cardId", "card_x"), blob()),
        (place, blob(), blob()),
        (place, text("agentId", "bot"), blob()),
        (head("cardId") + b"\xff\r\n", blob()),
        (text("cardId", "x" * 1001), blob()),
        (place, b"--a-boundary\r\n\r\nno headers\r\n", blob()),
        (place, b"--a-boundary\r\nX: " + b"x" * 9000, blob()),
    ):
        (await send(world.sa, *parts)).refused(400, "validation_failed")
    assert await nothing_left(world)


async def test_a_body_that_is_no_form_is_refused(world: World) -> None:
    for kind in ("application/json", "multipart/mixed; boundary=x", "multipart/form-data", ""):
        answer = await world.sa.call("POST", "/files", data=b"{}", headers={"Content-Type": kind})
        answer.refused(415, "unsupported_media_type")
    for body in (b"", b"{}", b"--a-boundary", b"--another--\r\n", head("file") + b"half"):
        answer = await world.sa.call("POST", "/files", data=body, headers={"Content-Type": FORM})
        answer.refused(400, "validation_failed")
    assert await nothing_left(world)


async def test_the_field_must_be_a_file_field_of_the_cards_type(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    other_type = (await world.sa.post(world.sa.org("/card-types"), {"title": "Other", "color": "#000000"})).ok()
    path = world.sa.org(f"/card-types/{other_type['id']}/fields")
    elsewhere = (await world.sa.post(path, {"name": "scan", "kind": "file"})).ok()["id"]
    for field_id in (board.field("tags"), elsewhere):
        details = (await send(world.sa, target(card, field_id), blob())).refused(400, "not_a_file_field")
        assert details == {"fieldId": field_id}
        (await world.sa.get(f"/files/card/{card['id']}/field/{field_id}")).refused(400, "not_a_file_field")
    details = (await send(world.sa, target(card, "fld_x"), blob())).refused(400, "validation_failed")
    assert details["fields"][0]["path"] == "fieldId"
    details = (await world.sa.get(f"/files/card/{card['id']}/field/fld_x")).refused(404, "not_found")
    assert details == {"resource": "field"}
    assert await nothing_left(world)


async def test_a_field_of_another_organization_is_no_field(world: World) -> None:
    board, theirs = await world.board(), await world.board(world.outsider)
    card = await world.card(board)
    answer = await send(world.sa, target(card, theirs.field("attachments")), blob())
    assert answer.refused(400, "validation_failed")["fields"][0]["path"] == "fieldId"


async def test_a_card_type_without_files_takes_none_but_shows_those_it_has(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    file = await upload(world, card, field_id)
    path = world.sa.org(f"/card-types/{board.card_type['id']}")
    (await world.sa.patch(path, {"filesEnabled": False})).ok()
    (await send(world.sa, target(card, field_id), blob())).refused(400, "files_disabled")
    assert (await world.sa.get(f"/files/card/{card['id']}/field/{field_id}")).ok() == [file]
    assert (await world.sa.get(f"/files/{file['id']}/content")).body == b"content"
    (await world.sa.delete(f"/files/{file['id']}")).ok()
    assert await nothing_left(world)


async def test_an_archived_card_keeps_its_files_as_they_are(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    file = await upload(world, card, field_id)
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    (await send(world.sa, target(card, field_id), blob())).refused(409, "archived_parent")
    (await world.sa.delete(f"/files/{file['id']}")).refused(409, "archived_parent")
    assert (await world.sa.get(f"/files/{file['id']}/content")).body == b"content"


async def test_an_archived_project_hides_the_files_of_its_cards(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    file = await upload(world, card, field_id)
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    agent = await world.script()
    details = {"resource": "card", "archived": True}
    assert (await send(world.sa, target(card, field_id), blob())).refused(404, "not_found") == details
    for answer in (await world.sa.get(f"/files/{file['id']}/content"), await world.sa.delete(f"/files/{file['id']}")):
        assert answer.refused(404, "not_found") == {"resource": "file", "archived": True}
    answer = await agent.get(f"/files/{file['id']}/content/mcp")
    assert answer.refused(404, "not_found") == {"resource": "file"}  # only people can restore the board


async def test_files_of_another_organization_are_not_there(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    file = await upload(world, card, field_id)
    spy = await world.script(world.outsider)
    (await send(world.outsider, target(card, field_id), blob())).refused(404, "not_found")
    (await send(spy, target(card, field_id), blob())).refused(404, "not_found")
    for client, end in ((world.outsider, ""), (spy, "/mcp")):
        for file_id in (file["id"], "file_x", "..%2F..%2Fservice.db"):
            answer = await client.get(f"/files/{file_id}/content{end}")
            assert answer.refused(404, "not_found") == {"resource": "file"}
        answer = await client.get(f"/files/card/{card['id']}/field/{field_id}{end}")
        assert answer.refused(404, "not_found") == {"resource": "card"}
    (await world.outsider.delete(f"/files/{file['id']}")).refused(404, "not_found")


async def test_credentials_are_asked_for_first(world: World) -> None:
    key = await world.key()
    body = blob()
    for method, path in (("POST", "/files"), ("GET", "/files/x/content"), ("DELETE", "/files/x")):
        for client in (world.nobody, key):
            (await client.call(method, path, data=body)).refused(401, "unauthorized")
    for method, path in (("POST", "/files/mcp"), ("GET", "/files/x/content/mcp")):
        (await world.sa.call(method, path, data=body)).refused(401, "unauthorized")


async def test_only_an_architect_removes_and_the_permission_rows_hold(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = board.field("attachments")
    file = await upload(world, card, field_id)
    (await world.member.delete(f"/files/{file['id']}")).refused(403, "sa_required")
    await _permit(world, "Member", [])
    for answer, action in (
        (await send(world.member, target(card, field_id), blob()), "create"),
        (await world.member.get(f"/files/{file['id']}/content"), "read"),
        (await world.member.get(f"/files/card/{card['id']}/field/{field_id}"), "read"),
    ):
        assert answer.refused(403, "permission_denied") == {"resource": "File", "action": action}
    await _permit(world, "SolutionArchitect", ["read", "create"])
    details = (await world.sa.delete(f"/files/{file['id']}")).refused(403, "permission_denied")
    assert details == {"resource": "File", "action": "delete"}
    assert await values(world, card) == {field_id: [file["id"]]}


async def _permit(world: World, role: str, actions: list[str]) -> None:
    rows = (await world.sa.get("/permissions")).ok()
    row = next(row for row in rows if (row["role"], row["resource"]) == (role, "File"))
    (await world.sa.patch(f"/permissions/{row['id']}", {"actions": actions})).ok()


async def _agents_answer(agent: Client, *parts: bytes, **headers: str) -> tuple[int, str]:
    answer = await send(agent, *parts, **headers)
    return answer.status, answer.body.get("error", {}).get("code", "")


async def test_agents_upload_where_the_column_lets_them(world: World) -> None:
    board = await world.board()
    field_id = board.field("attachments")
    agent = await world.agent()
    open_card, closed_card = await world.card(board), await world.card(board, "Review")
    await world.column(board, "Review", agentPickupEnabled=False)
    file = (await send(agent, target(open_card, field_id), blob())).ok()
    assert (await agent.get(f"/files/card/{open_card['id']}/field/{field_id}/mcp")).ok() == [file]
    assert (await agent.get(f"/files/{file['id']}/content/mcp")).body == b"content"
    assert (await world.history(open_card["id"]))[-1]["actor"] == {"type": "Agent", "id": "bot", "label": None}
    assert await _agents_answer(agent, target(closed_card, field_id), blob()) == (403, "agent_pickup_disabled")
    column = world.sa.org(f"/columns/{board.columns['Review']}")
    (await world.sa.patch(column, {"agentPickupEnabled": True})).ok()
    assert await _agents_answer(agent, target(closed_card, field_id), blob()) == (403, "agent_cannot_moderate")


async def test_the_agent_is_named_by_part_or_header(world: World) -> None:
    board = await world.board()
    field_id = board.field("attachments")
    card = await world.card(board)
    key = await world.agent("bot")
    for order in (
        (text("agentId", "bot"), target(card, field_id), blob()),
        (blob(), target(card, field_id), text("agentId", "bot")),
    ):
        (await send(key, *order)).ok()
    (await send(key, target(card, field_id), blob(), **{"X-Agent-Id": "bot"})).ok()
    rows = [row for row in await world.history(card["id"]) if row["action"] == "fileAdded"]
    assert [row["actor"]["id"] for row in rows] == ["bot"] * 3
    unknown = (text("agentId", "nobody"), target(card, field_id), blob())
    assert await _agents_answer(key, *unknown) == (403, "agent_unknown")
    (team,) = (await world.sa.get(world.sa.org("/teams"))).ok()
    await world.register(key, team["id"], "waiting")
    waiting = (text("agentId", "waiting"), target(card, field_id), blob())
    assert await _agents_answer(key, *waiting) == (403, "agent_not_approved")


async def test_a_file_field_takes_no_values_from_elsewhere(world: World) -> None:
    board = await world.board()
    card = await world.card(board)
    field_id = await file_field(world, board)
    for value in (["file_x"], None, []):
        patch = {"fieldValues": [{"fieldId": field_id, "value": value}]}
        (await world.sa.patch(f"/cards/{card['id']}", patch)).refused(400, "validation_failed")
