"""How long a request waits while others keep the service busy."""

import http.client
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from urllib.parse import urlsplit

PAUSE_SECONDS = 0.005  # between two requests


@contextmanager
def waits(url: str, path: str = "/healthz") -> Iterator[list[float]]:
    """Send small requests one after another on a connection of their own, and list how many seconds each waited."""
    address, found, is_over = urlsplit(url), list[float](), threading.Event()

    def ask() -> None:
        connection = http.client.HTTPConnection(str(address.hostname), address.port, timeout=30)
        while not is_over.is_set():
            began = time.perf_counter()
            connection.request("GET", path)
            connection.getresponse().read()
            found.append(time.perf_counter() - began)
            time.sleep(PAUSE_SECONDS)
        connection.close()

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        yield found
    finally:
        is_over.set()
        thread.join()
