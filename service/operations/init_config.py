"""Creation of a settings file from answers to questions."""

import json
import tempfile
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

from .. import config
from . import folder


@dataclass(frozen=True)
class SettingQuestion:
    """A setting, its question and its default value."""

    key: str
    text: str
    default: str


QUESTIONS = (
    SettingQuestion("host", "Address to listen on (0.0.0.0: every one of the machine)", "127.0.0.1"),
    SettingQuestion("port", "Port to listen on", "8080"),
    SettingQuestion("data_path", "Folder for database, files and secret", "data"),
    SettingQuestion("public_url", "Address that people use, if a proxy with TLS stands in front", ""),
    SettingQuestion("trusted_proxies", "Addresses of that proxy", "127.0.0.1"),
    SettingQuestion("sa_bootstrap_email", "E-mail of the first Solution Architect", "admin@localhost"),
    SettingQuestion("sa_bootstrap_organization", "Title of the first organization", "My organization"),
)


def create_config(file: Path, ask: Callable[[str, str], str], data_path: str | None = None) -> dict[str, str]:
    """Ask for the settings and write the file; raise ConfigError if it exists or an answer is invalid."""
    if file.exists():
        raise config.ConfigError(f"{file}: exists already; change it with an editor")
    answers: dict[str, str] = {}
    for question in QUESTIONS:
        if question.key != "trusted_proxies" or answers["public_url"]:
            default = data_path if data_path and question.key == "data_path" else question.default
            answer = ask(question.text, default).strip() or default
            answers |= {question.key: answer} if answer or question.key == "public_url" else {}
    text = "# Settings of Tandem; config.example.toml lists all there are.\n" + "".join(_lines(answers))
    _check(text)
    folder.create_folder(file.absolute().parent)
    folder.write_file(file, text)
    return answers


def _lines(answers: dict[str, str]) -> list[str]:
    return [f"{key} = {_value(key, answer)}\n" for key, answer in answers.items() if answer]


def _value(key: str, answer: str) -> str:
    if key == "port" and answer.isascii() and answer.isdigit():
        return answer
    if key == "trusted_proxies":
        return json.dumps([part.strip() for part in answer.split(",")])
    return json.dumps(answer)


def _check(text: str) -> None:
    """Raise ConfigError if the settings are invalid, before the file is written."""
    with tempfile.TemporaryDirectory() as scratch:
        path = Path(scratch, "config.toml")
        path.write_text(text, "utf-8")
        try:
            config.load(str(path), environment={})
        except config.ConfigError as error:
            raise config.ConfigError(str(error).removeprefix(f"{path}: ")) from None
