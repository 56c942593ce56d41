"""Names that every object of a browser has, such as constructor, are names like any others on every screen."""

import contextlib
from collections.abc import AsyncIterator
from typing import Any

import pytest
import pytest_asyncio
from playwright.async_api import Browser, Page, expect

from ..snapshots import META
from ..snapshots import send as send_snapshot
from ..world import Client, World
from .boards import card, column, wait_until_ready
from .browser import visiting

pytestmark = pytest.mark.asyncio(loop_scope="session")
NAMES = ["constructor", "toString", "valueOf", "hasOwnProperty", "isPrototypeOf", "__proto__", "__defineGetter__"]
IDS = [name for name in NAMES if name[0] != "_"]  # what an imported thing may be called
ORG = "org_inherited"


def _fields() -> list[dict[str, Any]]:
    """Make a field of each kind, some called by inherited names, with inherited names as options."""
    kinds = ["multiselect", "select", "text", "url", "number", "date", "checkbox", "richtext", "user", "agent"]
    shown = {"cardTypeId": "constructor", "showOnCard": True}
    return [
        {
            **shown,
            "id": IDS[at] if at < len(IDS) else f"f_{kind}",
            "name": IDS[at] if at < len(IDS) else kind,
            "label": NAMES[at % len(NAMES)],
            "kind": kind,
            "options": NAMES if kind in ("multiselect", "select") else [],
            "order": at,
        }
        for at, kind in enumerate(kinds)
    ]


def _cards() -> list[dict[str, Any]]:
    """Make a card of each name, with values of that name."""
    where = {"columnId": "constructor", "cardTypeId": "constructor"}
    cards = []
    for at, name in enumerate(NAMES):
        values = [
            {"fieldId": IDS[0], "value": [name]},
            {"fieldId": IDS[1], "value": name},
            {"fieldId": IDS[2], "value": name},
            {"fieldId": "f_richtext", "value": f"{name} &{name}; @{name} CTOR-1 #{name}"},
        ]
        card_id = IDS[at] if at < len(IDS) else f"c_{at}"
        cards.append({**where, "id": card_id, "title": name, "fieldValues": values, "assignedAgentId": "constructor"})
    return cards


def _snapshot() -> dict[str, Any]:
    history = [
        {
            "id": f"his_{at}",
            "cardId": "constructor",
            "actor": {"type": "Agent", "id": "constructor", "label": name},
            "action": "updated",
            "changes": {name: {"from": None, "to": name}, f"fieldValues.{name}": {"from": None, "to": name}},
            "createdAt": "2026-11-20T09:05:00.000Z",
        }
        for at, name in enumerate(NAMES)
    ]
    columns = [
        {"id": name, "projectId": "constructor", "title": title, "order": at}
        for at, (name, title) in enumerate(zip(IDS[:3], NAMES, strict=False))
    ]
    agents = [{"id": name, "title": name, "status": "approved"} for name in IDS]
    comments = [
        {"id": "cmt_1", "cardId": "constructor", "content": "@constructor toString", "actor": history[0]["actor"]}
    ]
    return {
        "meta": META,
        "organization": {"id": ORG, "title": "constructor", "color": "#123456"},
        "projects": [{"id": "constructor", "title": "constructor", "key": "CTOR"}],
        "agents": agents,
        "columns": columns,
        "cardTypes": [{"id": "constructor", "title": "constructor"}],
        "fields": _fields(),
        "cards": _cards(),
        "history": history,
        "comments": comments,
    }


@pytest_asyncio.fixture(scope="module", loop_scope="session")
async def named(site: World) -> Client:
    """Provide an architect of an organization in which everything has an inherited name."""
    (await send_snapshot(site.sa, _snapshot())).ok()
    answer = (await site.sa.post("/auth/switch", {"orgId": ORG})).ok()
    sa = site.client({"Authorization": f"Bearer {answer['token']}"}, id=site.sa.id, org_id=ORG)
    (await sa.post(sa.org("/transitions"), {"fromColumnId": "constructor", "toColumnId": "toString"})).ok()
    (await sa.post("/mcp-servers", {"name": "constructor", "transport": "stdio", "command": "x", "env": _env()})).ok()
    (await sa.patch("/settings/profile", {"handle": "tolocalestring"})).ok()
    return sa


def _env() -> dict[str, str]:
    return dict.fromkeys(NAMES, "a value")


@contextlib.asynccontextmanager
async def _visit(browser: Browser, site: World, named: Client) -> AsyncIterator[Page]:
    async with visiting(browser, site, named) as page:
        yield page


async def test_a_board_shows_cards_whose_labels_have_such_names(browser: Browser, site: World, named: Client) -> None:
    async with _visit(browser, site, named) as page:
        await page.goto("/b/constructor")
        await wait_until_ready(page)
        for title in NAMES[:3]:
            await expect(column(page, title)).to_be_visible()
        for name in NAMES:
            tile = card(page, name)
            await expect(tile.locator(".tags .tag")).to_have_text([name])
            await expect(tile.locator(".values")).to_contain_text(name)
            assert await tile.locator(".tags .tag").get_attribute("style") is None  # no color


async def test_such_a_label_gets_a_color_and_is_taken_off(browser: Browser, site: World, named: Client) -> None:
    async with _visit(browser, site, named) as page:
        await page.goto("/b/constructor")
        await wait_until_ready(page)
        for name in ("constructor", "__proto__"):
            await card(page, name).locator("a.name").focus()
            await page.keyboard.press("l")
            menu = page.get_by_role("dialog", name="Labels", exact=True)
            await menu.get_by_role("combobox").fill(name)
            await expect(menu.get_by_role("option", name=name, exact=True)).to_have_attribute("aria-selected", "true")
            for labels in ([], [name]):
                async with page.expect_response(lambda answer: answer.request.method == "PATCH"):
                    await page.keyboard.press("Enter")
                await expect(card(page, name).locator(".tags .tag")).to_have_text(labels)
            await page.keyboard.press("Escape")


async def test_every_such_card_opens_with_its_values_and_history(browser: Browser, site: World, named: Client) -> None:
    async with _visit(browser, site, named) as page:
        for number, name in enumerate(NAMES, 1):
            await page.goto(f"/b/constructor/c/CTOR-{number}")
            dialog = page.get_by_role("dialog")
            await expect(dialog.get_by_role("heading", name=name, level=2)).to_be_visible()
            await expect(dialog.locator(".tags .tag").first).to_have_text(name)
            text = name.strip("_")  # __name__ is strong in Markdown
            await expect(dialog.locator(".prose").first).to_contain_text(f"{text} &{text};")
        await page.goto("/b/constructor/c/CTOR-1")
        history = page.get_by_role("dialog").locator(".history")
        for name in NAMES:
            await expect(history).to_contain_text(name)
        await expect(history).not_to_contain_text("native code")


async def test_filters_and_queries_take_such_names(browser: Browser, site: World, named: Client) -> None:
    async with _visit(browser, site, named) as page:
        for query in (
            "?constructor=1&toString=x&__proto__=y",
            "?priority=constructor",
            "?due=constructor",
            "?due=__proto__..toString",
            "?updatedSince=constructor",
            "?assignedUserId=valueOf",
            "?type=constructor&prio=toString&who=valueOf",
            "?field=constructor:toString&field=__proto__:valueOf&field=toString",
        ):
            await page.goto(f"/b/constructor{query}")
            await wait_until_ready(page)
            await expect(page.get_by_role("main")).not_to_contain_text("native code")
        await page.goto("/b/constructor?field=constructor:toString")
        await wait_until_ready(page)
        await expect(page.locator("li.card")).to_have_count(1)
        await page.get_by_role("button", name="Filter", exact=False).first.click()
        await expect(page.get_by_role("dialog").or_(page.get_by_role("menu")).first).to_contain_text("hasOwnProperty")


SCREENS = {
    "/": "Home",
    "/my-cards": "My cards",
    "/search?q=constructor": "Search",
    "/search?q=constructor&field=constructor:valueOf&projectId=toString": "Search",
    "/reports": "Reports",
    "/reports?project=constructor&days=valueOf": "Reports",
    "/archive": "Archive",
    "/agents": "Agents",
    "/agents/constructor": "Agent",
    "/agents/toString": "Agent",
    "/b/constructor/design": "Board settings",
    "/settings/members": "Members",
    "/settings/permissions": "Permissions",
    "/settings/keys": "API keys",
    "/settings/tools": "Tool servers",
    "/settings/prompts": "Prompts",
    "/settings/webhooks": "Webhooks",
    "/settings/data": "Data",
    "/me": "You",
}


@pytest.mark.parametrize("address", SCREENS)
async def test_each_screen_shows_such_names(browser: Browser, site: World, named: Client, address: str) -> None:
    async with _visit(browser, site, named) as page:
        await page.goto(address)
        await expect(page.get_by_role("heading", name=SCREENS[address], level=1)).to_be_visible()
        main = page.get_by_role("main")
        await expect(main).not_to_contain_text("Loading")
        await page.wait_for_timeout(300)  # what a screen shows besides
        await expect(main).not_to_contain_text("cannot be shown")
        await expect(main).not_to_contain_text("native code")
        if address.startswith("/search?q=constructor&"):
            await expect(main).not_to_contain_text("Loading")
        elif address.startswith("/search"):
            await expect(main.locator("li.item").first).to_contain_text("constructor")


async def test_environment_variables_of_such_names_are_kept(browser: Browser, site: World, named: Client) -> None:
    async with _visit(browser, site, named) as page:
        await page.goto("/settings/tools")
        await page.get_by_role("button", name="Edit constructor", exact=True).click()
        lines = page.get_by_label("Environment variables")
        assert (await lines.input_value()).split("\n") == [f"{name}=" for name in NAMES]
        await lines.fill("\n".join(f"{name}=new" for name in NAMES))
        async with page.expect_request("**/mcp-servers/*") as sent:
            await page.get_by_role("button", name="Save").click()
        request = await sent.value
        assert request.method == "PATCH"
        assert request.post_data_json["env"] == dict.fromkeys(NAMES, "new")


async def test_colors_of_such_options_are_kept(browser: Browser, site: World, named: Client) -> None:
    async with _visit(browser, site, named) as page:
        await page.goto("/b/constructor/design")
        await page.get_by_role("button", name="Colours constructor", exact=True).first.click()
        for name in NAMES:
            await page.get_by_label(f"Colour of {name}", exact=True).select_option("Red")
        await page.get_by_role("button", name="Save").click()
        await expect(page.get_by_role("dialog")).to_have_count(0)
        await page.goto("/b/constructor")
        await wait_until_ready(page)
        for name in NAMES:
            style = await card(page, name).locator(".tags .tag").get_attribute("style")
            assert style is not None
            assert "rgb(197, 48, 48)" in style
