"""Errors that an agent meets: each names the tool that leads on."""

from ..world import Board, World
from .scripted_agent import Figures, ScriptedAgent, over_http


async def require_way(agent: ScriptedAgent, code: str, way: str, tool: str, /, **arguments: object) -> None:
    """Fail the test unless a call fails with a code, and the message names the tool that leads on."""
    agent.heard.append(str(arguments))  # here it is not the agent that decides
    failed, error = await agent.call(tool, **arguments)
    assert failed, (code, error)
    assert error["code"] == code
    assert way in agent.find_named_tools(error["message"]), error["message"]


async def spoil(world: World, board: Board) -> None:
    """Make the board refuse what an agent does with BOA-1, which depends on BOA-2."""
    first, second = await world.card(board, title="First"), await world.card(board, title="Second")
    await world.card(board, "Review", title="Reviewed")
    await world.card(board, "Backlog", title="Planned")
    archived = await world.card(board, title="Archived")
    (await world.sa.delete(f"/cards/{archived['id']}")).ok()
    relation = {"fromCardId": first["id"], "toCardId": second["id"], "kind": "dependsOn"}
    (await world.sa.post(world.sa.org("/relationships"), relation)).ok()
    await world.column(board, "In Progress", rejectsBlocked=True)
    await world.column(board, "Done", wipLimit=1)
    await world.card(board, "Done", title="Finished")
    await world.edge(board, "Todo", "Done")
    await world.edge(board, "Todo", "Review", requiresApproval=True)


async def test_the_error_of_each_refusal_names_the_tool_that_leads_on(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    await spoil(world, board)
    async with over_http(bot, Figures()) as agent:
        card = {"card": "BOA-1"}
        await require_way(agent, "card_blocked", "claim", "move_card", **card, to="In Progress")
        await require_way(agent, "wip_limit_reached", "claim_next", "move_card", card="BOA-2", to="Done")
        await require_way(agent, "approval_required", "request_move", "move_card", **card, to="Review")
        await require_way(agent, "agent_cannot_moderate", "ask", "update_card", card="BOA-3", title="New")
        await require_way(agent, "agent_pickup_disabled", "claim_next", "update_card", card="BOA-4", title="New")
        await require_way(agent, "archived_parent", "claim_next", "comment", card="BOA-5", content="Words")
        relation = {"kind": "dependsOn", "other": "BOA-2"}
        await require_way(agent, "relationship_exists", "get_card", "relate", **card, **relation)
        file = {"field": "description", "name": "a.txt", "text": "Words"}
        await require_way(agent, "not_a_file_field", "get_card", "attach_file", **card, **file)


async def test_an_error_of_a_switched_off_or_exhausted_feature_names_another_way(world: World) -> None:
    assert world.service is not None
    board, bot = await world.board(), await world.agent()
    await world.card(board)
    file = {"card": "BOA-1", "field": "attachments", "name": "a.txt", "text": "Words"}
    async with over_http(bot, Figures()) as agent:
        settings = world.service.settings
        world.service.settings = settings.model_copy(update={"files_quota_bytes": 1})
        await require_way(agent, "quota_exceeded", "update_card", "attach_file", **file)
        world.service.settings = settings
        path = world.sa.org(f"/card-types/{board.card_type['id']}")
        (await world.sa.patch(path, {"commentsEnabled": False, "filesEnabled": False})).ok()
        await require_way(agent, "comments_disabled", "update_card", "comment", card="BOA-1", content="Words")
        await require_way(agent, "files_disabled", "update_card", "attach_file", **file)
        for (origin, _), transition_id in board.transitions.items():
            if origin == "Todo":
                (await world.sa.delete(world.sa.org(f"/transitions/{transition_id}"))).ok()
        await require_way(agent, "transition_not_allowed", "ask", "move_card", card="BOA-1", to="Done")
        (await world.sa.patch("/agents/bot/stop")).ok()
        await require_way(agent, "agent_stopped", "whoami", "comment", card="BOA-1", content="Words")
