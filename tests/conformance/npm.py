"""Programs from npm, installed for one test into a folder of its own; without Node.js or the registry it is skipped."""

import asyncio
import os
import re
import shutil
import subprocess
from pathlib import Path

import pytest

NODE = 22  # the oldest major version that the programs run on
AWAY = re.compile("ENOTFOUND|ECONNREFUSED|ECONNRESET|ETIMEDOUT|EAI_AGAIN|ENETUNREACH|ERR_SOCKET_TIMEOUT|E5\\d\\d")
COMMAND_TIMEOUT_SECONDS = 300


def _environment(folder: Path) -> dict[str, str]:
    """Keep what is installed, and what the programs write, inside the folder."""
    return {**os.environ, "HOME": str(folder), "npm_config_cache": str(folder / "cache"), "NO_COLOR": "1"}


def install(package: str, folder: Path) -> Path:
    """Install a package and return the folder that it is in; skip the test if the registry is not reachable."""
    if not shutil.which("node") or not shutil.which("npm"):
        pytest.skip(f"NOT CHECKED: {package} needs Node.js {NODE} and npm, and there are none")
    version = subprocess.run(["node", "--version"], capture_output=True, text=True, check=True).stdout.strip()
    if int(version[1:].partition(".")[0]) < NODE:
        pytest.skip(f"NOT CHECKED: {package} needs Node.js {NODE}, and this is {version}")
    options = ["--no-audit", "--no-fund", "--ignore-scripts", "--fetch-retries=1", "--fetch-timeout=60000"]
    command = ["npm", "install", "--prefix", str(folder), *options, package]
    done = subprocess.run(
        command, env=_environment(folder), capture_output=True, text=True, timeout=COMMAND_TIMEOUT_SECONDS, check=False
    )
    if done.returncode and AWAY.search(done.stderr):
        pytest.skip(f"NOT CHECKED: the npm registry is not reachable for {package}")
    assert done.returncode == 0, done.stderr
    return folder / "node_modules" / package.rpartition("@")[0]


async def run(script: Path, *arguments: str, folder: Path) -> tuple[int, str, str]:
    """Run a program to its end; return its exit code, its output and its errors."""
    process = await asyncio.create_subprocess_exec(
        "node",
        str(script),
        *arguments,
        cwd=folder,
        env=_environment(folder),
        stdin=asyncio.subprocess.DEVNULL,
        stdout=asyncio.subprocess.PIPE,
        stderr=asyncio.subprocess.PIPE,
    )
    try:
        output, errors = await asyncio.wait_for(process.communicate(), COMMAND_TIMEOUT_SECONDS)
    finally:
        if process.returncode is None:
            process.kill()
    assert process.returncode is not None
    return process.returncode, output.decode(), errors.decode()
