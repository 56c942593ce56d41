"""What is read from a Trello export."""

import argparse
import json
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from service.clients import import_trello
from service.trello import export
from service.trello.board import TrelloBoard, TrelloCard, read_board
from service.trello.comment import CONTENT_CHARACTERS_MAX, TrelloComment, contents
from service.trello.description import (
    CONTINUED,
    DESCRIPTION_CHARACTERS_MAX,
    TITLE_CHARACTERS_MAX,
    describe,
    describe_with_comments,
    shorten,
)
from service.trello.lists import UnknownList, has_done_title
from service.trello.summary import summarize

from ..trello_boards import RICH, describe_board

SMALL = Path(__file__).parents[1] / "data" / "trello-small.json"


@pytest.fixture
def board() -> TrelloBoard:
    return read_board(export.read(SMALL))


def card(board: TrelloBoard, title: str) -> TrelloCard:
    return next(one for one in board.cards if one.title == title)


def write(path: Path, content: Any) -> Path:
    path.write_text(json.dumps(content), encoding="utf-8")
    return path


def run(*words: str | Path) -> int:
    parser = argparse.ArgumentParser()
    import_trello.add_parser(parser.add_subparsers(required=True))
    return import_trello.run(parser.parse_args(["import-trello", *map(str, words)]))


def test_lists_and_cards_come_in_the_order_of_their_positions(board: TrelloBoard) -> None:
    assert [row.title for row in board.lists] == ["Ideas", "Last year", "Doing", "DONE"]
    assert [row.title for row in board.lists[0].cards] == [
        "Buy seeds",
        "Dig a well",
        "(untitled)",
        "Repair the fence",
    ]


def test_a_list_named_done_is_a_done_column(board: TrelloBoard) -> None:
    assert [row.done for row in board.lists] == [False, False, False, True]


def test_closed_cards_and_cards_of_closed_lists_are_archived(board: TrelloBoard) -> None:
    assert [one.title for one in board.cards if one.archived] == ["Buy seeds", "Prune the vines"]


def test_labels_are_named_by_their_colour_if_they_have_no_name(board: TrelloBoard) -> None:
    assert card(board, "Dig a well").labels == ("Water", "green")
    assert card(board, "(untitled)").labels == ("green",)


def test_a_long_label_is_shortened_to_the_length_of_a_tag(tmp_path: Path) -> None:
    content = json.loads(SMALL.read_text("utf-8"))
    for row in (*content["labels"], *(label for one in content["cards"] for label in one.get("labels", []))):
        row["name"] = "W" * 201
    board = read_board(export.read(write(tmp_path / "board.json", content)))
    assert card(board, "Dig a well").labels == ("W" * 199 + "…",)


def test_a_member_who_left_the_board_is_named_by_what_they_did(board: TrelloBoard) -> None:
    assert [member.name for member in card(board, "Dig a well").members] == ["Ada Example", "bert", "Cleo Former"]


def test_the_description_holds_checklists_and_links(board: TrelloBoard) -> None:
    assert describe(card(board, "Dig a well")) == "\n".join(
        [
            "Near the *old* oak.",
            "",
            "## Tools",
            "",
            "- [x] Rope",
            "- [ ] Spade",
            "",
            "## After",
            "",
            "## Attachments",
            "",
            r"- [Map \[north\]](https://example.com/map%281%29.png)",
            "- Old note: file:///home/ada/note.txt",
            "- Trick: javascript:alert(1)",
        ]
    )


def test_a_checklist_inside_the_card_is_found_and_nul_is_dropped(board: TrelloBoard) -> None:
    assert describe(card(board, "(untitled)")) == "No title yet\n\n## Own\n\n- [ ] inside the card"


def test_a_long_title_is_cut_and_stands_whole_in_the_description(board: TrelloBoard) -> None:
    long = board.lists[2].cards[0]
    assert len(long.title) > TITLE_CHARACTERS_MAX
    assert len(shorten(long.title)) == TITLE_CHARACTERS_MAX
    assert shorten(long.title).endswith("…")
    assert describe(long) == f"{long.title}\n\nDetails follow."


def test_a_card_without_anything_has_no_description(board: TrelloBoard) -> None:
    assert describe(card(board, "Repair the fence")) == ""


def test_comments_come_oldest_first_with_author_and_date_in_utc(board: TrelloBoard) -> None:
    written = [text for one in card(board, "Dig a well").comments for text in contents(one)]
    assert written == [
        "**Ada Example** (2024-03-01 08:15 UTC):\n\nWho has a drill?",
        "**Cleo Former** (2024-03-02 09:30 UTC):\n\nWater at **nine** metres.",
    ]
    (copied,) = card(board, "Prune the vines").comments
    assert (copied.author, copied.text) == ("bert", "Copied from another card.")


@pytest.mark.parametrize("text", ["word " * 9_000, "x" * 45_000, "line\n" * 9_000])
def test_a_long_comment_is_split_without_loss(text: str) -> None:
    pieces = list(contents(TrelloComment("Ada", None, text.strip())))
    assert len(pieces) == 3
    assert all(len(piece) <= CONTENT_CHARACTERS_MAX for piece in pieces)
    bodies = [piece.removeprefix("**Ada** (date unknown):\n\n") for piece in pieces]
    assert "".join("".join(bodies).split()) == "".join(text.split())


def test_the_summary_counts_what_is_not_imported(board: TrelloBoard) -> None:
    assert {row.what: row.count for row in summarize(board).left} == {
        "members as users": 2,
        "board description": 1,
        "checklist item due dates": 1,
        "attachment file contents": 1,
        "unreadable due dates": 1,
        "comments": 1,
        "actions: updateCard": 2,
    }


def test_a_board_of_archived_lists_keeps_them_as_columns(tmp_path: Path) -> None:
    lists = [{"id": "a", "name": "A", "closed": True}, {"id": "b", "name": "B", "closed": True}]
    file = write(tmp_path / "closed.json", {"lists": lists, "cards": [{"id": "c", "idList": "a"}]})
    board = read_board(export.read(file))
    assert [row.closed for row in board.lists] == [False, False]
    assert [one.archived for one in board.cards] == [False]
    assert "stay as columns" in summarize(board).remarks[0]


def test_cards_of_lists_that_were_not_exported_are_kept_as_archived(tmp_path: Path) -> None:
    cards = [{"id": "c", "name": "Stray", "idList": "elsewhere"}]
    file = write(tmp_path / "stray.json", {"lists": [{"id": "a", "name": "A"}], "cards": cards})
    assert card(read_board(export.read(file)), "Stray").archived


def test_a_full_list_of_actions_is_said_to_be_cut(board: TrelloBoard, tmp_path: Path) -> None:
    full = {"lists": [{"id": "a"}], "cards": [], "actions": [{"type": "updateCard"}] * 1000}
    cut = read_board(export.read(write(tmp_path / "full.json", full)))
    assert "newest 1,000 actions" in summarize(cut).remarks[0]
    assert summarize(board).remarks == []


def test_half_a_surrogate_pair_does_not_stop_the_import(tmp_path: Path) -> None:
    file = tmp_path / "half.json"
    file.write_text('{"lists": [{"id": "a"}], "cards": [{"name": "a\\ud83d", "idList": "a"}]}', encoding="utf-8")
    assert read_board(export.read(file)).lists[0].cards[0].title == "a?"


def test_a_dry_run_shows_the_figures_without_a_service(capsys: pytest.CaptureFixture[str]) -> None:
    assert run(SMALL, "--dry-run", "--url", "http://127.0.0.1:1") == 0
    lines = [" ".join(line.split()) for line in capsys.readouterr().out.splitlines()]
    for line in (
        "columns 3",
        "cards, active 5",
        "due dates 1",
        "transitions 6 every move between columns, as in Trello",
    ):
        assert line in lines


@pytest.mark.parametrize(
    ("content", "message"),
    [
        ("", "is empty"),
        ("\ufeff \n", "is empty"),
        ('{"lists": [{"id": "a"', "ends too early"),
        ("[" * 100_000, "ends too early"),
        ("[" * 100_000 + "]" * 100_000, "is damaged"),
        ('{"lists": [,]}', "is damaged"),
        ("<!DOCTYPE html><html></html>", "is a web page"),
        ("Card ID,Card Name,Card URL\n1,A,B", "is a table (CSV)"),
        ("Hello", "is not JSON"),
        ('{"lists": []}'.encode("utf-16"), "is not text in UTF-8"),
        ('{"lists": []}'.encode("utf-16-be"), "is not text in UTF-8"),
        ("[]", "is not the export of a Trello board"),
        ('{"lists": []}', "is not the export of a Trello board"),
        ('{"lists": [], "cards": []}', "has no lists"),
    ],
)
def test_a_file_that_is_no_board_is_refused_in_one_line(
    content: str | bytes, message: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "board.json"
    file.write_bytes(content if isinstance(content, bytes) else content.encode())
    assert run(file) == 2
    error = capsys.readouterr().err
    assert message in error
    assert "Export as JSON" in error or "Add a list in Trello" in error
    assert error.count("\n") == 1


def test_a_byte_order_mark_is_skipped(board: TrelloBoard, tmp_path: Path) -> None:
    file = tmp_path / "marked.json"
    file.write_bytes(b"\xef\xbb\xbf" + SMALL.read_bytes())
    assert describe_board(read_board(export.read(file))) == describe_board(board)


@pytest.mark.parametrize(
    ("title", "is_done"),
    [
        ("✅ Done!", True),
        ("COMPLETE", True),
        ("Completed.", True),
        ("(finished)", True),
        ("Closed 🎉", True),
        ("Done 2019", False),
        ("Not done", False),
        ("✅", False),
    ],
)
def test_a_title_without_signs_tells_that_a_list_is_done(title: str, is_done: bool) -> None:
    assert has_done_title(title) is is_done


def test_done_lists_can_be_named_and_only_those_that_are_there() -> None:
    source = export.read(SMALL)
    done = {row.title for row in read_board(source, ["ideas", " Doing "]).lists if row.done}
    assert done == {"Ideas", "Doing"}
    assert not any(row.done for row in read_board(source, [""]).lists)
    with pytest.raises(UnknownList, match=r"no list “Shipped”\. Name one of its lists: Ideas, Last year, Doing, DONE"):
        read_board(source, ["Shipped"])


def test_custom_fields_labels_limits_and_start_dates_are_read() -> None:
    board = read_board(RICH)
    fields = {field.name: field for field in board.fields}
    assert [(field.name, field.label, field.kind, field.is_shown) for field in board.fields] == [
        ("notes", "Notes", "text", False),
        ("cost", "Cost (€)", "number", True),
        ("cost_2", "cost!", "number", False),
        ("start_2", "Start", "date", False),
        ("field", "見積", "checkbox", False),
        ("stage", "Stage", "select", False),
    ]
    assert dict(fields["stage"].options) == {"o1": "Early", "o2": "Late", "o3": "(untitled)"}
    assert fields["stage"].option_colors == {"Early": "#baf3db"}
    assert board.label_colors == {"Bug": "#c9372c", "sky light": "#c6edfb"}
    assert [row.limit for row in board.lists] == [3, None]
    first, second = board.cards
    assert first.labels == ("Bug", "sky light", "(unnamed label)")
    assert first.values == {
        "notes": "two\nlines",
        "cost": "100000",
        "start_2": "2026-02-01T10:00:00.000Z",
        "field": "true",
        "stage": "Early",
    }
    assert (first.start, first.due_complete) == (datetime(2026, 1, 2, 3, 4, tzinfo=UTC), True)
    assert (second.values, second.start, second.due_complete) == ({}, None, False)
    assert {row.what: row.count for row in board.omissions} == {
        "unreadable list limits": 1,
        "custom fields": 1,
        "unreadable start dates": 1,
        "due-complete marks": 1,
        "custom field values": 4,
    }


def test_a_custom_text_that_is_too_long_is_cut_and_counted() -> None:
    items = [{"idCustomField": "f1", "value": {"text": "a" * 10_001}}]
    cards = [{"name": "Long", "idList": "a", "customFieldItems": items}]
    source = {"lists": [{"id": "a"}], "cards": cards, "customFields": [{"id": "f1", "name": "Notes", "type": "text"}]}
    board = read_board(source)
    assert board.lists[0].cards[0].values == {"notes": "a" * 10_000}
    assert [(row.what, row.count) for row in board.omissions] == [("ends of long custom field texts", 1)]


def test_a_description_that_is_too_long_goes_on_in_comments() -> None:
    lines = "\n".join(f"line {number}" for number in range(12_000))
    cards = [{"name": "Long", "idList": "a", "desc": lines}]
    (long,) = read_board({"lists": [{"id": "a"}], "cards": cards}).cards
    description, rest = describe_with_comments(long)
    comments = list(rest)
    assert len(description) <= DESCRIPTION_CHARACTERS_MAX
    assert all(len(comment) <= CONTENT_CHARACTERS_MAX for comment in comments)
    assert " ".join([description, *(comment.removeprefix(CONTINUED) for comment in comments)]).split() == lines.split()


def test_a_missing_file_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path / "nowhere.json") == 2
    assert "Cannot read" in capsys.readouterr().err


def test_a_file_that_is_too_large_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file = tmp_path / "large.json"
    with file.open("wb") as large:
        large.truncate(export.EXPORT_BYTES_MAX + 1)
    assert run(file) == 2
    assert "larger than 256 MiB" in capsys.readouterr().err
