"""How much memory a service process has."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

from .process import ServiceProcess


@dataclass
class Growth:
    """How many MiB of memory a process had more at its peak than before."""

    mib: float = 0.0


@contextmanager
def growth(service: ServiceProcess) -> Iterator[Growth]:
    """Measure how much memory a service needs beyond what it has, at the peak of what is done meanwhile (Linux)."""
    process = Path(f"/proc/{service.process.pid}")
    (process / "clear_refs").write_text("5")  # the peak begins anew
    before, grown = _status(process, "VmRSS"), Growth()
    yield grown
    grown.mib = (_status(process, "VmHWM") - before) / 1024


def _status(process: Path, key: str) -> int:
    lines = (process / "status").read_text("ascii").splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith(f"{key}:"))


def resident_mib(service: ServiceProcess) -> float:
    """Return how much memory a service has now, in MiB (Linux)."""
    return _status(Path(f"/proc/{service.process.pid}"), "VmRSS") / 1024
