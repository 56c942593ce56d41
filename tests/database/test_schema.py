"""The command that writes the schema down, in a repository of its own: two who add a migration at once run it again."""

import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from .. import schema
from ..schema import SUMS, create_migration, parse_hashes, write

SETTINGS = {f"GIT_{who}_{what}": "t@example.test" for who in ("AUTHOR", "COMMITTER") for what in ("NAME", "EMAIL")}
FIRST = "-- The first.\nBEGIN;\nCREATE TABLE notes (text TEXT) STRICT;\nPRAGMA user_version = 1;\nCOMMIT;\n"
pytestmark = pytest.mark.skipif(shutil.which("git") is None, reason="the command asks git what stands on main")


class Repository:
    """A repository whose main has one migration."""

    def __init__(self, root: Path) -> None:
        self.root, self.migrations, self.schema = root, root / "migrations", root / "schema.sql"
        self.migrations.mkdir(parents=True)
        shutil.copy(schema.FOLDER / ".gitattributes", root)
        (self.migrations / "0001_first.sql").write_text(FIRST)
        self.git("init", "-q", "-b", "main")
        self.write()
        self.commit()

    def git(self, *arguments: str) -> None:
        environment = {"PATH": os.environ["PATH"], "HOME": str(self.root), "GIT_CONFIG_NOSYSTEM": "1", **SETTINGS}
        subprocess.run(["git", *arguments], cwd=self.root, env=environment, check=True, capture_output=True)

    def commit(self) -> None:
        self.git("add", "-A")
        self.git("commit", "-qm", "a migration")

    def write(self) -> None:
        write(self.migrations, self.schema)

    def add(self, name: str) -> Path:
        """Begin a migration, and have it make a table."""
        file = create_migration(self.migrations, name)
        text = file.read_text("utf-8")
        file.write_text(text.replace("BEGIN;\n", f"BEGIN;\nCREATE TABLE {name} (text TEXT) STRICT;\n"), "utf-8")
        self.write()
        return file

    @property
    def names(self) -> list[str]:
        return list(parse_hashes((self.migrations / SUMS).read_text("utf-8")))


@pytest.fixture
def repository(tmp_path: Path) -> Repository:
    return Repository(tmp_path / "sql")


def tables(text: str) -> list[str]:
    return re.findall(r"CREATE TABLE (\w+)", text)


def test_a_migration_that_has_not_landed_may_change_as_often_as_one_likes(repository: Repository) -> None:
    repository.git("checkout", "-qb", "mine")
    file = repository.add("colors")
    repository.commit()
    file.write_text(file.read_text("utf-8").replace("colors", "shades"), "utf-8")
    repository.write()
    assert repository.names == ["0001_first.sql", "0002_colors.sql"]
    assert tables(repository.schema.read_text("utf-8")) == ["notes", "shades"]


@pytest.mark.parametrize("change", [FIRST.replace("text TEXT", "text TEXT, color TEXT"), None])
def test_a_released_migration_cannot_be_changed_or_deleted(repository: Repository, change: str | None) -> None:
    before = (repository.migrations / SUMS).read_text("utf-8"), repository.schema.read_text("utf-8")
    first = repository.migrations / "0001_first.sql"
    first.unlink() if change is None else first.write_text(change)
    with pytest.raises(SystemExit, match=r"0001_first\.sql: landed before"):
        repository.write()
    assert before == ((repository.migrations / SUMS).read_text("utf-8"), repository.schema.read_text("utf-8"))


def test_of_two_who_take_a_number_at_once_the_later_gets_the_next_one_by_running_the_command_again(
    repository: Repository,
) -> None:
    repository.git("checkout", "-qb", "mine")
    repository.add("birds")
    repository.add("apples")
    repository.commit()
    repository.git("checkout", "-q", "main")
    repository.add("zebras")
    repository.commit()
    repository.git("checkout", "-q", "mine")
    repository.git("rebase", "-q", "main")  # a conflict would be an error
    repository.write()
    assert repository.names == ["0001_first.sql", "0002_zebras.sql", "0003_birds.sql", "0004_apples.sql"]
    assert sorted(file.name for file in repository.migrations.glob("*.sql")) == repository.names
    assert "PRAGMA user_version = 4;" in (repository.migrations / "0004_apples.sql").read_text("utf-8")
    assert tables(repository.schema.read_text("utf-8")) == ["apples", "birds", "notes", "zebras"]


def test_a_name_is_made_of_words(capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        schema.main(["../Keys"])
    assert "small letters, digits and underscores" in capsys.readouterr().err
