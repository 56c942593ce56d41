"""Build information: the Git commit of a checkout and the time of its newest file, read once at the start."""

from datetime import UTC, datetime
from pathlib import Path

from ..clock import timestamp

_PACKAGE = Path(__file__).parents[1]


def read_git_sha(checkout: Path = _PACKAGE.parent) -> str | None:
    """Return the commit that is checked out, or None for an installed package."""
    try:
        folder = _find_git_folder(checkout / ".git")
        head = (folder / "HEAD").read_text("ascii").strip()
        return _read_reference(folder, head.removeprefix("ref: ")) if head.startswith("ref: ") else head
    except (OSError, ValueError):
        return None


def _find_git_folder(path: Path) -> Path:
    if path.is_dir():
        return path
    return path.parent / path.read_text("utf-8").strip().removeprefix("gitdir: ")  # a worktree


def _read_reference(folder: Path, reference: str) -> str | None:
    shared = folder / "commondir"
    folders = [folder, folder / shared.read_text("utf-8").strip()] if shared.exists() else [folder]
    for candidate in folders:
        if (candidate / reference).is_file():
            return (candidate / reference).read_text("ascii").strip()
    packed = folders[-1] / "packed-refs"
    lines = packed.read_text("ascii").splitlines() if packed.is_file() else []
    return next((line.split()[0] for line in lines if line.endswith(f" {reference}")), None)


def _read_build_time() -> str | None:
    try:
        newest = max(file.stat().st_mtime for file in _PACKAGE.rglob("*.py"))
    except (OSError, ValueError):
        return None
    return timestamp(datetime.fromtimestamp(newest, UTC))


GIT_SHA = read_git_sha()
BUILD_TIME = _read_build_time()
