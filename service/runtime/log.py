"""The log: one JSON line per request, written by a separate thread so that no request waits for the output."""

import json
import logging
import sys
import threading
from collections import deque
from json.encoder import encode_basestring_ascii as quoted
from typing import TextIO

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger

from ..clock import now
from ..errors import REQUEST_CONTEXT, RequestContext
from .counters import OTHER, Counters

FLUSH_SECONDS = 0.2  # longest time between two writes
LINES_PER_WRITE = 64  # number of buffered lines that starts a write earlier
LINES_BUFFERED_MAX = 100_000  # while the output is blocked; then the oldest lines are dropped
TRACEBACK_BYTES_MAX, TRACEBACK_HEAD_BYTES = (
    8000,
    2000,
)  # per line, and of these from the beginning
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Lines:
    """A buffer of log lines, which a background thread writes to the output."""

    def __init__(self, output: TextIO | None = None) -> None:
        self._output = output or sys.stderr
        self._lines: deque[str] = deque(maxlen=LINES_BUFFERED_MAX)
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._run, name="log", daemon=True)
        self._thread.start()

    def add(self, line: str) -> None:
        """Buffer one line; if the buffer is full, drop the oldest one."""
        self._lines.append(line)
        # A long buffer would displace the working set of requests from the CPU cache.
        if len(self._lines) == LINES_PER_WRITE:
            self._wake.set()

    def _run(self) -> None:
        while not self._stopped:
            self._wake.wait(FLUSH_SECONDS)
            self._wake.clear()
            self._flush()

    def _flush(self) -> None:
        lines = [self._lines.popleft() for _ in range(len(self._lines))]
        if lines:
            try:
                self._output.write("\n".join(lines) + "\n")
                self._output.flush()
            except (OSError, ValueError):  # the output was closed, so the error cannot be logged
                return

    def close(self) -> None:
        """Stop the thread and write the remaining lines."""
        self._stopped = True
        self._wake.set()
        self._thread.join(2)
        self._flush()


class _Handler(logging.Handler):
    """A handler of the standard library's logging that buffers each record as a JSON line."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        line = {"time": now(), "level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            line["exception"] = _shorten(logging.Formatter().formatException(record.exc_info))
        self._lines.add(json.dumps(line))


def _shorten(text: str) -> str:
    """Return only the beginning and the end of a long traceback, which may contain large request data."""
    plain = text.encode("ascii", "backslashreplace").decode()
    if len(plain) <= TRACEBACK_BYTES_MAX:
        return text
    tail = TRACEBACK_BYTES_MAX - TRACEBACK_HEAD_BYTES
    return f"{plain[:TRACEBACK_HEAD_BYTES]}\n… {len(plain) - TRACEBACK_BYTES_MAX} bytes omitted …\n{plain[-tail:]}"


def start(level: str, output: TextIO | None = None) -> Lines:
    """Send all log records to one output and return its buffer."""
    lines = Lines(output)
    root = logging.getLogger()
    root.handlers[:] = [_Handler(lines)]
    root.setLevel(_LEVELS[level])
    for noisy in ("asyncio", "aiosqlite", "aiohttp", "mcp"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # it would log a warning for every malformed form
    return lines


class RequestLog(AbstractAccessLogger):
    """The access log: one line per request with its method, path, caller, status and duration.

    The query string, headers and bodies are not logged, since they may contain secrets.
    """

    lines: Lines | None = None
    counters: Counters

    @property
    def enabled(self) -> bool:
        """Return True, since every request is counted even if it is not logged."""
        return True

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
        """Count one request and log it (time in seconds)."""
        # A request that is not valid HTTP has no context.
        request_context = request.get(REQUEST_CONTEXT) or RequestContext(response.headers.get("X-Request-Id", ""))
        is_stream = response.headers.get("Content-Type", "").startswith("text/event-stream")
        self.counters.count_request(
            request.method, request_context.route or OTHER, response.status, None if is_stream else time
        )
        if request_context.code is not None:
            self.counters.count_error(request_context.code)
        if self.lines is not None and logging.getLogger().level <= logging.INFO:
            self.lines.add(self._line(request_context, request, response, time))

    def _line(
        self, request_context: RequestContext, request: web.BaseRequest, response: web.StreamResponse, time: float
    ) -> str:
        caller, address = request_context.caller_id, request_context.address or request.remote or ""
        # Formatted by hand, because every request pays for it and encoding a dictionary takes three times as long.
        return (
            f'{{"time":"{now()}","level":"info","requestId":{quoted(request_context.request_id)},'
            f'"method":{quoted(request.method)},"path":{quoted(request.rel_url.raw_path)},"status":{response.status},'
            f'"ms":{time * 1000:.2f},"caller":{_or_null(caller)},"agent":{_or_null(request_context.agent_id)},'
            f'"tool":{_or_null(request_context.tool)},"code":{_or_null(request_context.code)},"address":{quoted(address)}}}'
        )


def _or_null(text: str | None) -> str:
    return quoted(text) if text else "null"
