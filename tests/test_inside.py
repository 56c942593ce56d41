"""What is used of aiohttp's inside is listed in one place, is there, and keeps the next version out until then."""

import ast
import importlib
import importlib.metadata
import inspect
import re
from pathlib import Path

import pytest

from service.http import connection

from .test_structure import MODULES, ROOT, TREES

LISTED = set(re.findall(r"`(_\w+)`", connection.__doc__ or ""))
HERE = "service.http.connection"


def private(name: str) -> bool:
    return name.startswith("_") and not name.startswith("__")


def inherited(kind: type) -> set[str]:
    """Name what a class has from those of aiohttp that is not meant for it."""
    theirs = [base for base in kind.__mro__ if base.__module__.startswith("aiohttp")]
    named = {name for base in theirs for name in (*vars(base), *getattr(base, "__slots__", ()))}
    # What an instance is given on the way has no other place than the code that gives it.
    given = {name for base in theirs for name in re.findall(r"\bself\.(_\w+)", inspect.getsource(base))}
    return set(filter(private, named | given))


def attributes(tree: ast.AST, of: str) -> set[str]:
    """Name the private attributes that are looked up on `self`, or on anything else but another library."""
    libraries = {alias.name for node in ast.walk(tree) if isinstance(node, ast.Import) for alias in node.names}
    found = [node for node in ast.walk(tree) if isinstance(node, ast.Attribute) and private(node.attr)]
    found = [node for node in found if ast.unparse(node.value) not in libraries - {"aiohttp"}]
    return {node.attr for node in found if (ast.unparse(node.value) in ("self", "super()")) == (of == "self")}


def used(module: str) -> set[str]:
    """Name what a module uses of aiohttp's inside: imports, what it inherits, and attributes of what is not its own."""
    tree, loaded = TREES[MODULES[module]], importlib.import_module(module)
    froms = [node for node in ast.walk(tree) if isinstance(node, ast.ImportFrom) and not node.level]
    names = {alias.name for node in froms if str(node.module).startswith("aiohttp") for alias in node.names}
    for kind in ast.walk(tree):
        if isinstance(kind, ast.ClassDef) and isinstance(here := getattr(loaded, kind.name, None), type):
            methods = {line.name for line in kind.body if isinstance(line, ast.FunctionDef | ast.AsyncFunctionDef)}
            names |= inherited(here) & (attributes(kind, "self") | methods)
    if re.search(r"^\s*(import|from) aiohttp\b", MODULES[module].read_text("utf-8"), re.MULTILINE):
        names |= attributes(tree, "others")
    return set(filter(private, names))


def test_the_inside_of_aiohttp_is_used_in_one_module_and_each_use_is_listed() -> None:
    assert used(HERE) == LISTED
    elsewhere = {module: used(module) for module in MODULES if module != HERE}
    assert {module: names for module, names in elsewhere.items() if names} == {}


def test_the_listed_names_exist_in_aiohttp() -> None:
    package = Path(str(importlib.import_module("aiohttp").__file__)).parent
    source = "".join(file.read_text("utf-8") for file in package.glob("*.py"))
    assert [name for name in LISTED if not re.search(rf"\b{name}\b", source)] == []


@pytest.mark.parametrize("package", ["aiohttp", "mcp"])
def test_the_next_version_of_a_package_used_inside_is_not_installed_before_somebody_has_looked(package: str) -> None:
    major, minor, *_ = importlib.metadata.version(package).split(".")
    assert f'"{package}>={major}.{minor},<{major}.{int(minor) + 1}"' in (ROOT / "setup.py").read_text("utf-8")
