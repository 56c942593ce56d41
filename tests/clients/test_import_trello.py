"""The command import-trello, against a running service."""

import argparse
import asyncio
from pathlib import Path
from typing import Any

import pytest

from service.clients import import_trello
from service.clients.client import Client

from ..process import ServiceProcess
from ..world import PASSWORD, SA

SMALL = Path(__file__).parents[1] / "data" / "trello-small.json"


class Service:
    """The service as the tests look at it: read with the same credentials."""

    def __init__(self, url: str, email: str, password: str) -> None:
        self.url, self.email, self.password = url, email, password

    def run(self, *words: str) -> int:
        parser = argparse.ArgumentParser()
        import_trello.add_parser(parser.add_subparsers(required=True))
        options = ["--url", self.url, "--email", self.email, "--password", self.password]
        return import_trello.run(parser.parse_args(["import-trello", str(SMALL), *options, *words]))

    def ask(self, method: str, path: str, **query: str) -> Any:
        return asyncio.run(self._ask(method, path, query))

    async def _ask(self, method: str, path: str, query: dict[str, str]) -> Any:
        async with Client(self.url) as client:
            user = await client.log_in(self.email, self.password)
            return await client.request(method, path.format(org=user["orgId"]), query=query)


class Imported:
    """The project that one import has made."""

    def __init__(self, service: Service, project: str) -> None:
        self.service, self.id = service, project
        flow = service.ask("GET", "/organizations/{org}/board-flow", projectId=project)
        self.columns = sorted(flow["columns"], key=lambda column: int(column["order"]))
        self.transitions = flow["transitions"]
        self.card_types = [row for row in flow["cardTypes"] if row["title"] == "Card"]

    def cards(self, column: str) -> list[dict[str, Any]]:
        (column_id,) = [row["id"] for row in self.columns if row["title"] == column]
        query = {"projectId": self.id, "columnId": column_id, "include": "fieldValues", "pageSize": "100"}
        found: list[dict[str, Any]] = self.service.ask("GET", "/organizations/{org}/cards", **query)["items"]
        return found

    def card(self, column: str, title: str) -> dict[str, Any]:
        (found,) = [row for row in self.cards(column) if row["title"] == title]
        return found

    def value(self, card: dict[str, Any], field_name: str) -> Any:
        fields = {field["id"]: field["name"] for row in self.card_types for field in row["fields"]}
        return {fields.get(row["fieldId"]): row["value"] for row in card["fieldValues"]}.get(field_name)

    def comments(self, card_id: str) -> list[str]:
        return [row["content"] for row in self.service.ask("GET", f"/cards/{card_id}/comments")["items"]]

    def archived(self, title: str) -> str:
        items = self.service.ask("GET", "/archive", type="card", pageSize="100")["items"]
        return str(next(row["id"] for row in items if row["title"] == title))


@pytest.fixture
def service(service_process: ServiceProcess) -> Service:
    return Service(service_process.url, SA, PASSWORD)


@pytest.fixture
def imported(service: Service, capsys: pytest.CaptureFixture[str]) -> Imported:
    assert service.run("--yes") == 0
    return Imported(service, capsys.readouterr().out.split()[-1])


def test_open_lists_become_columns_in_their_order(imported: Imported) -> None:
    assert [column["title"] for column in imported.columns] == ["Ideas", "Doing", "DONE"]
    assert [column["order"] for column in imported.columns] == [0, 1, 2]


def test_only_the_done_list_is_a_done_column_without_agents(imported: Imported) -> None:
    columns = imported.service.ask("GET", "/organizations/{org}/columns", projectId=imported.id)
    found = {row["title"]: row for row in columns}
    assert {title: row["columnType"] for title, row in found.items()} == {
        "Ideas": "standard",
        "Doing": "standard",
        "DONE": "done",
    }
    for title, open_to_agents in (("Ideas", True), ("Doing", True), ("DONE", False)):
        assert found[title]["agentPickupEnabled"] is open_to_agents
        assert found[title]["agentCanModerate"] is open_to_agents


def test_every_move_between_columns_is_allowed(imported: Imported) -> None:
    ids = [column["id"] for column in imported.columns]
    moves = {(row["fromColumnId"], row["toColumnId"]) for row in imported.transitions}
    assert moves == {(origin, target) for origin in ids for target in ids if origin != target}
    assert not any(row["requiresApproval"] for row in imported.transitions)


def test_cards_keep_their_order(imported: Imported) -> None:
    assert [card["title"] for card in imported.cards("Ideas")] == [
        "Dig a well",
        "(untitled)",
        "Repair the fence",
    ]
    assert [card["title"] for card in imported.cards("DONE")] == ["Sow the lawn"]


def test_labels_and_members_become_values(imported: Imported) -> None:
    card = imported.card("Ideas", "Dig a well")
    assert imported.value(card, "labels") == ["Water", "green"]
    assert imported.value(card, "members") == ["Ada Example", "bert", "Cleo Former"]


def test_the_description_holds_text_checklists_and_links(imported: Imported) -> None:
    description = imported.value(imported.card("Ideas", "Dig a well"), "description")
    assert description.startswith("Near the *old* oak.\n\n## Tools\n\n- [x] Rope\n- [ ] Spade\n")
    assert r"- [Map \[north\]](https://example.com/map%281%29.png)" in description


def test_a_long_title_stands_whole_in_the_description(imported: Imported) -> None:
    (card,) = imported.cards("Doing")
    assert len(card["title"]) == 500
    assert imported.value(card, "description").startswith(card["title"].removesuffix("…"))


def test_due_dates_are_kept(imported: Imported) -> None:
    assert imported.card("Ideas", "Dig a well")["dueDate"] == "2024-05-01T10:00:00.000Z"
    assert imported.card("Ideas", "Repair the fence")["dueDate"] is None


def test_comments_name_their_author_and_date(imported: Imported) -> None:
    assert imported.comments(imported.card("Ideas", "Dig a well")["id"]) == [
        "**Ada Example** (2024-03-01 08:15 UTC):\n\nWho has a drill?",
        "**Cleo Former** (2024-03-02 09:30 UTC):\n\nWater at **nine** metres.",
    ]


@pytest.mark.parametrize("title", ["Buy seeds", "Prune the vines"])
def test_archived_cards_can_be_restored_to_the_first_column(imported: Imported, title: str) -> None:
    restored = imported.service.ask("POST", f"/cards/{imported.archived(title)}/restore")
    assert restored["columnId"] == imported.columns[0]["id"]


def test_an_archived_card_has_its_comments(imported: Imported) -> None:
    card_id = imported.archived("Prune the vines")
    imported.service.ask("POST", f"/cards/{card_id}/restore")
    assert imported.comments(card_id) == ["**bert** (2024-03-03 09:00 UTC):\n\nCopied from another card."]


def test_the_project_takes_the_given_title_and_keeps_its_card_type_to_itself(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert service.run("--yes", "--title", "Garden 2025") == 0
    project = capsys.readouterr().out.split()[-1]
    assert service.ask("GET", "/organizations/{org}/projects/" + project)["title"] == "Garden 2025"
    types = service.ask("GET", "/organizations/{org}/card-types")
    assert [row["title"] for row in types if row["projectId"] == project] == ["Card"]


def test_a_wrong_password_is_refused_in_one_line(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    assert service.run("--yes", "--password", "not the password") == 1
    error = capsys.readouterr().err
    assert "invalid_credentials" in error
    assert error.count("\n") == 1


def test_an_unknown_organization_is_refused_before_anything_is_made(
    service: Service, capsys: pytest.CaptureFixture[str]
) -> None:
    assert service.run("--yes", "--organization", "org_nowhere") == 1
    assert "Nothing was created." in capsys.readouterr().err


def test_a_service_that_is_not_running_is_named(service: Service, capsys: pytest.CaptureFixture[str]) -> None:
    assert service.run("--yes", "--url", "http://127.0.0.1:1") == 1
    assert "Cannot reach the service at http://127.0.0.1:1/api/v1" in capsys.readouterr().err


def test_the_command_shows_the_done_lists_and_asks_first(
    service: Service, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    before = service.ask("GET", "/organizations/{org}/projects")
    assert service.run() == 2  # nobody can be asked
    output = capsys.readouterr()
    assert "Done columns: “DONE”\nOther columns: “Ideas”, “Doing”\n" in output.out
    assert "--yes" in output.err
    assert "--done-list TITLE" in output.err
    assert service.run("--done-list", "Shipped") == 2
    assert "Name one of its lists: Ideas" in capsys.readouterr().err
    monkeypatch.setattr("sys.stdin.isatty", lambda: True)
    monkeypatch.setattr("builtins.input", lambda prompt: "")
    assert service.run() == 1
    assert "Nothing was imported." in capsys.readouterr().err
    assert service.ask("GET", "/organizations/{org}/projects") == before
    monkeypatch.setattr("builtins.input", lambda prompt: "y")
    assert service.run() == 0
    for options in ([], ["--done-list", "doing", "--done-list", "Ideas"], ["--done-list", ""]):
        if options:
            assert service.run(*options) == 0
        project = capsys.readouterr().out.split()[-1]
        columns = service.ask("GET", "/organizations/{org}/columns", projectId=project)
        done = [row["title"] for row in columns if row["columnType"] == "done"]
        assert done == {2: [], 4: ["Ideas", "Doing"]}.get(len(options), ["DONE"])
