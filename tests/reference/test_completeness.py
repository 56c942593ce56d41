"""The reference tells of everything that clients meet: each resource, error code, type of event and tool."""

import ast
import re
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import errors
from service.auth.encryption import ENCRYPTED_COLUMNS
from service.pipeline.routing import ROUTES
from service.reference import chapters
from service.reference.chapters import describe_api
from service.reference.error_meanings import ERROR_MEANINGS
from service.reference.markdown import render
from service.reference.resource_notes import RESOURCE_NOTES
from service.resources.imports.redo_log import FORMER_NAMES
from service.resources.move_requests import State
from service.tools import server
from service.tools.registry import TOOLS

SERVICE = Path(__file__).parents[2] / "service"
HEAD = "<tr><th>A</th><th>B</th></tr>"
SERVER = [file for file in SERVICE.rglob("*.py") if not {"clients", "reference"} & set(file.parts)]
KINDS = {kind.__name__: kind for kind in vars(errors).values() if isinstance(kind, type)}
TYPE = re.compile(r"[a-z][A-Za-z]*\.[a-z][A-Za-z]*")


def calls(name: str | None = None) -> Iterator[ast.Call]:
    """Return the calls in the code of the server, of one function or of all."""
    for file in SERVER:
        for node in ast.walk(ast.parse(file.read_text("utf-8"))):
            if isinstance(node, ast.Call) and name in (None, ast.unparse(node.func)):
                yield node


def test_every_conflict_says_the_state() -> None:
    found = [call for call in calls("Conflict") if ast.unparse(call.args[0]) in ("None", "'conflict'")]
    assert len(found) > 15
    for call in found:
        assert "state" in {keyword.arg for keyword in call.keywords}, ast.unparse(call)


def codes() -> set[str]:
    """Return the error codes that the code of the server names."""
    found = {kind.default_code for kind in KINDS.values() if issubclass(kind, errors.ServiceError)}
    for call in calls():
        raised = KINDS.get(ast.unparse(call.func).rpartition(".")[2])
        if raised is not None and issubclass(raised, errors.ServiceError) and raised is not errors.NotFound:
            found |= {value for value in map(_literal, call.args[:1]) if value}
    return found | {code for code, _ in errors._HTTP.values()}


def _literal(node: ast.AST) -> str | None:
    return node.value if isinstance(node, ast.Constant) and isinstance(node.value, str) else None


def types() -> set[str]:
    """Return the types of events that resources, presence and watching write: they alone have such words."""
    found: set[str] = set()
    others = [SERVICE / "auth" / "last_seen.py", SERVICE / "domain" / "watching.py"]
    for file in [*(SERVICE / "resources").rglob("*.py"), *others]:
        literals = map(_literal, ast.walk(ast.parse(file.read_text("utf-8"))))
        found |= {text for text in literals if text and TYPE.fullmatch(text)}
    found -= (
        ENCRYPTED_COLUMNS | FORMER_NAMES.keys() | set(FORMER_NAMES.values())
    )  # names of columns and statements look alike
    return found | {f"moveRequest.{state}" for state in State.__args__ if state not in ("open", "stale")}


def test_every_error_code_has_a_meaning_under_its_status() -> None:
    told = {code for meanings in ERROR_MEANINGS.values() for code in meanings}
    assert codes() - told == set()
    for kind in KINDS.values():
        if issubclass(kind, errors.ServiceError):
            assert kind.default_code in ERROR_MEANINGS[kind.status], kind


def test_the_reference_lists_no_error_code_that_the_service_lacks() -> None:
    source = "".join(file.read_text("utf-8") for file in SERVER)
    assert [code for meanings in ERROR_MEANINGS.values() for code in meanings if f'"{code}"' not in source] == []


def test_every_type_of_event_is_listed_and_no_other() -> None:
    listed = set(re.findall(rf"`({TYPE.pattern})`", RESOURCE_NOTES["events"]))
    assert listed == types()


def test_every_tool_is_listed_and_no_other() -> None:
    assert server.GROUPS  # importing them fills the registry
    (listed,) = re.findall(r"The tools: (.*?)\.\n", describe_api(), re.DOTALL)
    assert re.findall(r"`(\w+)`", listed) == sorted(name for name, tool in TOOLS.items() if tool.is_listed)
    replaced = re.findall(r"^\| `(\w+)` \| (?:`\w+`|any call)", chapters.TOOL_SERVER, re.MULTILINE)
    assert sorted(replaced) == sorted(name for name, tool in TOOLS.items() if tool.replacement)


def test_notes_are_of_nouns_that_have_routes() -> None:
    assert RESOURCE_NOTES.keys() <= {route.handler.__module__.rpartition(".")[2] for route in ROUTES}


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("One `code`\nand more.\n\nTwo.", "<p>One <code>code</code>\nand more.</p><p>Two.</p>"),
        ("## Head", "<h2>Head</h2>"),
        (
            "| A | B |\n|---|---|\n| 1 | `2` |",
            f'<div class="wide" tabindex="0"><table>{HEAD}<tr><td>1</td><td><code>2</code></td></tr></table></div>',
        ),
        ("```python\na < b\n```", '<pre tabindex="0"><code>a &lt; b\n</code></pre>'),
        ("<script>`<b>`", "<p>&lt;script&gt;<code>&lt;b&gt;</code></p>"),
    ],
)  # fmt: skip
def test_prose_becomes_html_and_stays_text(text: str, shown: str) -> None:
    assert render(text) == shown
