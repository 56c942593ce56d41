"""Invitations: who has an account already joins by their own doing, with a code that an architect hands them."""

from typing import Any

import pytest

from ..bodies import NO_TEXT
from ..direct_db import rows
from ..streams import changes, position
from ..world import MEMBER, OUTSIDER, PASSWORD, SA, Client, World

ACCEPT = "/auth/invitations/accept"
DAY = 24 * 3600


async def invite(world: World, role: str = "Member", email: str = OUTSIDER, **more: Any) -> Any:
    return (await world.sa.post(world.sa.org("/members"), {"email": email, "role": role, **more})).ok()


async def accept(who: Client, code: str) -> Any:
    return await who.post(ACCEPT, {"code": code})


async def shown(world: World) -> list[Any]:
    listed: list[Any] = (await world.member.get(world.sa.org("/members"))).ok()
    return listed


async def test_whoever_made_the_account_first_gains_nothing_when_its_e_mail_is_added_elsewhere(world: World) -> None:
    squat = {"email": "victim@example.test", "role": "Member", "password": "known to the squatter"}
    (await world.outsider.post(world.outsider.org("/members"), squat)).ok()
    squatter = await world.login("victim@example.test", "known to the squatter")
    await invite(world, "SolutionArchitect", "victim@example.test")
    assert [row["id"] for row in (await squatter.get("/organizations")).ok()] == [world.outsider.org_id]
    (await squatter.get(world.sa.org())).refused(404, "not_found")
    (await squatter.post("/auth/switch", {"orgId": world.sa.org_id})).refused(400, "validation_failed")
    me = (await squatter.get("/auth/me")).ok()
    assert [membership["id"] for membership in me["organizations"]] == [world.outsider.org_id]


@pytest.mark.parametrize("email", [OUTSIDER, OUTSIDER.upper()])
async def test_an_e_mail_with_an_account_is_invited_with_a_code_that_is_shown_once(world: World, email: str) -> None:
    made = await invite(world, email=email, fullName="As the architect calls her")
    code = made.pop("invitationCode")
    assert set(made) == {"userId", "email", "fullName", "handle", "role", "state", "createdAt"}
    assert (made["email"], made["fullName"], made["role"], made["state"]) == (email, None, "Member", "invited")
    assert len(code) >= 43
    assert (await shown(world))[-1] == made
    (stored,) = await rows(world, "SELECT * FROM invitations")
    assert code not in str(stored)


async def test_somebody_invited_has_no_rights_until_they_accept(world: World) -> None:
    board = await world.board()
    await invite(world, "SolutionArchitect")
    for path in ("", "/cards", "/members", "/teams", "/events"):
        (await world.outsider.get(world.sa.org(path))).refused(404, "not_found")
    user_id = world.outsider.id
    card = {"projectId": board.id, "cardTypeId": board.card_type["id"], "title": "C", "assignedUserId": user_id}
    assert (await world.sa.post(world.sa.org("/cards"), card)).invalid() == ["assignedUserId"]
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "T"})).ok()
    assert (await world.sa.post(world.sa.org(f"/teams/{team['id']}/members"), {"userId": user_id})).invalid()
    (await world.sa.patch(world.sa.org(f"/members/{world.sa.id}"), {"role": "Member"})).refused(409, "last_sa")


async def test_with_the_code_the_person_joins_in_the_role_they_were_invited_to(world: World) -> None:
    made = await invite(world, "SolutionArchitect")
    (await world.outsider.get(world.sa.org())).refused(404, "not_found")  # which is remembered no longer than it holds
    joined = (await accept(world.outsider, made["invitationCode"])).ok()
    assert joined == {"orgId": world.sa.org_id, "title": "Home", "role": "SolutionArchitect"}
    (await world.outsider.patch(world.sa.org(), {"title": "Ours"})).ok()
    last = (await shown(world))[-1]
    assert (last["userId"], last["email"], last["fullName"]) == (world.outsider.id, OUTSIDER, "Oz Outsider")
    assert (last["role"], last["state"]) == ("SolutionArchitect", "active")
    (await world.nobody.post("/auth/login", {"email": OUTSIDER, "password": PASSWORD})).ok()


async def test_a_code_is_for_one_person_and_for_once(world: World) -> None:
    code = (await invite(world))["invitationCode"]
    (await accept(world.member, code)).refused(404, "not_found")
    (await accept(world.sa, code)).refused(404, "not_found")
    (await accept(world.nobody, code)).refused(401, "unauthorized")
    (await accept(world.outsider, code)).ok()
    assert (await accept(world.outsider, code)).refused(404, "not_found") == {"resource": "invitation"}


@pytest.mark.parametrize("code", ["x", "A" * 43, "A" * 200, "é"])
async def test_any_other_code_opens_nothing(world: World, code: str) -> None:
    await invite(world)
    (await accept(world.outsider, code)).refused(404, "not_found")


@pytest.mark.parametrize("code", [*NO_TEXT, "", "A" * 201])
async def test_a_code_is_a_text(world: World, code: Any) -> None:
    assert (await world.outsider.post(ACCEPT, {"code": code})).invalid() == ["code"]


async def test_a_code_holds_for_seven_days(world: World) -> None:
    assert world.clock is not None
    code = (await invite(world))["invitationCode"]
    world.clock.forward(7 * DAY - 60)
    world.sa, world.member, world.outsider = [await world.login(email) for email in (SA, MEMBER, OUTSIDER)]  # idle
    assert (await shown(world))[-1]["state"] == "invited"
    world.clock.forward(120)
    assert all(row["state"] == "active" for row in await shown(world))
    (await accept(world.outsider, code)).refused(404, "not_found")
    path = world.sa.org(f"/members/{world.outsider.id}")
    (await world.sa.patch(path, {"role": "Member"})).refused(404, "not_found")
    (await world.sa.delete(path)).refused(404, "not_found")
    (await accept(world.outsider, (await invite(world))["invitationCode"])).ok()


async def test_inviting_again_gives_a_new_code_and_ends_the_old(world: World) -> None:
    first, second = await invite(world), await invite(world, "SolutionArchitect")
    assert first["invitationCode"] != second["invitationCode"]
    assert [row["role"] for row in await shown(world) if row["state"] == "invited"] == ["SolutionArchitect"]
    (await accept(world.outsider, first["invitationCode"])).refused(404, "not_found")
    assert (await accept(world.outsider, second["invitationCode"])).ok()["role"] == "SolutionArchitect"


async def test_an_invitation_is_changed_and_taken_back_like_a_member(world: World) -> None:
    made = await invite(world)
    path = world.sa.org(f"/members/{made['userId']}")
    changed = (await world.sa.patch(path, {"role": "SolutionArchitect"})).ok()
    assert (changed["role"], changed["state"], changed["fullName"]) == ("SolutionArchitect", "invited", None)
    (await world.member.patch(path, {"role": "Member"})).refused(403, "sa_required")
    (await world.member.delete(path)).refused(403, "sa_required")
    assert (await world.sa.delete(path)).status == 204
    (await accept(world.outsider, made["invitationCode"])).refused(404, "not_found")
    assert all(row["state"] == "active" for row in await shown(world))


async def second_architect(world: World) -> Client:
    """Make the member a Solution Architect."""
    (await world.sa.patch(world.sa.org(f"/members/{world.member.id}"), {"role": "SolutionArchitect"})).ok()
    return world.member


async def invited_by(who: Client, role: str = "SolutionArchitect") -> str:
    """Return the code with which an architect invites the outsider to the SA's organization."""
    made = (await who.post(who.org("/members"), {"email": OUTSIDER, "role": role})).ok()
    return str(made["invitationCode"])


async def end_right(by: Client, way: str, of: Client) -> None:
    """Remove an architect from an organization, or make them a member."""
    path = by.org(f"/members/{of.id}")
    (await (by.delete(path) if way == "removed" else by.patch(path, {"role": "Member"}))).ok()


@pytest.mark.parametrize("way", ["removed", "demoted"])
@pytest.mark.parametrize("role", ["SolutionArchitect", "Member"])
async def test_an_invitation_ends_with_the_right_of_its_sender(world: World, way: str, role: str) -> None:
    code = await invited_by(await second_architect(world), role)
    await end_right(world.sa, way, world.member)
    assert all(row["state"] == "active" for row in (await world.sa.get(world.sa.org("/members"))).ok())
    (await accept(world.outsider, code)).refused(404, "not_found")
    if way == "removed":
        await world.join(world.sa, world.member, MEMBER)
    await second_architect(world)
    (await accept(world.outsider, code)).refused(404, "not_found")  # it does not return with the right
    (await world.outsider.get(world.sa.org())).refused(404, "not_found")


@pytest.mark.parametrize("way", ["removed", "demoted"])
async def test_an_invitation_of_another_architect_stays(world: World, way: str) -> None:
    await second_architect(world)
    code = await invited_by(world.sa)
    await end_right(world.sa, way, world.member)
    assert (await accept(world.outsider, code)).ok()["role"] == "SolutionArchitect"


@pytest.mark.parametrize("way", ["removed", "demoted"])
async def test_an_invitation_into_another_organization_stays(world: World, way: str) -> None:
    await world.join(world.sa, world.outsider, OUTSIDER, "SolutionArchitect")
    made = (await world.outsider.post(world.outsider.org("/members"), {"email": MEMBER, "role": "Member"})).ok()
    await end_right(world.sa, way, world.outsider)
    assert (await accept(world.member, made["invitationCode"])).ok()["orgId"] == world.outsider.org_id


async def test_an_invitation_is_that_of_the_architect_who_sent_or_changed_it_last(world: World) -> None:
    async def is_open_after_demotion() -> bool:
        await end_right(world.sa, "demoted", world.member)
        is_open = "invited" in [row["state"] for row in await shown(world)]
        await second_architect(world)
        return is_open

    path = world.sa.org(f"/members/{world.outsider.id}")
    await invited_by(await second_architect(world))
    await invited_by(world.sa)
    assert await is_open_after_demotion()
    (await world.member.patch(path, {"role": "SolutionArchitect"})).ok()  # the role that it has
    assert await is_open_after_demotion()
    (await world.member.patch(path, {"role": "Member"})).ok()
    assert not await is_open_after_demotion()


async def test_an_invitation_stays_if_its_sender_keeps_the_role(world: World) -> None:
    code = await invited_by(await second_architect(world))
    await second_architect(world)
    (await accept(world.outsider, code)).ok()


async def test_an_invitation_into_an_organization_that_is_archived_waits_until_it_is_back(world: World) -> None:
    code = (await invite(world))["invitationCode"]
    (await world.sa.delete(world.sa.org())).ok()
    (await accept(world.outsider, code)).refused(404, "not_found")
    (await world.sa.post(f"/archive/organization/{world.sa.org_id}/restore")).ok()
    (await accept(world.outsider, code)).ok()


async def test_no_password_is_set_for_an_account_that_is_there(world: World) -> None:
    body = {"email": OUTSIDER, "role": "Member", "password": "another password"}
    answer = await world.sa.post(world.sa.org("/members"), body)
    answer.refused(409, "email_exists")
    assert "password" in answer.body["error"]["message"]
    (await world.nobody.post("/auth/login", {"email": OUTSIDER, "password": "another password"})).refused(
        401, "invalid_credentials"
    )
    assert all(row["state"] == "active" for row in await shown(world))


async def test_members_are_not_invited(world: World) -> None:
    (await world.sa.post(world.sa.org("/members"), {"email": SA, "role": "Member"})).refused(409, "email_exists")


async def test_invitations_and_arrivals_are_told(world: World) -> None:
    start = await position(world.sa)
    code = (await invite(world))["invitationCode"]
    (await accept(world.outsider, code)).ok()
    told = (await changes(world.sa, since=start))["items"]
    assert [event["type"] for event in told] == ["member.invited", "member.joined"]
    labels = [event["actor"]["label"] for event in told]
    assert labels == ["Ada Architect", "Oz Outsider"]


async def test_an_export_tells_of_no_invitation(world: World) -> None:
    await invite(world)
    document = (await world.sa.get("/admin/export")).ok()
    assert OUTSIDER not in str(document)
