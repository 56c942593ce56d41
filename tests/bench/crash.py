"""Kill a service again and again under mixed load, and count what was acknowledged and what is there afterwards.

    python -m tests.bench.crash [kills]

Titles, comments, replies, comments under an Idempotency-Key, uploads and removals of files, moves, and an agent that
claims and gives back: a dozen writers at once. Each start is followed by a look at the cards of that round, the last by
a look at all of them, at the database (integrity_check, foreign_key_check) and by doctor. It ends with 1 if anything is
lost.
"""

import asyncio
import sys
import tempfile
import time
from pathlib import Path

from service.database.migrate import migrate

from ..conftest import make
from ..crashing import loop
from ..process import ServiceProcess, run_process
from ..world import SECRET
from . import yardstick


def main(kills: int) -> int:
    """Run the loop and print what was counted."""
    began = time.monotonic()
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "data").mkdir(mode=0o700)
        migrate(folder / "data" / "service.db")
        asyncio.run(make(folder / "data" / "service.db"))
        environment = {"SERVICE_JWT_SECRET": SECRET, "SERVICE_RATE_LIMIT_LOGIN": "100000"}
        with ServiceProcess(folder, environment) as service:
            tally = asyncio.run(loop(service, kills))
        doctor = run_process("doctor", folder=folder, environment=environment)
        print("\n".join(tally.told()))
        print(f"integrity_check        {'ok' if not any('database' in line for line in tally.lost) else 'see above'}")
        print(f"doctor                 ends with {doctor.returncode}")
        print(f"seconds                {time.monotonic() - began:.0f}")
    return 1 if tally.lost or doctor.returncode else 0


if __name__ == "__main__":
    sys.exit(main(*yardstick.numbers(__doc__, kills=50)))
