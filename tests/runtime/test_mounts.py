"""The table of mounts: the file system of a path is that of the innermost, last mount."""

import sys
from pathlib import Path

import pytest

from service.runtime import mounts

# From real machines; the fields before the hyphen vary in number.
TABLE = r"""
22 27 0:21 / /proc rw,relatime - proc proc rw
27 1 254:0 / / rw,relatime - ext4 /dev/vda rw,discard
36 27 0:45 / /var/lib rw,relatime shared:20 master:1 - xfs /dev/vdb rw
37 36 0:46 / /var/lib/tandem rw,relatime shared:21 - nfs4 nas:/export rw,vers=4.2,addr=10.0.0.5
38 27 0:47 / /mnt/two\040words rw,nosuid - fuse.sshfs me@host:/srv rw,user_id=0
39 27 0:48 / /srv rw - nfs nas:/srv rw
40 39 0:49 / /srv rw - ext4 /dev/vdc rw
broken
""".replace(r"\\", "\\")


@pytest.mark.parametrize(
    ("path", "expected"),
    [
        ("/", "ext4"),
        ("/home/ada/data", "ext4"),
        ("/var/lib", "xfs"),
        ("/var/lib/tandem", "nfs4"),
        ("/var/lib/tandem/data", "nfs4"),
        ("/var/lib/tandem2", "xfs"),
        ("/mnt/two words/data", "fuse.sshfs"),
        ("/srv/data", "ext4"),  # mounted over the other one
    ],
)
def test_the_type_is_that_of_the_mount_that_is_seen(path: str, expected: str) -> None:
    assert mounts.find_type(Path(path), TABLE) == expected


def test_a_table_without_the_path_says_nothing() -> None:
    assert mounts.find_type(Path("/data"), "") is None


@pytest.mark.skipif(sys.platform != "linux", reason="the table of mounts is Linux's")
def test_the_table_of_this_machine_can_be_read() -> None:
    assert mounts.find_type(Path("/proc/self"), mounts.TABLE.read_text()) == "proc"
    assert mounts.find_network_type(Path("/proc/self")) is None
