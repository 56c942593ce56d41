"""A person's own settings: password, profile, theme."""

from typing import Any

import pytest

from ..bodies import LONG_TITLE, NO_LINE, NO_TEXT, get_refused_keys
from ..world import MEMBER, PASSWORD, SA, Client, World

NEW = "a fresh password"
CHANGE = {"currentPassword": PASSWORD, "newPassword": NEW}


async def signs_in(world: World, email: str, password: str) -> bool:
    answer = await world.nobody.post("/auth/login", {"email": email, "password": password})
    assert answer.status == 200 or answer.refused(401, "invalid_credentials") == {}
    return answer.status == 200


async def test_a_new_password_takes_the_place_of_the_old_one(world: World) -> None:
    assert (await world.member.post("/settings/password", CHANGE)).ok() == {"success": True}
    assert await signs_in(world, MEMBER, NEW)
    assert not await signs_in(world, MEMBER, PASSWORD)
    assert await signs_in(world, SA, PASSWORD)


async def test_without_the_current_password_nothing_changes(world: World) -> None:
    for wrong in ("wrong password", "", PASSWORD + " ", "x" * 500):
        body = {"currentPassword": wrong, "newPassword": NEW}
        (await world.member.post("/settings/password", body)).refused(400, "wrong_password")
    (await world.member.get("/auth/me")).ok()
    assert not await signs_in(world, MEMBER, NEW)


@pytest.mark.parametrize("password", ["", "7 bytes", "x" * 73, "é" * 37, "日" * 25, *NO_TEXT])
async def test_a_new_password_has_8_to_72_bytes(world: World, password: Any) -> None:
    body = {"currentPassword": PASSWORD, "newPassword": password}
    assert get_refused_keys(await world.member.post("/settings/password", body)) == {"newPassword"}
    assert await signs_in(world, MEMBER, PASSWORD)


@pytest.mark.parametrize("password", ["8 bytes!", "é" * 36, "日" * 24])
async def test_the_shortest_and_the_longest_passwords_work(world: World, password: str) -> None:
    (await world.member.post("/settings/password", {"currentPassword": PASSWORD, "newPassword": password})).ok()
    assert await signs_in(world, MEMBER, password)


@pytest.mark.parametrize("value", NO_TEXT)
async def test_the_current_password_is_text(world: World, value: Any) -> None:
    assert get_refused_keys(await world.member.post("/settings/password", CHANGE | {"currentPassword": value})) == {
        "currentPassword"
    }


async def profile(world: World) -> tuple[str, str, str]:
    me = (await world.member.get("/auth/me")).ok()
    return me["fullName"], me["timezone"], me["theme"]


async def test_a_profile_has_a_name_and_a_time_zone(world: World) -> None:
    (await world.member.patch("/settings/profile", {"fullName": "Moira Ünal"})).ok()
    assert await profile(world) == ("Moira Ünal", "UTC", "system")
    (await world.member.patch("/settings/profile", {"timezone": "Europe/Berlin"})).ok()
    assert await profile(world) == ("Moira Ünal", "Europe/Berlin", "system")
    (await world.member.patch("/settings/profile", {"fullName": "Mo", "timezone": "Asia/Tokyo"})).ok()
    assert await profile(world) == ("Mo", "Asia/Tokyo", "system")
    assert (await world.sa.get("/auth/me")).ok()["fullName"] == "Ada Architect"


async def test_a_new_name_is_shown_at_once_wherever_somebody_acts(world: World) -> None:
    card = await world.card(await world.board())
    path = f"/cards/{card['id']}/comments"
    assert (await world.member.post(path, {"content": "One"})).ok()["actor"]["label"] == "Mo Member"
    (await world.member.patch("/settings/profile", {"fullName": "Moira"})).ok()
    assert (await world.member.post(path, {"content": "Two"})).ok()["actor"]["label"] == "Moira"
    members = (await world.sa.get(world.sa.org("/members"))).ok()
    assert [row["fullName"] for row in members] == ["Ada Architect", "Moira"]


async def test_an_empty_profile_changes_nothing(world: World) -> None:
    before = await profile(world)
    (await world.member.patch("/settings/profile", {})).ok()
    assert await profile(world) == before


@pytest.mark.parametrize("name", [*NO_LINE, LONG_TITLE])
async def test_a_name_is_one_line_of_text(world: World, name: Any) -> None:
    before = await profile(world)
    assert get_refused_keys(await world.member.patch("/settings/profile", {"fullName": name})) <= {"fullName", ""}
    assert await profile(world) == before


@pytest.mark.parametrize("zone", [*NO_TEXT, "", "Mars/Olympus", "../../etc/passwd", "europe berlin", "/UTC"])
async def test_a_time_zone_is_one_that_there_is(world: World, zone: Any) -> None:
    assert get_refused_keys(await world.member.patch("/settings/profile", {"timezone": zone})) == {"timezone"}


@pytest.mark.parametrize("theme", ["light", "dark", "system"])
async def test_there_are_three_themes(world: World, theme: str) -> None:
    (await world.member.patch("/settings/theme", {"theme": theme})).ok()
    assert await profile(world) == ("Mo Member", "UTC", theme)
    assert (await world.sa.get("/auth/me")).ok()["theme"] == "system"


@pytest.mark.parametrize("theme", [*NO_TEXT, "", "Light", "blue"])
async def test_there_is_no_other_theme(world: World, theme: Any) -> None:
    assert get_refused_keys(await world.member.patch("/settings/theme", {"theme": theme})) == {"theme"}


async def test_e_mail_and_role_are_not_ones_own_to_change(world: World) -> None:
    for key, value in (("email", "new@example.test"), ("role", "SolutionArchitect"), ("avatarUrl", None)):
        assert get_refused_keys(await world.member.patch("/settings/profile", {key: value})) == {key}


async def handle_of(client: Client) -> Any:
    return (await client.get("/auth/me")).ok()["handle"]


async def test_a_handle_is_chosen_and_shown_wherever_people_are(world: World) -> None:
    assert await handle_of(world.member) == "mo-member"
    (await world.member.patch("/settings/profile", {"fullName": "Moira"})).ok()
    assert await handle_of(world.member) == "mo-member"  # mentions in texts stay readable
    assert (await world.member.patch("/settings/profile", {"handle": "mo"})).ok()["handle"] == "mo"
    (await world.member.patch("/settings/profile", {"handle": "mo"})).ok()  # one's own is free
    assert await handle_of(world.member) == "mo"
    board, bot = await world.board(), await world.agent()
    members = (await world.sa.get(world.sa.org("/members"))).ok()
    assert [row["handle"] for row in members] == ["ada-architect", "mo"]
    names = (await bot.get(world.sa.org("/members/mcp"))).ok()
    assert [row["handle"] for row in names] == ["ada-architect", "mo"]
    shown = (await world.sa.get(world.sa.org("/board"), params={"projectId": board.id})).ok()
    assert [person["handle"] for person in shown["people"]] == ["ada-architect", "mo"]


async def test_a_handle_belongs_to_one_account_of_the_whole_service(world: World) -> None:
    for taken in ("ada-architect", await handle_of(world.outsider)):
        (await world.member.patch("/settings/profile", {"handle": taken, "fullName": "X"})).refused(409, "handle_taken")
    assert await profile(world) == ("Mo Member", "UTC", "system")
    assert await handle_of(world.member) == "mo-member"


@pytest.mark.parametrize(
    "handle", ["", "a", "-a", "A1", "a_b", "ä1", "a b", "a1\n", "x" * 32, "me", "none", "all", "system", *NO_TEXT]
)
async def test_a_handle_is_short_plain_and_not_reserved(world: World, handle: Any) -> None:
    assert get_refused_keys(await world.member.patch("/settings/profile", {"handle": handle})) == {"handle"}
    assert await handle_of(world.member) == "mo-member"


@pytest.mark.parametrize("handle", ["a1", "0x", "a-", "x" * 31])
async def test_the_shortest_and_the_longest_handles_work(world: World, handle: str) -> None:
    assert (await world.member.patch("/settings/profile", {"handle": handle})).ok()["handle"] == handle
