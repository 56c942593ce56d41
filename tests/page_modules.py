"""The JavaScript modules of the page and their imports."""

import os
import re
from collections.abc import Iterable
from pathlib import Path

WEB = Path(__file__).parent.parent / "service" / "web"
PAGE_MODULES = {path.relative_to(WEB).as_posix(): path.read_text("utf-8") for path in sorted(WEB.rglob("*.js"))}
STATIC = re.compile(r"^(?:import|export)\s*(?:(?:\{[^}]*\}|\* as \w+)\s*from\s*)?\"([^\"]+)\";", re.MULTILINE)
LAZY = re.compile(r"\bimport\(\s*\"([^\"]+)\"\s*\)")


def imports_of(module: str, lazily: bool = False) -> set[str]:
    """Return the modules that a module imports statically, and with `lazily` those of import() too."""
    found = STATIC.findall(PAGE_MODULES[module]) + (LAZY.findall(PAGE_MODULES[module]) if lazily else [])
    assert all(path.startswith(("./", "../")) for path in found), (module, found)
    return {os.path.normpath(Path(module).parent / path) for path in found}


def with_imports(modules: Iterable[str]) -> set[str]:
    """Return modules with everything that they import statically, directly or not."""
    found: set[str] = set()
    new = set(modules)
    while new:
        found |= new
        new = {other for module in new for other in imports_of(module)} - found
    return found
