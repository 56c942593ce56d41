"""The documents: their links and the paths that they name exist, and the README stays short."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).parent.parent
DOCUMENTS = sorted([*ROOT.glob("*.md"), *(ROOT / "docs").rglob("*.md"), *(ROOT / "deploy").glob("*.md")])
NAMES_PATHS = sorted([ROOT / "CONTRIBUTING.md", *(ROOT / "docs").rglob("*.md")])  # whose paths are those of the code
PATH = r"(?:[\w.-]+/)*[\w.-]+\.(?:py|md|sql|json|jpg|webp|conf|yml)|(?:[\w.-]+/)+"


def name_of(file: Path) -> str:
    return file.relative_to(ROOT).as_posix()


def prose_of(file: Path) -> str:
    """Return the text of a document without its blocks of code."""
    return re.sub(r"^ *```.*?^ *```$", "", file.read_text("utf-8"), flags=re.DOTALL | re.MULTILINE)


def anchors_of(file: Path) -> set[str]:
    """Return the anchors of the headings, as GitHub makes them."""
    headings = re.findall(r"^#+ (.+)$", prose_of(file), re.MULTILINE)
    return {re.sub(r"[^\w\- ]", "", heading.lower()).replace(" ", "-") for heading in headings}


def links_of(file: Path) -> list[str]:
    """Return the targets of the links and pictures that are no addresses of other hosts."""
    return [link for link in re.findall(r"\]\(([^)\s]+)\)", prose_of(file)) if not link.startswith("https://")]


@pytest.mark.parametrize("file", DOCUMENTS, ids=name_of)
def test_every_link_of_a_document_leads_to_a_file_and_a_heading_that_exist(file: Path) -> None:
    for link in links_of(file):
        path, _, anchor = link.partition("#")
        target = (file.parent / path).resolve() if path else file
        assert target.exists(), link
        assert target.is_relative_to(ROOT), link
        assert not anchor or anchor in anchors_of(target), link


@pytest.mark.parametrize("file", NAMES_PATHS, ids=name_of)
def test_every_path_that_a_document_names_exists(file: Path) -> None:
    roots = (ROOT, ROOT / "service", file.parent)
    for name in re.findall(r"`([^`\s]+)`", prose_of(file)):
        if re.fullmatch(PATH, name):
            assert any((root / name).exists() for root in roots), name


def test_the_documents_name_paths_and_link_to_each_other() -> None:
    assert len(links_of(ROOT / "README.md")) > 10
    assert sum(len(re.findall(rf"`(?:{PATH})`", prose_of(file))) for file in NAMES_PATHS) > 50


def test_the_readme_is_short() -> None:
    lines = (ROOT / "README.md").read_text("utf-8").splitlines()
    assert len(lines) <= 160
    assert max(map(len, lines)) <= 120


def test_every_decision_has_its_number_its_four_parts_and_its_line_in_the_index() -> None:
    decisions = sorted((ROOT / "docs" / "decisions").glob("[0-9]*.md"))
    index = (ROOT / "docs" / "decisions" / "README.md").read_text("utf-8")
    for number, file in enumerate(decisions, 1):
        text = file.read_text("utf-8")
        title, *parts = re.findall(r"^#+ (.+)$", text, re.MULTILINE)
        assert file.name.startswith(f"{number:04d}-")
        assert parts == ["Status", "Context", "Decision", "Consequences"], file.name
        assert f"[{number}]({file.name}) | {title.partition('. ')[2]} |" in index
