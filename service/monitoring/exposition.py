"""The metrics themselves: their names, what they mean, and where their numbers come from."""

import contextlib
import shutil
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from prometheus_client import CollectorRegistry, Metric, ProcessCollector, generate_latest
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.exposition import CONTENT_TYPE_PLAIN_0_0_4
from prometheus_client.registry import Collector

from .. import VERSION
from ..auth.context import Service
from ..clock import now
from ..config import Settings
from ..database import migrate
from ..database.queries import sql
from ..database.store import Store
from .health import OK

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


def gathered(service: Service, found: Mapping[str, str]) -> list[Metric]:
    """Take what is counted in memory, on the event loop, which alone changes it."""
    return [
        _gauge("build_info", "Which version runs on which schema.", {_version(): 1}, "version", "schema"),
        _gauge("ready", "1 where a check of /readyz is well.", _ready(found), "check"),
        *service.counters.registry.collect(),
        *_database(service.store),
        _counter("limit_refusals", "Requests refused by a rate limit.", _single(service.buckets.refusals), "limit"),
        _gauge("listeners", "Open event streams and long polls.", service.listeners.count),
        _counter("webhook_attempts", "Attempts to deliver.", _single(service.webhook_dispatcher.outcomes), "outcome"),
    ]


def written(metrics: list[Metric], service: Service) -> bytes:
    """Add what is read from database and disk, and write all of it; on a thread."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(_Given([*metrics, *_stored(service.store), *_disk(service.settings)]))
    return generate_latest(registry)


class _Given(Collector):
    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> list[Metric]:
        return self._metrics


def _version() -> tuple[str, str]:
    return VERSION, str(migrate.schema_version())


def _ready(found: Mapping[str, str]) -> dict[tuple[str, ...], float]:
    return {(check,): float(finding == OK) for check, finding in found.items()}


def _single(counts: Mapping[str, int]) -> dict[tuple[str, ...], float]:
    return {(label,): count for label, count in counts.items()}


def _database(store: Store) -> Iterator[Metric]:
    figures = store.figures
    yield _counter("writer_groups", "Groups of writes that shared a commit.", figures.groups)
    yield _counter("writer_units", "Writes in those groups.", figures.units)
    yield _counter("writer_busy_seconds", "Seconds that groups took.", figures.group_seconds)
    yield _gauge("writer_longest_group_seconds", "The longest group since the start.", figures.longest_group)
    yield _gauge("writer_queue", "Writes that wait.", store.queued)
    yield _counter("reader_reads", "Reads of many rows.", figures.reads)
    yield _counter("reader_wait_seconds", "Seconds that they waited for a reader.", figures.read_waits)


def _stored(store: Store) -> Iterator[Metric]:
    with contextlib.closing(store.snapshot()) as view:
        row = view.one(sql.monitoring.gauges, now=now()) or {}
    yield _counter("events", "Events ever written.", row["events"] or 0)
    yield _gauge("claims", "Live claims.", row["claims"])
    yield _gauge("webhook_deliveries_pending", "Deliveries that wait.", row["deliveries_pending"])
    yield _gauge("search_backlog_cards", "Cards that search has yet to index.", row["search_backlog"])


def _disk(settings: Settings) -> Iterator[Metric]:
    folders = {"data": settings.data_path, "files": settings.files}
    free = {(name,): float(shutil.disk_usage(folder).free) for name, folder in folders.items() if folder.is_dir()}
    yield _gauge("disk_free_bytes", "Free space where the folder is.", free, "folder")
    yield _gauge("database_bytes", "Size of the database.", _size(settings.database))
    log = settings.database.with_name(settings.database.name + "-wal")
    yield _gauge("database_log_bytes", "Size of its write-ahead log.", _size(log))


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _counter(name: str, text: str, counts: Mapping[Any, float] | float, *labels: str) -> Metric:
    return _filled(CounterMetricFamily(f"tandem_{name}", text, labels=labels), counts)


def _gauge(name: str, text: str, values: Mapping[Any, float] | float, *labels: str) -> Metric:
    return _filled(GaugeMetricFamily(f"tandem_{name}", text, labels=labels), values)


def _filled(family: CounterMetricFamily | GaugeMetricFamily, values: Mapping[Any, float] | float) -> Metric:
    rows = values.items() if isinstance(values, Mapping) else [((), values)]
    for labels, value in rows:
        family.add_metric(labels, value)
    return family
