"""init: it asks, checks and writes settings with which the service starts."""

import stat
import tomllib
from pathlib import Path

from ..process import ServiceProcess, run

ANSWERS = '\n0\nstate\nhttps://board.example.com\n10.0.0.1, 10.0.0.2\nada@example.test\nWorkshop "A"\n'


def test_init_asks_for_settings_and_the_service_starts_with_them(tmp_path: Path) -> None:
    done = run("init", folder=tmp_path, text=ANSWERS)
    assert (done.returncode, done.stderr) == (0, "")
    written = tomllib.loads((tmp_path / "config.toml").read_text())
    assert written == {
        "host": "127.0.0.1",
        "port": 0,
        "data_path": "state",
        "public_url": "https://board.example.com",
        "trusted_proxies": ["10.0.0.1", "10.0.0.2"],
        "sa_bootstrap_email": "ada@example.test",
        "sa_bootstrap_organization": 'Workshop "A"',
    }
    assert stat.S_IMODE((tmp_path / "config.toml").stat().st_mode) == 0o600
    (tmp_path / "config.toml").write_text((tmp_path / "config.toml").read_text().replace("https://board", "http://127"))
    text = (tmp_path / "config.toml").read_text().replace('public_url = "http://127.example.com"\n', "")
    (tmp_path / "config.toml").write_text(text)
    with ServiceProcess(tmp_path) as service:
        assert "ada@example.test" in service.said
        assert (tmp_path / "state" / "service.db").exists()


def test_yes_takes_the_defaults_and_asks_nothing(tmp_path: Path) -> None:
    done = run("init", "--yes", "settings/tandem.toml", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "")
    assert "--config settings/tandem.toml" in done.stdout
    assert tomllib.loads((tmp_path / "settings" / "tandem.toml").read_text())["port"] == 8080


def test_a_file_that_is_there_is_never_overwritten(tmp_path: Path) -> None:
    (tmp_path / "config.toml").write_text("# mine\n")
    refused = run("init", "--yes", folder=tmp_path)
    assert (refused.returncode, refused.stdout) == (2, "")
    assert (tmp_path / "config.toml").read_text() == "# mine\n"


def test_an_answer_that_cannot_be_used_writes_nothing(tmp_path: Path) -> None:
    for answers, named in (("\n99999\n" + "\n" * 6, "port"), ("\n\n", "ended early")):
        refused = run("init", folder=tmp_path, text=answers)
        assert refused.returncode == 2
        assert named in refused.stderr
        assert list(tmp_path.iterdir()) == []
