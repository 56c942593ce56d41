"""The onboarding document of a team: public, as long as the team and its organization are there."""

import pytest

from ..world import World


async def test_anybody_reads_name_and_document_and_nothing_else(world: World) -> None:
    body = {"name": "Night shift", "onboardingDoc": "# Welcome\n\nRegister with your key."}
    team = (await world.sa.post(world.sa.org("/teams"), body)).ok()
    for who in (world.nobody, world.outsider, await world.key(world.outsider)):
        assert (await who.get(f"/teams/{team['id']}/onboarding")).ok() == body


async def test_an_invalid_credential_does_not_matter_on_a_public_route(world: World) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    for header in ("Bearer nonsense", "ApiKey nonsense", "é", ""):
        guest = world.client({"Authorization": header})
        shown = (await guest.get(f"/teams/{team['id']}/onboarding")).ok()
        assert shown == {"name": "Team", "onboardingDoc": None}


async def test_pending_agents_read_the_onboarding_document(world: World) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    agent = await world.agent(approve=False)
    (await agent.get(f"/teams/{team['id']}/onboarding")).ok()


async def test_a_change_is_seen_at_once(world: World) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team", "onboardingDoc": "Old"})).ok()
    path = f"/teams/{team['id']}/onboarding"
    (await world.nobody.get(path)).ok()
    (await world.sa.patch(world.sa.org(path), {"content": "New"})).ok()
    assert (await world.nobody.get(path)).ok()["onboardingDoc"] == "New"


@pytest.mark.parametrize("mode", ["archive", "permanent"])
async def test_the_document_of_a_team_that_is_gone_is_gone(world: World, mode: str) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    (await world.sa.delete(world.sa.org(f"/teams/{team['id']}?mode={mode}"))).ok()
    (await world.nobody.get(f"/teams/{team['id']}/onboarding")).refused(404, "not_found")


@pytest.mark.parametrize("mode", ["archive", "permanent"])
async def test_the_document_of_an_organization_that_is_gone_is_gone(world: World, mode: str) -> None:
    team = (await world.sa.post(world.sa.org("/teams"), {"name": "Team"})).ok()
    (await world.sa.delete(world.sa.org(f"?mode={mode}"))).ok()
    (await world.nobody.get(f"/teams/{team['id']}/onboarding")).refused(404, "not_found")


async def test_there_is_no_document_of_a_team_that_never_was(world: World) -> None:
    for team_id in ("team_nothing", "%00", "x" * 300):
        assert (await world.nobody.get(f"/teams/{team_id}/onboarding")).refused(404, "not_found") == {
            "resource": "team"
        }
