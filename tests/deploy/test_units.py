"""What deploy/ ships is what the tools that read it take, and names what the service has."""

import json
import os
import re
import shutil
import subprocess
import sys
from pathlib import Path
from typing import Any

import aiohttp
import pytest
import yaml

from service import config

from ..process import COMMAND_TIMEOUT_SECONDS, RUN, bare_environment
from ..world import World

DEPLOY = RUN.parent / "deploy"


def needs(program: str) -> pytest.MarkDecorator:
    found = shutil.which(program) or shutil.which(program, path="/usr/sbin:/usr/local/sbin")
    return pytest.mark.skipif(not found, reason=f"{program} is not installed")


def output(*command: str, **environment: str) -> str:
    everything = {**bare_environment(), "PATH": os.environ["PATH"] + ":/usr/sbin", **environment}
    done = subprocess.run(
        command,
        env=everything,
        capture_output=True,
        text=True,
        timeout=COMMAND_TIMEOUT_SECONDS,
        check=False,
        stdin=subprocess.DEVNULL,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return done.stdout + done.stderr


@pytest.fixture
def program(tmp_path: Path) -> Path:
    """Provide a program in one file, as `deploy/single.py` makes it."""
    path = tmp_path / "tandem"
    path.write_text(f'#!/bin/sh\nexec "{sys.executable}" "{RUN}" "$@"\n')
    path.chmod(0o755)
    return path


def installed(program: Path, root: Path) -> Path:
    output("sh", str(DEPLOY / "install.sh"), str(program), DESTDIR=str(root))
    return root


@needs("systemd-analyze")
def test_the_units_are_what_systemd_takes(program: Path, tmp_path: Path) -> None:
    units = installed(program, tmp_path / "root") / "etc" / "systemd" / "system"
    assert output("systemd-analyze", "verify", *map(str, sorted(units.iterdir()))) == ""


@needs("systemd-analyze")
@pytest.mark.parametrize(("unit", "most"), [("tandem.service", 2.0), ("tandem-backup.service", 1.5)])
def test_the_units_are_hardened(unit: str, most: float) -> None:
    told = output("systemd-analyze", "security", "--offline=true", str(DEPLOY / unit))
    found = re.search(r"exposure level for \S+: ([\d.]+)", told)
    assert found
    assert float(found[1]) <= most


def test_installing_makes_program_folders_and_units_and_can_be_done_again(program: Path, tmp_path: Path) -> None:
    root = installed(installed(program, tmp_path / "root") / "usr/local/bin/tandem", tmp_path / "root")
    modes = {name: oct((root / name).stat().st_mode & 0o777) for name in ("etc/tandem", "var/lib/tandem")}
    assert modes == {"etc/tandem": "0o750", "var/lib/tandem": "0o700"}
    assert "Tandem" in output(str(root / "usr/local/bin/tandem"), "--version")
    names = {path.name for path in (root / "etc/systemd/system").iterdir()}
    assert names == {"tandem.service", "tandem-backup.service", "tandem-backup.timer"}


@needs("caddy")
def test_the_example_for_caddy_is_valid(tmp_path: Path) -> None:
    told = output(
        "caddy", "validate", "--adapter", "caddyfile", "--config", str(DEPLOY / "Caddyfile"), HOME=str(tmp_path)
    )
    assert "Valid configuration" in told


@needs("nginx")
def test_the_example_for_nginx_is_valid(tmp_path: Path) -> None:
    text = (DEPLOY / "nginx.conf").read_text()
    for name in ("fullchain.pem", "privkey.pem"):
        text = text.replace(f"/etc/letsencrypt/live/board.example.com/{name}", str(tmp_path / name))
    key = ["-newkey", "rsa:2048", "-nodes", "-keyout", str(tmp_path / "privkey.pem")]
    output("openssl", "req", "-x509", *key, "-out", str(tmp_path / "fullchain.pem"), "-subj", "/CN=board.example.com")
    (tmp_path / "site.conf").write_text(text)
    (tmp_path / "nginx.conf").write_text(
        f"pid {tmp_path}/pid; error_log {tmp_path}/error; events {{}} http {{ access_log off; include site.conf; }}"
    )
    assert "test is successful" in output("nginx", "-t", "-c", str(tmp_path / "nginx.conf"))


def test_the_proxies_pass_what_the_service_takes_and_keep_inside_what_is_for_the_machine() -> None:
    for name in ("Caddyfile", "nginx.conf"):
        text = (DEPLOY / name).read_text()
        sizes = [int(size) for size in re.findall(r"(?:max_size|client_max_body_size) (\d+)", text)]
        assert sizes == [70]  # a snapshot of 64 MiB in a form
        assert "metrics" in text
        assert re.search(r"flush_interval -1|proxy_buffering off", text)


async def metrics_of(world: World) -> tuple[set[str], set[str]]:
    """Return the names of all metrics without suffix, and those of all their series."""
    async with aiohttp.ClientSession() as http, http.get(world.url + "/metrics") as answer:
        text = await answer.text()
    names = set(re.findall(r"^# TYPE (\w+) (?:counter|gauge|histogram)$", text, re.MULTILINE))
    series = set(re.findall(r"^(\w+)(?:\{| )", text, re.MULTILINE))
    return names, series | names | {f"{name}_bucket" for name in names}


def named_in(expression: str) -> set[str]:
    return set(re.findall(r"\b(?:tandem|process)_\w+", expression))


def dashboard_expressions() -> list[str]:
    dashboard = json.loads((DEPLOY / "grafana.json").read_text())
    return [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]


def alerts() -> list[Any]:
    document = yaml.safe_load((DEPLOY / "alerts.yml").read_text())
    assert document.keys() == {"groups"}
    assert all(group.keys() == {"name", "rules"} for group in document["groups"])
    return [rule for group in document["groups"] for rule in group["rules"]]


async def test_the_dashboard_asks_only_for_metrics_that_there_are_and_shows_all_of_them(world: World) -> None:
    told, series = await metrics_of(world)
    asked = {name for expression in dashboard_expressions() for name in named_in(expression)}
    assert asked <= series
    shown = {name.removesuffix("_bucket") for name in asked}
    own = {name for name in told if name.startswith("tandem_")}
    assert own - shown == {"tandem_build_info", "tandem_tool_seconds"}


async def test_the_alerts_ask_only_for_metrics_that_there_are(world: World) -> None:
    _, series = await metrics_of(world)
    asked = {name for rule in alerts() for name in named_in(rule["expr"])}
    assert {"tandem_ready", "tandem_disk_free_bytes", "process_start_time_seconds"} <= asked <= series


def test_each_alert_has_a_name_of_its_own_a_severity_and_says_what_to_do() -> None:
    names = [rule["alert"] for rule in alerts()]
    assert len(names) == len(set(names)) > 5
    for rule in alerts():
        assert rule.keys() - {"for"} == {"alert", "expr", "labels", "annotations"}
        assert re.fullmatch(r"Tandem[A-Z][A-Za-z]+", rule["alert"])
        assert re.fullmatch(r"[0-9]+[smh]", rule.get("for", "1m"))
        assert rule["labels"].keys() == {"severity"}
        assert rule["annotations"].keys() == {"summary", "action"}
    readme = (DEPLOY / "README.md").read_text()
    (job,) = {match for rule in alerts() for match in re.findall(r'job="(\w+)"', rule["expr"])}
    assert f"job_name: {job}\n" in readme


@pytest.mark.parametrize("expression", [*dashboard_expressions(), *(rule["expr"] for rule in alerts())])
def test_prometheus_can_parse_every_expression(expression: str) -> None:
    parser = pytest.importorskip("promql_parser", reason="NOT CHECKED: promql-parser is not installed")
    parser.parse(expression.replace("$__rate_interval", "5m"))


HEALTH = ["tandem", "doctor", "--ready"]


def test_the_container_has_the_folders_and_the_user_that_the_program_wants() -> None:
    text = (DEPLOY / "Containerfile").read_text()
    assert "USER tandem" in text
    assert f"CMD {json.dumps(HEALTH)}" in text
    assert f'--health-cmd "{" ".join(HEALTH)}"' in text
    for variable in re.findall(r"(SERVICE_\w+)=", text):
        assert variable.removeprefix("SERVICE_").lower() in config.Settings.model_fields


# The keys of the Compose specification that are used, with the types that it allows.
COMPOSE_TYPES = {
    "build": dict, "image": str, "init": bool, "restart": str, "ports": list, "environment": dict, "volumes": list,
    "healthcheck": dict, "stop_grace_period": str, "mem_limit": str, "read_only": bool, "tmpfs": list, "cap_drop": list,
    "security_opt": list,
}  # fmt: skip


def test_the_compose_file_runs_the_image_with_volumes_a_health_check_and_few_rights() -> None:
    document = yaml.safe_load((DEPLOY / "compose.yaml").read_text())
    assert document.keys() == {"name", "services", "volumes"}
    service = document["services"]["tandem"]
    assert {key: type(value) for key, value in service.items()} == COMPOSE_TYPES
    assert (
        (DEPLOY / service["build"]["context"]) / service["build"]["dockerfile"]
    ).resolve() == DEPLOY / "Containerfile"
    image = (DEPLOY / "Containerfile").read_text()
    check = service["healthcheck"]
    assert check["test"] == ["CMD", *HEALTH]
    assert f"--interval={check['interval']} --timeout={check['timeout']} --retries={check['retries']}" in image
    assert f"--start-period={check['start_period']}" in image
    volumes = dict(volume.split(":") for volume in service["volumes"])
    assert volumes.keys() == document["volumes"].keys()
    assert all(f"{folder} " in image or f"{folder}\n" in image for folder in volumes.values())
    assert service["ports"] == ["127.0.0.1:8080:8080"]


def test_the_settings_of_the_compose_file_exist_and_an_empty_one_counts_as_not_set(tmp_path: Path) -> None:
    service = yaml.safe_load((DEPLOY / "compose.yaml").read_text())["services"]["tandem"]
    values = {name: re.sub(r"^\$\{\w+:-(.*)\}$", r"\1", value) for name, value in service["environment"].items()}
    schedule = {name: value for name, value in values.items() if name.startswith("SERVICE_BACKUP_")}
    assert schedule["SERVICE_BACKUP_DIR"] in [volume.partition(":")[2] for volume in service["volumes"]]
    (tmp_path / "config.toml").write_text("port = 9000")
    settings = config.load(str(tmp_path / "config.toml"), values)
    assert settings == config.load(str(tmp_path / "config.toml"), schedule)
    for name, value in service["environment"].items():
        assert name == "SERVICE_BACKUP_DIR" or value.startswith(f"${{{name}:-")


def test_an_image_is_built_from_the_source_alone() -> None:
    first, *allowed = [line for line in (RUN.parent / ".dockerignore").read_text().splitlines() if line[0] != "#"]
    assert first == "**"
    names = {line[1:] for line in allowed if line[0] == "!"}
    assert all((RUN.parent / name).exists() for name in names)
    assert names.isdisjoint({".git", ".venv", "data", "config.toml", "tests"})
    assert names >= {"service", "sql", "deploy", "setup.py", "pyproject.toml", "README.md", "LICENSE"}
