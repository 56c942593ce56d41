"""Collection of the metrics and their Prometheus text format."""

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
from ..runtime import copy_ages
from .health import OK

CONTENT_TYPE = CONTENT_TYPE_PLAIN_0_0_4


def collect(service: Service, results: Mapping[str, str]) -> list[Metric]:
    """Return the metrics that are counted in memory; runs on the event loop, which alone changes them."""
    return [
        _gauge("build_info", "Version of the service and its schema.", {_version(): 1}, "version", "schema"),
        _gauge("ready", "1 if the check of /readyz succeeds.", _ready(results), "check"),
        *service.counters.registry.collect(),
        *_list_database_metrics(service.store),
        *_list_usage_metrics(service),
        _counter("limit_refusals", "Requests refused by a rate limit.", _single(service.buckets.rejections), "limit"),
        _gauge("listeners", "Open event streams and long polls.", service.listeners.count),
        _counter("webhook_attempts", "Delivery attempts.", _single(service.webhook_dispatcher.outcomes), "outcome"),
    ]


def render(metrics: list[Metric], service: Service) -> bytes:
    """Add the metrics of the database and the disk, and return all in the text format; runs on a thread."""
    registry = CollectorRegistry()
    ProcessCollector(registry=registry)
    registry.register(
        _FixedCollector([*metrics, *_list_stored_metrics(service.store), *_list_disk_metrics(service.settings)])
    )
    return generate_latest(registry)


class _FixedCollector(Collector):
    def __init__(self, metrics: list[Metric]) -> None:
        self._metrics = metrics

    def collect(self) -> list[Metric]:
        return self._metrics


def _version() -> tuple[str, str]:
    return VERSION, str(migrate.schema_version())


def _ready(results: Mapping[str, str]) -> dict[tuple[str, ...], float]:
    return {(check,): float(finding == OK) for check, finding in results.items()}


def _single(counts: Mapping[str, int]) -> dict[tuple[str, ...], float]:
    return {(label,): count for label, count in counts.items()}


def _list_database_metrics(store: Store) -> Iterator[Metric]:
    stats = store.stats
    yield _counter("writer_groups", "Groups of writes that shared a commit.", stats.groups)
    yield _counter("writer_units", "Writes in those groups.", stats.units)
    yield _counter("writer_busy_seconds", "Seconds that groups of writes took.", stats.group_seconds)
    yield _gauge("writer_longest_group_seconds", "Duration of the longest group since startup.", stats.longest_group)
    yield _gauge("writer_queue", "Writes that wait in the queue.", store.queue_length)
    yield _counter("reader_reads", "Reads of many rows.", stats.reads)
    yield _counter("reader_wait_seconds", "Seconds that they waited for a reader.", stats.read_waits)


def _list_usage_metrics(service: Service) -> Iterator[Metric]:
    largest = service.database_usage.get_largest_bytes()
    yield _gauge("database_largest_organization_bytes", "Bytes of the database of the largest organization.", largest)
    quota = service.settings.database_quota_bytes
    yield _gauge("database_quota_bytes", "Quota of each organization in the database; 0: none.", quota)


def _list_stored_metrics(store: Store) -> Iterator[Metric]:
    with contextlib.closing(store.snapshot()) as snapshot:
        row = snapshot.one(sql.monitoring.gauges, now=now())
    assert row is not None
    yield _counter("events", "Events ever written.", row["events"] or 0)
    yield _gauge("claims", "Live claims.", row["claims"])
    yield _gauge("webhook_deliveries_pending", "Pending webhook deliveries.", row["deliveries_pending"])
    yield _gauge("search_backlog_cards", "Cards that are not yet in the search index.", row["search_backlog"])
    yield _gauge("lost_files", "Files whose contents are missing or damaged.", row["lost_files"])


def _list_disk_metrics(settings: Settings) -> Iterator[Metric]:
    folders = {"data": settings.data_path, "files": settings.files}
    free = {(name,): float(shutil.disk_usage(folder).free) for name, folder in folders.items() if folder.is_dir()}
    yield _gauge("disk_free_bytes", "Free space on the disk of the folder.", free, "folder")
    ages = {(kind,): age for kind, age in copy_ages.list_copy_ages(settings.database).items()}
    yield _gauge("copy_age_seconds", "Age of the last backup, and of what Litestream has not copied.", ages, "copy")
    yield _gauge("database_bytes", "Size of the database.", _size(settings.database))
    wal = settings.database.with_name(settings.database.name + "-wal")
    yield _gauge("database_log_bytes", "Size of the write-ahead log.", _size(wal))


def _size(path: Path) -> int:
    return path.stat().st_size if path.is_file() else 0


def _counter(name: str, text: str, counts: Mapping[Any, float] | float, *labels: str) -> Metric:
    return _add_values(CounterMetricFamily(f"tandem_{name}", text, labels=labels), counts)


def _gauge(name: str, text: str, values: Mapping[Any, float] | float, *labels: str) -> Metric:
    return _add_values(GaugeMetricFamily(f"tandem_{name}", text, labels=labels), values)


def _add_values(family: CounterMetricFamily | GaugeMetricFamily, values: Mapping[Any, float] | float) -> Metric:
    rows = values.items() if isinstance(values, Mapping) else [((), values)]
    for labels, value in rows:
        family.add_metric(labels, value)
    return family
