"""The shape of the code: who imports whom, what a route declares, how long a thing may be, what is written down."""

import ast
import graphlib
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from service import config, resources, table
from service.caller import API_KEY
from service.gates import Gate

ROOT = Path(__file__).parent.parent
SERVICE = ROOT / "service"
FILES = sorted(SERVICE.rglob("*.py"))
TREES = {file: ast.parse(file.read_text("utf-8")) for file in FILES}
MODULES = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in FILES}
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Bottom to top: a module imports from below, or from its own level if that makes no circle.
LEVELS = [
    {"errors", "queries", "locking", "clock"},
    {"wire"},
    {"limits", "config", "log", "crypto", "tokens", "vault", "blobs", "multipart"}
    | {"migrate", "transaction", "connections", "commits", "store", "build", "snapshot", "inlined", "answers"}
    | {"listeners", "outbound", "senders"},
    {"caller"},
    {"gates", "leases", "call"},
    {"access", "table"},
    {"retries", "paths"},
    {"inputs"},
    {"route"},
    {"resources"},
    {"openapi", "examples", "refusals", "reference", "first_start", "tools", "page"},
    {"app"},
    {"cli"},
]
LEVEL = {name: number for number, names in enumerate(LEVELS) for name in names}
ASIDE = {"account", "client", "demo", "stdio", "trello"}  # talk to the service over HTTP only, like anybody else

# Agents know these by name, although they do not end in /mcp (contract, section 3 and 4).
AGENT_PATHS = {
    "/teams/{team_id}/agents/register",
    "/agents/{agent_id}/status",
    "/agents/{agent_id}/permissions",
    "/agents/{agent_id}/online",
    "/agents/{agent_id}/offline",
    "/agent/orgs",
    "/cards/{card_id}/mcp/status",
}


def imported(name: str) -> set[str]:
    """Name the modules of the service that a module imports."""
    package = name if MODULES[name].name == "__init__.py" else name.rpartition(".")[0]
    found: set[str] = set()
    for node in ast.walk(TREES[MODULES[name]]):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom):
            above = package.split(".")[: len(package.split(".")) - node.level + 1] if node.level else []
            base = ".".join([*above, *filter(None, [node.module])])
            below = {f"{base}.{alias.name}" for alias in node.names}
            found |= below & MODULES.keys() or {base}
    return {module for module in found if module.startswith("service.")}


def part(module: str) -> str:
    return module.split(".")[1]


def circles(graph: dict[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_every_module_has_its_place() -> None:
    assert {part(module) for module in MODULES if module != "service"} <= LEVEL.keys() | ASIDE


def test_a_module_imports_only_from_below_or_beside() -> None:
    upward = [
        f"{module} imports {other}"
        for module in MODULES
        if module != "service" and part(module) in LEVEL
        for other in imported(module)
        if (LEVEL[part(other)] > LEVEL[part(module)] if part(other) in LEVEL else part(module) != "cli")
    ]
    assert upward == []


def test_no_imports_run_in_a_circle() -> None:
    assert circles({module: imported(module) - {module} for module in MODULES}) == []


def test_the_clients_of_the_service_import_nothing_of_the_server() -> None:
    for module in MODULES:
        if module != "service" and part(module) in ASIDE:
            assert {part(other) for other in imported(module)} <= ASIDE, module


def test_every_route_has_a_gate() -> None:
    assert resources  # importing them fills the table
    assert len(table.TABLE) > 50
    assert [entry.path for entry in table.TABLE if not isinstance(entry.gate, Gate)] == []


def test_agents_routes_end_in_mcp_and_only_they_do() -> None:
    for entry in table.TABLE:
        is_agents = entry.path.endswith("/mcp") or entry.path in AGENT_PATHS
        assert (entry.gate.scheme == API_KEY) == is_agents, (entry.method, entry.path, entry.gate.scheme)


def test_no_two_routes_share_method_and_path() -> None:
    routes = Counter((entry.method, re.sub(r"\{\w+\}", "{}", entry.path)) for entry in table.TABLE)
    assert [key for key, times in routes.items() if times > 1] == []


def body(function: Function) -> list[ast.stmt]:
    """Give the statements of a function after its docstring."""
    return function.body[ast.get_docstring(function) is not None :]


def lines(function: Function) -> int:
    statements = body(function)
    return statements[-1].end_lineno - statements[0].lineno + 1 if statements else 0  # type: ignore[operator]


def functions(tree: ast.AST) -> Iterator[Function]:
    return (node for node in ast.walk(tree) if isinstance(node, Function))


def is_handler(function: Function) -> bool:
    return any(
        isinstance(line, ast.Call) and ast.unparse(line).startswith("routes.") for line in function.decorator_list
    )


def test_handlers_are_short_and_other_functions_not_long() -> None:
    for file, tree in TREES.items():
        for function in functions(tree):
            most = 15 if is_handler(function) else 25
            assert lines(function) <= most, f"{file.relative_to(ROOT)}:{function.lineno} {function.name}"


@pytest.mark.parametrize("file", FILES, ids=lambda file: str(file.relative_to(ROOT)))
def test_a_module_can_be_read_in_one_go(file: Path) -> None:
    assert len(file.read_text("utf-8").splitlines()) <= 250


def is_plain(node: ast.ClassDef) -> bool:
    """Tell whether a class says only what its fields are, or is a model of what comes in."""
    is_input = any(ast.unparse(base).endswith(("Input", "Query")) for base in node.bases)
    return is_input or all(isinstance(line, ast.Assign | ast.AnnAssign) for line in node.body)


def undocumented(file: Path, node: ast.Module | ast.ClassDef) -> Iterator[str]:
    for child in node.body:
        if not isinstance(child, Function | ast.ClassDef) or child.name.startswith("_"):
            continue
        may_go_without = isinstance(child, ast.ClassDef) and is_plain(child)
        if ast.get_docstring(child) is None and not may_go_without:
            yield f"{file.relative_to(ROOT)}:{child.lineno} {child.name}"
        if isinstance(child, ast.ClassDef):
            yield from undocumented(file, child)


def test_everything_public_says_what_it_is() -> None:
    missing = [f"{file.relative_to(ROOT)}:1" for file, tree in TREES.items() if not ast.get_docstring(tree)]
    missing += [name for file, tree in TREES.items() for name in undocumented(file, tree)]
    assert missing == []


def test_the_example_configuration_lists_exactly_the_settings_with_their_defaults(tmp_path: Path) -> None:
    example = ROOT / "config.example.toml"
    assert tomllib.loads(example.read_text("utf-8")).keys() == config.Settings.model_fields.keys()
    (tmp_path / "nothing.toml").touch()
    from_example, from_nothing = (
        config.load(str(file), environment={}) for file in (example, tmp_path / "nothing.toml")
    )
    assert from_example == from_nothing


def test_the_example_configuration_says_in_one_line_what_each_setting_is() -> None:
    paragraphs = (ROOT / "config.example.toml").read_text("utf-8").strip().split("\n\n")[1:]
    for paragraph in paragraphs:
        comment, setting = paragraph.split("\n")
        assert comment.startswith("# ")
        assert " = " in setting
