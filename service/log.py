"""The log: one JSON line per request, written by a thread of its own so that no request waits for it."""

import json
import logging
import sys
import threading
from collections import deque
from json.encoder import encode_basestring_ascii as quoted
from typing import TextIO

from aiohttp import web
from aiohttp.abc import AbstractAccessLogger

from .clock import now
from .errors import REQUEST_CONTEXT, RequestContext
from .runtime.counters import OTHER, Counters

FLUSH_SECONDS = 0.2  # between two writes
LINES_PER_WRITE = 64  # when as many wait, they are written sooner
LINES_BUFFERED_MAX = 100_000  # while the output stalls
TRACEBACK_BYTES_MAX, TRACEBACK_HEAD_BYTES = 8000, 2000  # in one line, and from its beginning; the rest is its end
_LEVELS = {"debug": logging.DEBUG, "info": logging.INFO, "warning": logging.WARNING, "error": logging.ERROR}


class Lines:
    """Lines on their way to the output: taken at once, written a little later."""

    def __init__(self, output: TextIO | None = None) -> None:
        self._output = output or sys.stderr
        self._lines: deque[str] = deque(maxlen=LINES_BUFFERED_MAX)
        self._wake = threading.Event()
        self._stopped = False
        self._thread = threading.Thread(target=self._write_on, name="log", daemon=True)
        self._thread.start()

    def add(self, line: str) -> None:
        """Take one line; if the output has stalled for very long, the oldest one is dropped for it."""
        self._lines.append(line)
        # Few at a time: thousands of lines that wait push what requests need out of the processor's cache.
        if len(self._lines) == LINES_PER_WRITE:
            self._wake.set()

    def _write_on(self) -> None:
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
            except (OSError, ValueError):  # the output was closed: there is nowhere left to say so
                return

    def close(self) -> None:
        """Write what is left."""
        self._stopped = True
        self._wake.set()
        self._thread.join(2)
        self._flush()


class _Handler(logging.Handler):
    """Turns the records of the standard library into lines."""

    def __init__(self, lines: Lines) -> None:
        super().__init__()
        self._lines = lines

    def emit(self, record: logging.LogRecord) -> None:
        line = {"time": now(), "level": record.levelname.lower(), "message": record.getMessage()}
        if record.exc_info:
            line["exception"] = _cut(logging.Formatter().formatException(record.exc_info))
        self._lines.add(json.dumps(line))


def _cut(text: str) -> str:
    """Give the beginning and the end of a text that is too long: what callers send may be part of a traceback."""
    plain = text.encode("ascii", "backslashreplace").decode()
    if len(plain) <= TRACEBACK_BYTES_MAX:
        return text
    tail = TRACEBACK_BYTES_MAX - TRACEBACK_HEAD_BYTES
    return f"{plain[:TRACEBACK_HEAD_BYTES]}\n… {len(plain) - TRACEBACK_BYTES_MAX} bytes left out …\n{plain[-tail:]}"


def start(level: str, output: TextIO | None = None) -> Lines:
    """Send everything that is logged to one place."""
    lines = Lines(output)
    root = logging.getLogger()
    root.handlers[:] = [_Handler(lines)]
    root.setLevel(_LEVELS[level])
    for noisy in ("asyncio", "aiosqlite", "aiohttp", "mcp"):
        logging.getLogger(noisy).setLevel(logging.WARNING)
    logging.getLogger("python_multipart").setLevel(logging.ERROR)  # it warns of each form that is answered with 400
    return lines


class RequestLog(AbstractAccessLogger):
    """One line per request: what was asked, by whom, what came back and how long it took.

    Neither the query string nor any header or body is written: they may carry secrets.
    """

    lines: Lines | None = None
    counters: Counters

    @property
    def enabled(self) -> bool:
        """Tell that every request is to be taken: it is counted, whether it is logged or not."""
        return True

    def log(self, request: web.BaseRequest, response: web.StreamResponse, time: float) -> None:
        """Count one request and take its line (time in seconds)."""
        # One that is no valid HTTP has not come far.
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
        # Formatted by hand: this is on the path of every request, and a dictionary costs three times as much.
        return (
            f'{{"time":"{now()}","level":"info","requestId":{quoted(request_context.request_id)},'
            f'"method":{quoted(request.method)},"path":{quoted(request.rel_url.raw_path)},"status":{response.status},'
            f'"ms":{time * 1000:.2f},"caller":{_or_null(caller)},"agent":{_or_null(request_context.agent_id)},'
            f'"tool":{_or_null(request_context.tool)},"code":{_or_null(request_context.code)},"address":{quoted(address)}}}'
        )


def _or_null(text: str | None) -> str:
    return quoted(text) if text else "null"
