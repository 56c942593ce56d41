"""Search: full text over titles, field values and comments, best first."""
# ruff: noqa: RUF001 (letters that look like others are what is compared)

import asyncio
import time
import unicodedata
from typing import Any

import pytest

from service.database import readers
from service.database.statement import Statement
from service.resources.search import card_texts, search

from ...builders import permit
from ...world import Client, World

ENDLESS = Statement(
    "endless", "WITH RECURSIVE n (i) AS (SELECT 1 UNION ALL SELECT 1 FROM n) SELECT i FROM n WHERE i < 0"
)


@pytest.fixture(autouse=True, params=[card_texts.ROW_CHARACTERS_MAX, 1], ids=["small cards", "large cards"])
def _row_characters(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    """Run each test with texts in one row for each card, and with a row for each text: both find the same."""
    monkeypatch.setattr(card_texts, "ROW_CHARACTERS_MAX", request.param)


async def found(who: Client, q: str, **query: Any) -> Any:
    """Search the organization of somebody."""
    path = who.org("/search/mcp" if "ApiKey" in who.headers["Authorization"] else "/search")
    return (await who.get(path, params={"q": q, **query})).ok()


async def titles(who: Client, q: str, **query: Any) -> list[str]:
    """Return the titles of the cards that a search finds."""
    return [item["title"] for item in (await found(who, q, **query))["items"]]


async def comment(world: World, card: Any, content: str) -> Any:
    return (await world.sa.post(f"/cards/{card['id']}/comments", {"content": content})).ok()


async def test_a_card_is_found_by_title_field_value_comment_and_reply(world: World) -> None:
    board = await world.board()
    notes = await world.field(board, "notes", "richtext")
    titled = await world.card(board, title="Rewire the harbour light")
    valued = await world.card(board, title="V", fieldValues=[{"fieldId": notes, "value": "about the harbour wall"}])
    talked = await world.card(board, title="T")
    first = await comment(world, talked, "Nothing here")
    path = f"/cards/{talked['id']}/comments/{first['id']}/replies"
    reply = (await world.sa.post(path, {"content": "The harbour is closed"})).ok()
    await world.card(board, title="Something else")
    answer = await found(world.member, "harbour")
    assert {key: answer[key] for key in ("page", "pageSize", "total")} == {"page": 1, "pageSize": 20, "total": 3}
    place = {"projectId": board.id, "columnId": board.columns["Todo"]}
    place |= {"projectTitle": "Board", "columnTitle": "Todo"}
    snippets: list[Any] = [
        (titled, {"source": "title", "text": "Rewire the harbour light", "hits": [[11, 18]]}),
        (valued, {"source": "field", "fieldId": notes, "text": "about the harbour wall", "hits": [[10, 17]]}),
        (talked, {"source": "comment", "commentId": reply["id"], "text": "The harbour is closed", "hits": [[4, 11]]}),
    ]
    blank = {"fieldId": None, "commentId": None}
    place["matchesFilters"] = True
    assert answer["items"] == [
        {"cardId": card["id"], "cardKey": card["key"], **place, "title": card["title"], "snippets": [blank | snippet]}
        for card, snippet in snippets
    ]


async def test_titles_come_before_field_values_and_those_before_comments_newest_first(world: World) -> None:
    board = await world.board()
    notes = await world.field(board, "notes")
    for place in ("title", "comment", "value", "value", "comment", "title"):
        count = len(await titles(world.sa, "card", pageSize=100))
        card = await world.card(
            board,
            title=f"Card {place} {count}" + (" lantern" if place == "title" else ""),
            fieldValues=[{"fieldId": notes, "value": "A lantern."}] if place == "value" else [],
        )
        if place == "comment":
            await comment(world, card, "lantern lantern lantern")
    expected = [f"Card {name}" for name in ("title 5 lantern", "title 0 lantern", "value 3", "value 2", "comment 4")]
    assert await titles(world.sa, "lantern") == [*expected, "Card comment 1"]
    pages = [await titles(world.sa, "lantern", page=page, pageSize=1) for page in range(1, 8)]
    assert pages == [[title] for title in (*expected, "Card comment 1")] + [[]]
    two = [await titles(world.sa, "lantern", page=page, pageSize=4) for page in (1, 2, 3)]
    assert two == [expected[:4], [*expected[4:], "Card comment 1"], []]
    assert (await found(world.sa, "lantern", page=9))["total"] == 6


async def test_all_words_count_wherever_they_stand_on_the_card(world: World) -> None:
    board = await world.board()
    card = await world.card(board, title="Paint the fence")
    await comment(world, card, "Green, said the neighbour")
    await world.card(board, title="Paint it green")
    await world.card(board, title="Paint the town")
    assert await titles(world.sa, "green paint") == ["Paint it green", "Paint the fence"]
    assert await titles(world.sa, "neighbour fence green") == ["Paint the fence"]
    assert await titles(world.sa, "neighbour town") == []


async def test_quotes_make_a_phrase_and_other_words_may_be_unfinished(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Board the night train")
    await world.card(board, title="Train the board at night")
    assert len(await titles(world.sa, "night train")) == 2
    assert await titles(world.sa, '"night train"') == ["Board the night train"]
    assert await titles(world.sa, 'board "night train') == ["Board the night train"]
    assert len(await titles(world.sa, "night boa")) == 2
    assert len(await titles(world.sa, "boa nigh")) == len(await titles(world.sa, "boa ")) == 2
    for finished in ('"boa"', "b", "oard"):
        assert await titles(world.sa, finished) == []
    assert await titles(world.sa, "night-train") == ["Board the night train"]


async def test_of_many_words_the_longest_are_searched_and_the_answer_says_which_are_not(world: World) -> None:
    words = [f"word{letter}{letter * number}" for number, letter in enumerate("abcdefghij")]
    await world.card(await world.board(), title=" ".join(words))

    async def find(*more: str) -> Any:
        return (await world.sa.get(world.sa.org("/search"), params={"q": " ".join([*more, *words])})).ok()

    assert set(found := await find()) == {"items", "page", "pageSize", "total"}
    assert found["total"] == 1
    assert (await find("worda", "WORDA", "wórda"))["total"] == 1  # the same word
    left = await find("cat", '"a b"', "longest-of-all-these")
    assert (left["total"], left["ignored"]) == (0, ["cat", "a b", "worda"])
    assert [item["title"] for item in (await find("cat", "dog"))["items"]] == [" ".join(words)]
    assert (await find("cat", "dog"))["ignored"] == ["cat", "dog"]


async def test_a_search_has_one_second(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    def search_for_ever(call: Any, *_: Any) -> Any:
        call.tx.value(ENDLESS)

    monkeypatch.setattr(search, "_find_page", search_for_ever)
    began = time.monotonic()
    answer = await world.sa.get(world.sa.org("/search"), params={"q": "word"})
    answer.refused(503, "too_expensive")
    assert "search for longer or for fewer words" in answer.body["error"]["message"]
    assert 0.9 < time.monotonic() - began < readers.SHORT.seconds_max


async def test_a_plural_finds_the_singular_and_the_reverse(world: World) -> None:
    board = await world.board()
    for title in ("Policy of a box", "Policies of boxes", "News of the bus"):
        await world.card(board, title=title)
    for word in ("policy", "policies", "box", "boxes"):
        assert await titles(world.sa, word) == ["Policies of boxes", "Policy of a box"], word
    assert await titles(world.sa, '"boxes"') == ["Policies of boxes"]
    assert await titles(world.sa, "buses") == ["News of the bus"]
    assert await titles(world.sa, "bu") == ["News of the bus"]


async def test_words_are_compared_as_names_are_and_hits_are_where_they_stand(world: World) -> None:
    board = await world.board()
    for folded, written in (
        ("Lodz", "Łódź"), ("strasse", "Straße"), ("smorrebrod", "smørrebrød"), ("oeuvre", "Œuvre"),
        ("file", "ﬁle"), ("isik", "ışık"), ("ガス", "ｶﾞｽ"), ("한글", "한글"),
    ):  # fmt: skip
        card = await world.card(board, title=f"{folded[:1]}")
        await comment(world, card, f"🧭 ½ — “{written}”–{written}, nothing else")
        (item,) = (await found(world.sa, f'"{folded}"'))["items"]
        (snippet,) = item["snippets"]
        hits = [snippet["text"][start:end] for start, end in snippet["hits"]]
        assert hits == [unicodedata.normalize("NFC", written)] * 2 or hits == [written] * 2, (folded, hits)


async def test_case_and_accents_do_not_matter(world: World) -> None:
    board = await world.board()
    await world.card(board, title="Größe der Café-Stühle")
    await world.card(board, title="Ελληνικά και Русский")
    await world.card(board, title="東京の地図 を作る")
    for word in (
        "größe",
        "GRÖẞE",
        "groß",
        "cafe",
        "CAFÉ",
        "stuhle",
        "ΕΛΛΗΝΙΚΆ",
        "РУССКИЙ",
        "東京",
        "東京の地図",
        "grosse",
    ):
        assert (word, len(await titles(world.sa, word))) == (word, 1)


ALONE = (  # what finds the card, since the rest of it means nothing
    "^needle", "needle*", "-needle", "(needle", "needle)", "needle + +", "needle\u202e", "🧭 needle",
    "needle \\", '"needle" "', "a\u0301",
)  # fmt: skip


@pytest.mark.parametrize(
    "q",
    [
        '"', '""', "*", "^needle", "needle*", "-needle", "NOT needle", "needle AND", "OR needle", "NEAR(needle)",
        "title:needle", "{title} : needle", "(needle", "needle)", "needle + +", "sources : needle", "'; DROP TABLE x",
        "needle\u202e", "🧭 needle", "🧭", "...", "\ud83e", "\ue000\ue001\ue002", "a\u0301",
        "needle \\", "%", "_", "nee%dle", " ".join("abcdefghij" * 10), "(" * 200, '"needle" "', "\u0628 needle",
    ],
)  # fmt: skip
async def test_no_text_of_a_query_is_interpreted_as_search_syntax(world: World, q: str) -> None:
    board = await world.board()
    await world.card(board, title="A needle in the haystack")
    answer = await world.sa.get(
        world.sa.org("/search"), params={"q": q.encode("utf-8", "surrogatepass").decode("utf-8", "replace")}
    )
    assert answer.ok()["total"] == (1 if q in ALONE else 0)


@pytest.mark.parametrize(
    "query",
    [
        {},
        {"q": ""},
        {"q": "x" * 201},
        {"q": "x" * 10_000},
        {"q": "x", "page": "0"},
        {"q": "x", "limit": "5"},
        {"q": "x\0"},
    ],
)
async def test_a_search_that_is_none_is_refused(world: World, query: dict[str, str]) -> None:
    assert (await world.sa.get(world.sa.org("/search"), params=query)).invalid()


async def test_pages_end_with_the_20_000th_card(world: World) -> None:
    path, last = world.sa.org("/search"), {"q": "x", "page": "1000"}
    assert (await world.sa.get(path, params=last)).ok()["items"] == []
    beyond = [{**last, "page": "1001"}, {**last, "page": "201", "pageSize": "100"}, {**last, "page": str(2**31)}]
    for query in beyond:
        assert (await world.sa.get(path, params=query)).invalid() == ["page"]


async def test_only_active_cards_of_active_projects_of_this_organization_are_found(world: World) -> None:
    board, theirs = await world.board(), await world.board(world.outsider)
    await world.card(theirs, by=world.outsider, title="walnut of others")
    card, _ = await world.card(board, title="walnut"), await world.card(board, title="walnut too")
    assert (await found(world.sa, "walnut"))["total"] == 2
    assert await titles(world.outsider, "walnut") == ["walnut of others"]
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert await titles(world.sa, "walnut") == ["walnut too"]
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    assert (await found(world.sa, "walnut"))["total"] == 2
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    assert (await found(world.sa, "walnut"))["total"] == 0
    (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()
    assert (await found(world.sa, "walnut"))["total"] == 2
    (await world.sa.delete(f"/cards/{card['id']}", params={"mode": "permanent"})).ok()
    assert await titles(world.sa, "walnut") == ["walnut too"]


async def test_a_restored_project_brings_no_card_back_into_the_search_that_was_archived_by_itself(world: World) -> None:
    board = await world.board()
    alone, _ = await world.card(board, title="walnut"), await world.card(board, title="walnut too")
    assert (await found(world.sa, "walnut"))["total"] == 2
    (await world.sa.delete(f"/cards/{alone['id']}")).ok()
    (await world.sa.delete(world.sa.org(f"/projects/{board.id}"))).ok()
    (await world.sa.post(f"/archive/project/{board.id}/restore")).ok()
    assert await titles(world.sa, "walnut") == ["walnut too"]


async def test_project_id_narrows_the_search(world: World) -> None:
    first, second = await world.board(), await world.board(title="Second")
    for board, count in ((first, 3), (second, 2)):
        for _ in range(count):
            await world.card(board, title="quarry")
    assert [(await found(world.sa, "quarry", projectId=board.id))["total"] for board in (first, second)] == [3, 2]
    theirs = await world.board(world.outsider)
    unknown = await world.sa.get(world.sa.org("/search"), params={"q": "quarry", "projectId": theirs.id})
    assert unknown.invalid() == ["projectId"]


async def _filtered(who: Client, path: str, filters: list[tuple[str, str]]) -> list[str]:
    """Return the titles of all cards that filters leave, page by page."""
    titles: list[str] = []
    for page in range(1, 9):
        params = [*filters, ("page", str(page)), ("pageSize", "2")]
        answer = (await who.get(who.org(path), params=params)).ok()
        titles += [item["title"] for item in answer["items"]]
    assert len(titles) == answer["total"]
    return sorted(titles)


async def test_each_filter_finds_the_cards_that_a_list_has(world: World) -> None:
    board, other = await world.board(), await world.board(title="Second")
    agent = await world.agent()
    bug = (await world.sa.post(world.sa.org("/card-types"), {"title": "Bug"})).ok()
    await world.column(board, "Todo", agentPickupEnabled=True)
    await world.card(board, title="Old quarry", dueDate="2020-01-01", assignedUserId=world.sa.id, priority="urgent")
    world.clock.forward(7200)
    tags = [{"fieldId": board.field("tags"), "value": ["Größe"]}]
    claimed = await world.card(board, title="Claimed quarry", priority="high", fieldValues=tags)
    (await agent.post(f"/cards/{claimed['id']}/claim/mcp", {})).ok()
    await comment(
        world, await world.card(board, "Done", title="T", assignedAgentId="bot", dueDate="2020-01-01"), "quarry"
    )
    await world.card(other, title="Quarry there", cardTypeId=bug["id"], assignedUserId=world.member.id)
    gone = await world.card(board, title="Gone quarry", priority="high")
    (await world.sa.delete(f"/cards/{gone['id']}")).ok()
    cases: list[tuple[list[tuple[str, str]], int]] = [
        ([("assignedUserId", "me"), ("assignedUserId", world.member.id)], 2),
        ([("assignedUserId", "none")], 2),
        ([("assignedAgentId", "bot")], 1),
        ([("assignedAgentId", "none"), ("assignedUserId", "none")], 1),
        ([("cardTypeId", bug["id"])], 1),
        ([("columnId", board.columns["Todo"]), ("columnId", other.columns["Todo"])], 3),
        ([("projectId", board.id), ("projectId", other.id)], 4),
        ([("projectId", other.id), ("priority", "high")], 0),
        ([("claimedBy", "bot")], 1),
        ([("priority", "high"), ("priority", "urgent")], 2),
        ([("field", "TAGS:grosse")], 1),
        ([("field", "tags:nothing")], 0),
        ([("due", "overdue")], 1),
        ([("due", "none"), ("due", "2020-01-01..2020-01-02")], 4),
        ([("due", "none"), ("updatedSince", "1h")], 2),
        ([("updatedSince", "1h")], 3),
    ]
    for filters, count in cases:
        found_titles = await _filtered(world.sa, "/search", [("q", "quarry"), *filters])
        assert found_titles == await _filtered(world.sa, "/cards", filters), filters
        assert len(found_titles) == count, filters
    assert await _filtered(agent, "/search/mcp", [("q", "quarry"), ("assignedAgentId", "me")]) == ["T"]
    assert await _filtered(world.sa, "/search", [("q", "old quarry"), ("priority", "high")]) == []


async def test_filters_leave_the_same_cards_on_pages_across_groups(world: World) -> None:
    boards = [await world.board(), await world.board(title="Second")]
    for board in boards:
        for priority in ("high", "low"):
            for title in ("quarry", "quarry", "T", "T"):
                card = await world.card(board, title=f"{title} {board.id} {priority}", priority=priority)
                await comment(world, card, "In the quarry")
    for filters in ([("projectId", boards[0].id)], [("priority", "high")]):
        listed = await _filtered(world.sa, "/cards", filters)
        assert len(listed) == 8
        assert await _filtered(world.sa, "/search", [("q", "quarry"), *filters]) == listed


async def test_a_filter_may_leave_any_number_of_cards(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    board = await world.board()
    place = {"projectId": board.id, "columnId": board.columns["Todo"], "cardTypeId": board.card_type["id"]}
    items = [{"title": f"Quarry {count}", "priority": "low" if count % 8 else "high", **place} for count in range(40)]
    (await world.sa.post(world.sa.org("/cards"), {"items": items})).ok()
    monkeypatch.setattr("service.database.transaction.ROWS_MAX", 30)
    for limit in (2000, 40, 39):  # of matches to which filters are applied
        monkeypatch.setattr("service.resources.search.search.FILTERED_MATCHES_MAX", limit)
        assert (await found(world.sa, "quarry", priority="low"))["total"] == 35
        assert await titles(world.sa, "quarry", priority="high", page=2, pageSize=4) == ["Quarry 0"]


async def test_a_card_that_is_named_by_its_key_comes_first_and_says_whether_filters_leave_it_out(world: World) -> None:
    board, other = await world.board(), await world.board(title="Second")
    oldest, older = [await world.card(other, title=title, priority="high") for title in ("Oldest", "Older")]
    card = await world.card(board, title="Quarry", priority="low")
    key, bot = card["key"], await world.agent()
    liked = [f"{count} Like {key}" for count in range(3)]
    for title in liked:
        await world.card(other, title=title, priority="high")
    for one in (oldest, older, card):
        await comment(world, one, f"Like {key}")
    for written in (key, key.lower(), f"#{key}", key.replace("-", ""), f" #{key.replace('-', '').lower()} "):
        for who in (world.member, bot):
            mentions = [*reversed(liked), "Older", "Oldest"] if "-" in written else []
            assert await titles(who, written) == ["Quarry", *mentions], written
    pages = [await found(world.sa, key, page=page, pageSize=2) for page in (1, 2, 3, 4)]
    found_titles = [[item["title"] for item in page["items"]] for page in pages]
    assert found_titles == [["Quarry", liked[2]], [liked[1], liked[0]], ["Older", "Oldest"], []]
    assert {page["total"] for page in pages} == {6}
    assert [snippet["text"] for snippet in pages[0]["items"][0]["snippets"]] == [f"Like {key}"]
    (await world.sa.patch(f"/cards/{card['id']}", {"title": f"Quarry {key}"})).ok()
    singly = [await titles(world.sa, key, pageSize=1, page=page) for page in range(1, 7)]
    assert singly == [[title] for title in (f"Quarry {key}", *reversed(liked), "Older", "Oldest")]
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "Quarry"})).ok()
    (item,) = (await found(world.sa, older["key"], priority="high"))["items"]
    assert (item["title"], item["matchesFilters"], item["snippets"]) == ("Older", True, [])
    high = await found(world.sa, key, priority="high")
    assert [(item["title"], item["matchesFilters"]) for item in high["items"]][:2] == [
        ("Quarry", False),
        (liked[2], True),
    ]
    low = await found(world.sa, key, priority="low", projectId=board.id)
    assert [(item["title"], item["matchesFilters"]) for item in low["items"]] == [("Quarry", True)]
    assert "Quarry" not in await titles(world.sa, key, projectId=other.id)
    assert "Quarry" not in await titles(world.sa, key + "0")
    assert await titles(world.sa, f'"{key}"', priority="high") == [*reversed(liked), "Older", "Oldest"]
    theirs = await world.board(world.outsider)
    await world.card(theirs, by=world.outsider, title="Of others")
    assert await titles(world.outsider, key) == ["Of others"]
    (await world.sa.post(f"/cards/{card['id']}/transfer", {"projectId": other.id})).ok()
    assert (await titles(world.sa, key))[0] == "Quarry"
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert "Quarry" not in await titles(world.sa, key)


async def test_a_key_without_hyphen_names_each_card_that_it_can_mean(world: World) -> None:
    for key, number in (("PX", 11), ("PX1", 1)):
        project = (await world.sa.post(world.sa.org("/projects"), {"title": key, "key": key})).ok()
        columns = (await world.sa.get(world.sa.org("/columns"), params={"projectId": project["id"]})).ok()
        types = (await world.sa.get(world.sa.org("/card-types"))).ok()
        place = {"projectId": project["id"], "columnId": columns[0]["id"], "cardTypeId": types[0]["id"]}
        items = [{"title": f"{key}-{count + 1}", **place} for count in range(number)]
        (await world.sa.post(world.sa.org("/cards"), {"items": items})).ok()
    assert sorted(await titles(world.sa, "#px11")) == ["PX-11", "PX1-1"]
    assert await titles(world.sa, "PX-11") == ["PX-11"]
    assert (await found(world.sa, "px11", pageSize=1, page=2))["total"] == 2
    (await world.sa.delete(world.sa.org(f"/projects/{project['id']}"))).ok()
    assert await titles(world.sa, "px11") == ["PX-11"]


async def test_a_filter_that_names_nothing_is_refused(world: World) -> None:
    theirs = await world.board(world.outsider)
    await world.card(theirs, by=world.outsider, title="quarry")
    wrong = {"columnId": theirs.columns["Todo"], "cardTypeId": theirs.card_type["id"], "assignedUserId": "nobody"}
    wrong |= {"claimedBy": "nobody", "assignedAgentId": "me", "priority": "top", "field": "nothing:x"}
    wrong |= {"due": "late", "updatedSince": "soon", "archived": "true"}
    for key, value in wrong.items():
        answer = await world.sa.get(world.sa.org("/search"), params={"q": "quarry", key: value})
        assert answer.invalid() == [key]
    assert (await world.sa.get(world.sa.org("/search"), params={"priority": "high"})).invalid() == ["q"]


async def test_what_was_acknowledged_is_found_and_what_was_changed_is_not(world: World) -> None:
    board = await world.board()
    notes, who, done = await world.field(board, "notes"), await world.field(board, "who", "user"), "done"
    mark, tags = await world.field(board, done, "checkbox"), board.field("tags")
    card = await world.card(board, title="alpha", fieldValues=[{"fieldId": notes, "value": "beta"}])
    assert (await found(world.sa, "alpha beta"))["total"] == 1
    values = [{"fieldId": notes, "value": None}, {"fieldId": tags, "value": ["delta", "epsilon zeta"]}]
    values += [{"fieldId": who, "value": world.member.id}, {"fieldId": mark, "value": True}]
    (await world.sa.patch(f"/cards/{card['id']}", {"title": "gamma", "fieldValues": values})).ok()
    for word in ("alpha", "beta", "true", world.member.id, card["id"]):
        assert (word, (await found(world.sa, word))["total"]) == (word, 0)
    assert (await found(world.sa, 'gamma delta "epsilon zeta"'))["total"] == 1
    (await world.sa.delete(world.sa.org(f"/card-types/{board.card_type['id']}/fields/{tags}"))).ok()
    assert (await found(world.sa, "delta"))["total"] == 0
    assert (await found(world.sa, "gamma"))["total"] == 1


async def test_snippets_are_plain_text_around_the_first_hit(world: World) -> None:
    card = await world.card(await world.board(), title="Long")
    content = "word " * 100 + "<b>Sesame</b> & 🧭 \ue000sesame\ue001 seeds" + " word" * 100
    await comment(world, card, content)
    (item,) = (await found(world.sa, "sesame"))["items"]
    (snippet,) = item["snippets"]
    assert snippet["text"].startswith("…word word")
    assert snippet["text"].endswith("word…")
    assert "<b>Sesame</b> & 🧭  sesame  seeds" in snippet["text"]
    assert [snippet["text"][start:end] for start, end in snippet["hits"]] == ["Sesame", "sesame"]
    assert len(snippet["text"]) < 200


async def test_a_card_with_very_many_comments_is_one_card(world: World) -> None:
    board = await world.board()
    card, other = await world.card(board, title="Busy pelican"), await world.card(board, title="Other")
    for count in range(120):
        await comment(world, card, f"remark number{count} pelican")
    await comment(world, other, "pelican remark")
    assert await titles(world.sa, "remark") == ["Other", "Busy pelican"]
    assert await titles(world.sa, "pelican") == ["Busy pelican", "Other"]
    for count in (0, 49, 50, 119):
        (item,) = (await found(world.sa, f"busy number{count} "))["items"]
        assert item["snippets"][-1]["text"] == f"remark number{count} pelican"


async def test_who_may_search(world: World) -> None:
    board, bot = await world.board(), await world.agent()
    await world.card(board, title="lighthouse")
    assert await titles(bot, "lighthouse") == ["lighthouse"]
    path, query = world.sa.org("/search"), {"params": {"q": "lighthouse"}}
    (await world.nobody.get(path, **query)).refused(401, "unauthorized")
    (await bot.get(path, **query)).refused(401, "unauthorized")
    (await world.outsider.get(path, **query)).refused(404, "not_found")
    (await bot.get(world.outsider.org("/search/mcp"), **query)).refused(403, "cross_organization")
    await permit(world, "Member", "Card", "update")
    (await world.member.get(path, **query)).refused(403, "permission_denied")


async def test_everybody_sees_at_once_what_they_wrote_while_many_write_and_search(world: World) -> None:
    board = await world.board()
    cards = [await world.card(board, title=f"Card {count}") for count in range(5)]

    async def tell(count: int) -> int:
        await comment(world, cards[count % 5], f"token{count} shared")
        return int((await found(world.sa, f'"token{count}" shared'))["total"])

    assert await asyncio.gather(*(tell(count) for count in range(60))) == [1] * 60
    assert (await found(world.sa, "shared"))["total"] == 5
