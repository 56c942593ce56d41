"""Build one executable that contains everything, including Python.

    pip install '.[single]' && python deploy/single.py [FOLDER]

It writes FOLDER/tandem (default: dist/tandem) for the operating system and processor of this machine. It runs where the
C library is at least as new as here. PyInstaller, because the files of shiv and pex need a Python of the right version.
"""

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).parent.parent
# Modules that are imported conditionally or by a computed name; PyInstaller finds the others.
HIDDEN = ("service", "prometheus_client")
# Dependencies of dependencies that the program does not use.
LEFT_OUT = ("tkinter", "pytest", "_pytest", "mypy", "ruff", "setuptools", "pip", "uvicorn", "IPython", "playwright")


def build(target: Path) -> Path:
    """Build the executable in a folder and return its path."""
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
        sys.exit(f"{made} was not built")
    print(f"{made}: {made.stat().st_size / 1e6:.1f} MB")
