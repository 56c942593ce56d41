"""Make one executable file with everything in it, Python too:

    pip install '.[single]' && python deploy/single.py [FOLDER]

It writes FOLDER/tandem (dist/tandem), for the system and the processor that it runs on: it runs wherever the C library
is not older than here. PyInstaller, since shiv and pex make files that need a Python of the right version beside them,
and it is the best kept of those that do not.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
# What is imported under a condition, or by a name that is put together; PyInstaller sees the rest.
HIDDEN = ("service", "prometheus_client")
# Brought along by others, and of no use here.
LEFT_OUT = ("tkinter", "pytest", "_pytest", "mypy", "ruff", "setuptools", "pip", "uvicorn", "IPython", "playwright")


def build(target: Path) -> Path:
    """Build the executable in a folder and give its path."""
    with tempfile.TemporaryDirectory() as scratch:
        options = ["--onefile", "--name", "tandem", "--noconfirm", "--log-level", "WARN", "--strip"]
        options += ["--distpath", str(target), "--workpath", scratch, "--specpath", scratch, "--paths", str(ROOT)]
        options += [part for name in HIDDEN for part in ("--collect-submodules", name)]
        options += [part for name in LEFT_OUT for part in ("--exclude-module", name)]
        options += [
            "--add-data",
            f"{ROOT / 'sql'}:service/_sql",
            "--add-data",
            f"{ROOT / 'service' / 'web'}:service/web",
        ]
        options += ["--copy-metadata", "mcp", "--collect-data", "tzdata"]
        subprocess.run([sys.executable, "-m", "PyInstaller", *options, str(ROOT / "run.py")], check=True)
    return target / "tandem"


if __name__ == "__main__":
    made = build(Path(sys.argv[1]) if len(sys.argv) > 1 else ROOT / "dist")
    if shutil.which(str(made)) is None:
        sys.exit(f"{made} was not made")
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
