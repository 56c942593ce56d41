"""Cards with many texts: a change writes only its own row of the index, and a search finds words in any rows."""

import itertools
import json
import random
from typing import Any

import pytest

from service.resources.search import card_texts

from ...builders import database
from ...world import Board, World
from .test_texts import proved

SENTENCE = "A sentence of ordinary length, as people write them on cards all day long."


async def comment(world: World, card: Any, content: str) -> None:
    (await world.sa.post(f"/cards/{card['id']}/comments", {"content": content})).ok()


async def found(world: World, q: str, **query: Any) -> list[str]:
    """Return the titles of the cards that a search finds, whose total must be right."""
    answer = (await world.sa.get(world.sa.org("/search"), params={"q": q, "pageSize": 100, **query})).ok()
    assert answer["total"] == len(answer["items"])
    return [item["title"] for item in answer["items"]]


async def large_card(world: World, board: Board, title: str, comments: int = 60, **wishes: Any) -> Any:
    """Make a card whose comments do not fit into one row."""
    card = await world.card(board, title=title, **wishes)
    for number in range(comments):
        await comment(world, card, f"{SENTENCE} word{number}")
    return card


def rows(world: World) -> dict[int, tuple[str, str, str]]:
    """Return the rows of the only large card by their numbers: title, fields and comments."""
    with database(world) as connection:
        found = connection.execute("SELECT rowid & (1 << 18) - 1, title, fields, comments FROM search_parts")
        return {number: (title, fields, comments) for number, title, fields, comments in found}


def watch_rows(world: World) -> None:
    """Note from now on which rows of large cards are written."""
    with database(world) as connection:
        connection.execute("CREATE TABLE written (number INTEGER)")
        connection.execute(
            "CREATE TRIGGER note_writing AFTER INSERT ON search_parts_content BEGIN"
            " INSERT INTO written VALUES (NEW.id & (1 << 18) - 1); END"
        )


def written(world: World) -> list[tuple[str, str, str]]:
    """Return the rows that were written since they are watched."""
    with database(world) as connection:
        numbers = [number for (number,) in connection.execute("SELECT number FROM written")]
    return [rows(world)[number] for number in numbers]


async def test_a_card_becomes_large_with_its_texts_and_is_found_by_all_of_them(world: World) -> None:
    board = await world.board()
    notes = await world.field(board, "notes")
    card = await world.card(board, title="Lighthouse", fieldValues=[{"fieldId": notes, "value": "with a lens"}])
    for number in range(60):
        await comment(world, card, f"{SENTENCE} word{number}")
        assert await found(world, f"lighthouse lens word{number}") == ["Lighthouse"], number
    parts = rows(world)
    assert parts[0] == ("lighthouse", "", "")
    assert parts[1] == ("", "with a lens", "")
    sizes = [len(comments) for *_, comments in list(parts.values())[2:]]
    assert len(sizes) > 2
    assert max(sizes) <= card_texts.ROW_CHARACTERS_MAX
    await proved(world)


@pytest.mark.parametrize("change", ["title", "value", "new value", "comment", "long comment"])
async def test_a_change_of_a_large_card_writes_its_own_row_only(world: World, change: str) -> None:
    board = await world.board()
    notes, more = await world.field(board, "notes"), await world.field(board, "more")
    card = await large_card(world, board, "Old", fieldValues=[{"fieldId": notes, "value": "a long story"}])
    last = list(rows(world).values())[-1][2]
    watch_rows(world)
    if change == "title":
        (await world.sa.patch(f"/cards/{card['id']}", {"title": "New"})).ok()
        expected = ("new", "", "")
    elif change == "comment":
        await comment(world, card, "And more")
        expected = ("", "", card_texts.TEXT_SEPARATOR.join([last, "and more"]))
    elif change == "long comment":  # for which the last row has no room
        await comment(world, card, "x" * card_texts.ROW_CHARACTERS_MAX)
        expected = ("", "", "x" * card_texts.ROW_CHARACTERS_MAX)
    else:
        field = notes if change == "value" else more
        (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": [{"fieldId": field, "value": "Short"}]})).ok()
        expected = ("", "short", "")
    assert written(world) == [expected]
    await proved(world)


async def test_a_write_that_changes_no_text_writes_no_row(world: World) -> None:
    board = await world.board()
    card = await large_card(world, board, "Large", comments=40)
    user = await world.field(board, "reviewer", "user")
    watch_rows(world)
    (await world.sa.patch(f"/cards/{card['id']}", {"priority": "high"})).ok()
    (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": [{"fieldId": user, "value": world.sa.id}]})).ok()
    assert written(world) == []


async def test_a_value_of_a_large_card_is_removed_and_comes_back_in_the_same_row(world: World) -> None:
    board = await world.board()
    notes = await world.field(board, "notes")
    card = await large_card(world, board, "Large", fieldValues=[{"fieldId": notes, "value": "first"}])
    (before,) = [number for number, (_, fields, _) in rows(world).items() if fields]
    for value, expected in ((None, []), ("second", ["Large"]), (None, []), ("third", ["Large"])):
        (await world.sa.patch(f"/cards/{card['id']}", {"fieldValues": [{"fieldId": notes, "value": value}]})).ok()
        assert await found(world, value or "first") == expected
        assert await found(world, "first") == []
    assert [number for number, (_, fields, _) in rows(world).items() if fields] == [before]
    (await world.sa.delete(world.sa.org(f"/card-types/{board.card_type['id']}/fields/{notes}"))).ok()
    assert await found(world, "third") == []
    await proved(world)


async def test_a_text_that_is_longer_than_a_row_has_one_of_its_own(world: World) -> None:
    board = await world.board()
    notes = await world.field(board, "notes")
    long = " ".join(f"page{number}" for number in range(1000))
    card = await world.card(board, title="Book", fieldValues=[{"fieldId": notes, "value": long}])
    for content in ("before", long, "after"):
        await comment(world, card, content)
    assert [comments for *_, comments in rows(world).values() if comments] == ["before", long, "after"]
    assert await found(world, "book before after page999") == ["Book"]
    (item,) = (await world.sa.get(world.sa.org("/search"), params={"q": "page7 "})).ok()["items"]
    assert [snippet["source"] for snippet in item["snippets"]] == ["field", "comment"]
    await proved(world)


async def test_a_card_that_has_all_rows_that_it_can_have_takes_further_comments(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(card_texts, "ROW_CHARACTERS_MAX", 1)
    monkeypatch.setattr(card_texts, "COMMENT_PARTS_MAX", 4)
    card = await world.card(await world.board(), title="Endless")
    for number in range(8):
        await comment(world, card, f"word{number}")
    assert max(rows(world)) == 3
    for number in range(8):
        assert await found(world, f"word{number} endless") == ["Endless"]
    await proved(world)


async def test_large_cards_stand_among_small_ones_by_group_and_age(world: World) -> None:
    board = await world.board()
    notes = await world.field(board, "notes")
    for number, (size, place) in enumerate(itertools.product([0, 30], ["title", "value", "comment"])):
        value = [{"fieldId": notes, "value": "a lantern"}] if place == "value" else []
        title = f"{number} lantern" if place == "title" else str(number)
        card = await large_card(world, board, title, comments=size, fieldValues=value)
        if place == "comment":
            await comment(world, card, "the lantern")
    expected = ["3 lantern", "0 lantern", "4", "1", "5", "2"]
    assert await found(world, "lantern") == expected
    assert await found(world, "lantern", priority="none") == expected
    for size in (1, 2, 4):
        pages = []
        for page in range(1, 8):
            query = {"q": "lantern", "pageSize": size, "page": page}
            answer = (await world.sa.get(world.sa.org("/search"), params=query)).ok()
            assert answer["total"] == 6
            pages += [item["title"] for item in answer["items"]]
        assert pages == expected


async def test_what_is_not_of_the_organization_or_archived_is_not_found_in_large_cards(world: World) -> None:
    board, other = await world.board(), await world.board(world.outsider)
    card = await large_card(world, board, "Mine", comments=30)
    theirs = await world.card(other, by=world.outsider, title="Theirs")
    for number in range(30):
        (await world.outsider.post(f"/cards/{theirs['id']}/comments", {"content": f"{SENTENCE} word{number}"})).ok()
    assert await found(world, "word7 ordinary") == ["Mine"]
    (await world.sa.delete(f"/cards/{card['id']}")).ok()
    assert await found(world, "word7 ordinary") == []
    (await world.sa.post(f"/cards/{card['id']}/restore")).ok()
    assert await found(world, "word7 ordinary") == ["Mine"]


WORDS = ["ash", "birch", "cedar", "düne", "elm"]


@pytest.mark.parametrize("seed", [1, 2])
async def test_a_search_finds_the_cards_that_have_all_words_anywhere(world: World, seed: int) -> None:
    dice, board = random.Random(seed), await world.board()  # noqa: S311
    notes = await world.field(board, "notes")
    cards: list[tuple[str, str, str]] = []
    for number in range(25):
        title, value = (" ".join(dice.sample(WORDS, k=dice.choice([0, 0, 1, 2]))) for _ in range(2))
        size = dice.choice([0, 0, 25])  # of the other comments, which make it large
        values = [{"fieldId": notes, "value": value}] if value else []
        card = await large_card(world, board, f"card{number:02d} {title}".strip(), comments=size, fieldValues=values)
        spoken = [" ".join(dice.sample(WORDS, k=1)) for _ in range(dice.choice([0, 1, 3]))]
        for content in spoken:
            await comment(world, card, f"{SENTENCE} {content}")
        cards.append((card["title"], value, " ".join(spoken)))
    for count in (1, 2, 3):
        for words in itertools.combinations(WORDS, count):
            assert await found(world, " ".join(words)) == _ranked(cards, words), words


def _ranked(cards: list[tuple[str, str, str]], words: tuple[str, ...]) -> list[str]:
    """Return the titles of the cards with all words, those in the title first, then those in title and value."""
    groups: list[list[str]] = [[], [], []]
    for card in reversed(cards):
        for size in (1, 2, 3):
            if set(words) <= set(" ".join(card[:size]).split()):
                groups[size - 1].append(card[0])
                break
    return [title for group in groups for title in group]


async def test_snippets_of_a_large_card_show_each_word_where_it_stands(world: World) -> None:
    board = await world.board()
    card = await large_card(world, board, "Lighthouse")
    (item,) = (await world.sa.get(world.sa.org("/search"), params={"q": "lighthouse word3 word57 "})).ok()["items"]
    assert item["cardId"] == card["id"]
    shown = [snippet["text"][start:end] for snippet in item["snippets"] for start, end in snippet["hits"]]
    assert [text for text in shown if text.startswith(("word3", "word57", "Light"))][:2] == ["Lighthouse", "word3"]
    comments = (await world.sa.get(f"/cards/{card['id']}/comments", params={"pageSize": 100})).ok()["items"]
    texts = {row["id"]: row["content"] for row in comments}
    assert json.dumps(texts[item["snippets"][1]["commentId"]]).count("word3") == 1
