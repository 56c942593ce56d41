"""Version and environment of the running service, for operators."""

import platform
import time

from .. import PRODUCT, VERSION
from ..auth.context import Call
from ..auth.policies import architect
from ..database import migrate
from ..database.queries import sql
from ..pipeline.routing import routes
from ..runtime import build_info
from ..schemas import Output

_started = time.monotonic()


class Database(Output):
    engine: str
    version: str


class About(Output):
    """The running deployment."""

    product: str
    version: str
    git_sha: str | None
    build_time: str | None
    dotnet_version: None
    python_version: str
    schema_version: int
    host: str
    uptime: str
    database: Database


@routes.get("/admin/about", architect())
def get_about(call: Call) -> About:
    """Return the version, uptime and environment of the service (SA)."""
    return About(
        product=PRODUCT,
        version=VERSION,
        git_sha=build_info.GIT_SHA,
        build_time=build_info.BUILD_TIME,
        dotnet_version=None,
        python_version=platform.python_version(),
        schema_version=migrate.schema_version(),
        host=platform.node(),
        uptime=format_duration(time.monotonic() - _started),
        database=Database(engine="SQLite", version=call.tx.value(sql.about.engine_version)),
    )


def format_duration(seconds: float) -> str:
    """Return a number of seconds as an ISO 8601 duration, for example P2DT3H4M5S."""
    minutes, second = divmod(int(seconds), 60)
    hours, minute = divmod(minutes, 60)
    days, hour = divmod(hours, 24)
    return f"P{days}DT{hour}H{minute}M{second}S" if days else f"PT{hour}H{minute}M{second}S"
