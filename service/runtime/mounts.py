"""The type of the file system of a path, from Linux's table of mounts."""

import re
from pathlib import Path

TABLE = Path("/proc/self/mountinfo")
# They lack locks or shared memory that all clients agree on, which SQLite needs.
NETWORK_TYPES = {
    "9p", "afs", "beegfs", "ceph", "cifs", "coda", "davfs", "glusterfs", "gpfs", "lustre", "ncpfs", "nfs", "nfs4",
    "smb3", "smbfs", "vboxsf", "fuse.ceph", "fuse.glusterfs", "fuse.rclone", "fuse.s3fs", "fuse.sshfs",
}  # fmt: skip
_ESCAPED = re.compile(r"\\([0-7]{3})")


def find_type(path: Path, table: str) -> str | None:
    """Return the file system type of an absolute path without links, or None if the table does not list it."""
    found, length = None, -1
    for line in table.splitlines():
        before, _, after = line.partition(" - ")
        fields, more = before.split(" "), after.split(" ")
        if len(fields) < 5 or not more[0]:
            continue
        point = Path(_ESCAPED.sub(lambda match: chr(int(match[1], 8)), fields[4]))
        # Of several mounts on one folder, the last one is seen.
        if path.is_relative_to(point) and len(point.parts) >= length:
            found, length = more[0], len(point.parts)
    return found


def find_network_type(path: Path) -> str | None:
    """Return the file system type of a path if it is one of a network, else None."""
    try:
        table = TABLE.read_text("utf-8", "surrogateescape")
    except OSError:  # not Linux
        return None
    found = find_type(path.resolve(), table)
    return found if found in NETWORK_TYPES else None
