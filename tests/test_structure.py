"""The structure of the code: imports between packages, policies of routes, lengths, docstrings."""

import ast
import graphlib
import os
import re
import tomllib
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import get_args, get_type_hints

import pytest

from service import config, resources
from service.auth.authentication import API_KEY, JWT, NONE
from service.auth.context import CALL_TYPES
from service.auth.policies import CARD, FILE, MOVE_REQUEST, Policy
from service.pipeline import routing

from .page_modules import PAGE_MODULES, WEB, imports_of, with_imports
from .policies import POLICIES

ROOT = Path(__file__).parent.parent
SERVICE = ROOT / "service"
FILES = sorted(SERVICE.rglob("*.py"))
TREES = {file: ast.parse(file.read_text("utf-8")) for file in FILES}
MODULES = {".".join(file.relative_to(ROOT).with_suffix("").parts).removesuffix(".__init__"): file for file in FILES}
del MODULES["service"]  # holds only the name and the version
Function = ast.FunctionDef | ast.AsyncFunctionDef

# Modules of service/ that every package may use; they may use each other as long as that makes no cycle.
BASE = {
    "ready",
    "text",
    "errors",
    "clock",
    "ids",
    "schemas",
    "config",
    "setting_values",
    "tracebacks",
    "log_throttle",
    "terminal",
}
# The packages, lowest first, and what each may import besides itself and BASE.
RUNTIME = BASE | {"runtime"}
STORAGE = RUNTIME | {"database", "events"}
PIPELINE = STORAGE | {"delivery", "http", "auth", "pipeline"}
PACKAGES = {
    "text": set(),
    "runtime": BASE,
    "database": {  # the only package that knows SQLite
        "errors",
        "clock",
        "log_throttle",
        "text",
    },
    "events": RUNTIME | {"database"},
    "delivery": STORAGE,
    "http": RUNTIME | {"events"},
    "auth": STORAGE | {"delivery", "http"},
    "pipeline": PIPELINE,
    "domain": PIPELINE,
    "resources": PIPELINE | {"domain"},
    "trello": {"text"},  # reads the file of another product's board, and nothing else
    "resources.imports": PIPELINE | {"domain", "resources", "trello"},
    "resources.search": PIPELINE | {"domain", "resources"},
    "reference": PIPELINE,
    "monitoring": PIPELINE,
    "operations": PIPELINE | {"resources"},  # works on the data folder itself
    "tools": PIPELINE | {"domain", "resources", "resources.search"},  # they call routes by their handlers
    "clients": {"trello", "config", "terminal"},  # talk over HTTP only; the settings say where the service listens
}
TOP = {"app", "cli"}  # put the parts together, and may import everything
# Modules of resources/ that declare no route: rules that several resources share.
RULES = {"guard", "removal", "card_changes", "rules", "single_change", "ticks"}
# Modules that write without a request. Nothing that they write is cached per caller: no call of Service.on_commit.
WRITE_BY_THEMSELVES = {
    "operations.first_start",  # makes the first architect, before any request
    "database.usage",  # an estimate that is kept in memory
    "delivery.dispatcher",
    "pipeline.external_writes",
    "pipeline.jobs",  # batches report to Service.on_commit what they changed
    "auth.last_seen",  # when an agent or a session was last used
    "auth.agent_sessions",  # renews claims
    "auth.authentication",  # when an API key was last used
    "auth.reencryption",
    "auth.sessions",  # deletes expired ones, which are refused anyway
    "monitoring.health",
    "resources.events",
    "resources.imports.execution",  # runs the effects of the dry run after its last commit
    "resources.search.texts",
    "resources.refusals",
    "resources.lost_files",  # which contents are lost, and their hashes
}

# Agents know these by name, although they do not end in /mcp.
AGENT_PATHS = {
    "/teams/{team_id}/agents/register",
    "/agents/{agent_id}/status",
    "/agents/{agent_id}/permissions",
    "/agents/{agent_id}/online",
    "/agents/{agent_id}/offline",
    "/agent/orgs",
    "/cards/{card_id}/mcp/status",
}


# What a path names that is a card or hangs on one, and the routes whose body names the card.
NAMED = {"{card_id}": CARD, "{file_id}": FILE, "{move_request_id}": MOVE_REQUEST}
BODY_NAMES_CARD = {"/files", "/files/mcp"}


def imported(name: str) -> set[str]:
    """Return the modules of the service that a module imports."""
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


def package_of(module: str) -> str:
    """Return the package of a module, or the module itself if it is in none."""
    parts = module.split(".")[1:]
    names = [".".join(parts[:length]) for length in range(len(parts), 0, -1)]
    return next((name for name in names if name in PACKAGES), parts[0])


def allowed(module: str) -> set[str]:
    """Return the packages from which a module may import."""
    if package_of(module) in TOP:
        return PACKAGES.keys() | BASE | TOP
    if module == "service.resources":
        return {
            "resources",
            "resources.imports",
            "resources.search",
        }  # importing all registers the routes
    return {package_of(module)} | (BASE if package_of(module) in BASE else PACKAGES[package_of(module)])


def cycles(graph: dict[str, set[str]]) -> list[str]:
    try:
        graphlib.TopologicalSorter(graph).prepare()
    except graphlib.CycleError as error:
        return list(error.args[1])
    return []


def test_every_module_has_its_package_of() -> None:
    assert {package_of(module) for module in MODULES} <= PACKAGES.keys() | BASE | TOP


def test_a_module_imports_only_what_its_package_may() -> None:
    forbidden = [
        f"{module} imports {other}"
        for module in MODULES
        for other in sorted(imported(module))
        if package_of(other) not in allowed(module)
    ]
    assert forbidden == []


def test_the_package_imports_itself_by_dots_only_since_it_is_installed_under_another_name() -> None:
    absolute = [
        f"{module} imports {node.module}"
        for module, file in MODULES.items()
        for node in ast.walk(TREES[file])
        if isinstance(node, ast.ImportFrom) and not node.level and (node.module or "").split(".")[0] == "service"
    ]
    assert absolute == []


def test_no_imports_form_a_cycle() -> None:
    assert cycles({module: imported(module) - {module} for module in MODULES}) == []


def test_no_packages_import_each_other() -> None:
    graph: dict[str, set[str]] = {}
    for module in MODULES:
        if module != "service.resources":
            graph.setdefault(package_of(module), set()).update(
                {package_of(other) for other in imported(module)} - {package_of(module)}
            )
    assert cycles(graph) == []


def test_only_the_command_line_knows_the_clients() -> None:
    users = {package_of(module) for module in MODULES for other in imported(module) if package_of(other) == "clients"}
    assert users - {"clients"} == {"cli"}


def test_only_the_database_knows_the_engine() -> None:
    for module, file in MODULES.items():
        if package_of(module) != "database":
            names = {
                alias.name for node in ast.walk(TREES[file]) if isinstance(node, ast.Import) for alias in node.names
            }
            names |= {str(node.module) for node in ast.walk(TREES[file]) if isinstance(node, ast.ImportFrom)}
            assert not {name.split(".")[0] for name in names} & {"sqlite3", "aiosqlite"}, module


def test_only_the_dispatcher_uses_the_module_random() -> None:
    assert {name for name, file in MODULES.items() if "random" in _imported(TREES[file])} == {
        "service.delivery.dispatcher"
    }


def _imported(tree: ast.Module) -> set[str]:
    """Name the modules from outside that a module imports."""
    names = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    return names | {str(node.module) for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level}


def test_writes_outside_the_pipeline_are_listed_since_they_must_clear_cached_callers_themselves() -> None:
    writers = {
        module.removeprefix("service.")
        for module, file in MODULES.items()
        for node in ast.walk(TREES[file])
        if isinstance(node, ast.Attribute) and re.fullmatch(r".*\b_?store\.write", ast.unparse(node))
    }
    assert writers - {"pipeline.pipeline"} == WRITE_BY_THEMSELVES


def test_every_module_of_resources_declares_a_route_but_for_the_rules_they_share() -> None:
    named = {
        module for module, file in MODULES.items() if package_of(module) == "resources" and file.name != "__init__.py"
    }
    declaring = {entry.handler.__module__ for entry in routing.ROUTES}
    assert {module.rpartition(".")[2] for module in named - declaring} == RULES
    assert {"service.resources.imports.imports", "service.resources.search.search"} <= declaring


def test_the_tests_lie_as_the_code_does() -> None:
    code = {str(file.parent.relative_to(SERVICE)) for file in FILES} | {"web"}
    tests = {str(file.parent.relative_to(ROOT / "tests")) for file in (ROOT / "tests").rglob("test_*.py")}
    assert tests - code == {"conformance", "deploy"}


def test_every_route_has_a_gate() -> None:
    assert resources  # importing them fills the table
    assert len(routing.ROUTES) > 50
    assert [entry.path for entry in routing.ROUTES if not isinstance(entry.policy, Policy)] == []


def test_every_route_asks_what_is_written_down_of_it() -> None:
    kinds = {JWT: "", API_KEY: "agent: ", NONE: "public: "}
    declared = {
        (f"{entry.method} {entry.path}", kinds[entry.policy.scheme] + str(entry.policy)) for entry in routing.ROUTES
    }
    written = {(name, policy) for policy, names in POLICIES.items() for name in names}
    assert declared - written == set(), "routes that tests/policies.py does not know, or knows with another policy"
    assert written - declared == set()


def test_each_policy_names_the_resource_of_its_route() -> None:
    for entry in routing.ROUTES:
        named = next((noun for name, noun in NAMED.items() if name in entry.path), None)
        assert entry.policy.about == (CARD if entry.path in BODY_NAMES_CARD else named), (entry.method, entry.path)


def test_a_handler_takes_the_kind_of_call_that_its_gate_admits() -> None:
    for entry in routing.ROUTES:
        taken = next(iter(get_type_hints(entry.handler).values()))
        wanted = (get_args(taken) or [taken])[0]  # Operation[Call], or the call itself
        assert issubclass(CALL_TYPES[entry.policy.about], wanted), (entry.method, entry.path)


def test_agents_routes_end_in_mcp_and_only_they_do() -> None:
    for entry in routing.ROUTES:
        is_agents = entry.path.endswith("/mcp") or entry.path in AGENT_PATHS
        assert (entry.policy.scheme == API_KEY) == is_agents, (entry.method, entry.path, entry.policy.scheme)


def test_no_two_routes_share_method_and_path() -> None:
    routes = Counter((entry.method, re.sub(r"\{\w+\}", "{}", entry.path)) for entry in routing.ROUTES)
    assert [key for key, times in routes.items() if times > 1] == []


def body(function: Function) -> list[ast.stmt]:
    """Return the statements of a function after its docstring."""
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
    assert len(file.read_text("utf-8").splitlines()) <= 400


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


def test_a_class_name_is_defined_once() -> None:
    names = Counter(node.name for tree in TREES.values() for node in ast.walk(tree) if isinstance(node, ast.ClassDef))
    assert [name for name, times in names.items() if times > 1] == []


NUMBERS = (ast.Constant, ast.BinOp, ast.UnaryOp)
VAGUE = {"KEPT", "MOST", "PATIENCE", "PORTION", "PAUSE", "SETTLE", "QUIET", "SOON", "ENOUGH"}


def test_a_measure_says_in_its_name_what_it_counts() -> None:
    for file, tree in TREES.items():
        for node in tree.body:
            if isinstance(node, ast.Assign) and isinstance(node.targets[0], ast.Name):
                name = node.targets[0].id.strip("_")
                is_number = isinstance(node.value, NUMBERS) and re.fullmatch(
                    r"[-\d. _<*+/()]+", ast.unparse(node.value)
                )
                assert name not in VAGUE, f"{file.relative_to(ROOT)}:{node.lineno} {name}"
                assert not is_number or "_" in name, f"{file.relative_to(ROOT)}:{node.lineno} {name}: of what?"


def test_every_module_and_public_name_has_a_docstring() -> None:
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


WEB_FILES = sorted(path for path in WEB.rglob("*") if path.suffix in (".js", ".css", ".html"))
# The folders of the page: each of these imports only itself and those before it; all others are features.
LAYERS = ("core", "markdown", "ui")
TOP_LEVEL = ""  # the modules that join the features, and that no folder may import
FIRST_PAGES = ("board/page.js",)  # the largest page that can come first, so its modules are preloaded


def folder_of(module: str) -> str:
    """Return the folder of a module of the page; the folders in it are parts of it."""
    return module.partition("/")[0] if "/" in module else TOP_LEVEL


def may_import(module: str, other: str) -> bool:
    """Return whether a module of the page may import another one: a lower layer, or the store of another feature."""
    folder, target = folder_of(module), folder_of(other)
    if folder in (target, TOP_LEVEL):
        return True
    if folder in LAYERS:
        return target in LAYERS[: LAYERS.index(folder)]
    return target in LAYERS or (target != TOP_LEVEL and other == f"{target}/store.js")


def test_features_of_the_page_import_lower_layers_and_the_stores_of_others_only() -> None:
    imports = [(module, other) for module in PAGE_MODULES for other in sorted(imports_of(module, lazily=True))]
    assert {other for _, other in imports} <= PAGE_MODULES.keys()
    assert [f"{module} imports {other}" for module, other in imports if not may_import(module, other)] == []
    assert imports_of("core/dom.js") == {"core/marks.js"}
    assert imports_of("core/marks.js") == imports_of("core/format.js") == set()


def test_no_imports_of_the_page_form_a_cycle_between_modules_or_folders() -> None:
    assert cycles({module: imports_of(module, lazily=True) for module in PAGE_MODULES}) == []
    folders: dict[str, set[str]] = {}
    for module in PAGE_MODULES:
        targets = {folder_of(other) for other in imports_of(module, lazily=True)}
        folders.setdefault(folder_of(module), set()).update(targets - {folder_of(module)})
    assert cycles(folders) == []


def test_the_page_preloads_all_modules_of_its_first_pages() -> None:
    preloaded = re.findall(r'<link rel="modulepreload" href="/([^"]+)">', (WEB / "index.html").read_text("utf-8"))
    assert sorted(preloaded) == sorted(with_imports({"main.js", *FIRST_PAGES}) - {"main.js"})


def test_the_page_leads_to_paths_below_the_base_path_only() -> None:
    to_root = re.compile(r"(?:(?:href|src)\b[:=(, ]+|navigate\(|entry\(|location\.\w+\()[\"'`]/")
    found = [(name, line) for name, text in PAGE_MODULES.items() for line in text.splitlines() if to_root.search(line)]
    assert found == [], "write pageUrl(path)"


NAMED_IMPORTS = re.compile(r'^(?:import|export) \{([^}]*)\} from "([^"]+)"', re.MULTILINE)
NAMED_EXPORTS = re.compile(r"^export (?:async )?(?:function|class|const|let) (\w+)|^export \{([^}]*)\}", re.MULTILINE)


def test_what_a_module_of_the_page_imports_by_name_is_exported_there() -> None:
    exported: dict[str, set[str]] = {}
    for module, text in PAGE_MODULES.items():
        found = [name or names for name, names in NAMED_EXPORTS.findall(text)]
        exported[module] = {name.split(" as ")[-1].strip() for names in found for name in names.split(",")}
    for module, text in PAGE_MODULES.items():
        for names, path in NAMED_IMPORTS.findall(text):
            imported = {name.split(" as ")[0].strip() for name in names.split(",")}
            other = os.path.normpath(Path(module).parent / path)
            assert imported <= exported[other], (module, other, imported - exported[other])


@pytest.mark.parametrize("file", WEB_FILES, ids=lambda file: file.relative_to(WEB).as_posix())
def test_a_file_of_the_page_is_short_and_makes_no_markup(file: Path) -> None:
    text = file.read_text("utf-8")
    assert len(text.splitlines()) <= 400
    assert max(map(len, text.splitlines())) <= 130
    assert not re.search(r"innerHTML|outerHTML|insertAdjacentHTML|document\.write|\beval\(|new Function", text)
    assert not re.search(r"<[^>]*\s(?:style|on\w+)=", text), "styles and listeners are set from script"
    if file.suffix == ".js" and file.name != "theme.js":
        assert text.startswith("// "), "the first line says what the module is for"
    for line in re.sub(r'"(?:[^"\\\n]|\\.)*"', '""', text).splitlines():
        for template in re.findall(r"`(?:[^`\\]|\\.)*`", line):
            begun = re.sub(r"\$\{[^{}]*(?:\{[^{}]*\}[^{}]*)*\}", "", template)
            assert "${" not in begun, f"a template inside a template loses its blanks when it is served: {line}"
    if file.name != "api.js":
        assert not re.search(r"\bfetch\(|XMLHttpRequest|EventSource|WebSocket|sendBeacon", text)
