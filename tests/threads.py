"""Which threads of the service leave the core to what answers requests."""

import os
import threading


def assert_lower_priority(name: str) -> None:
    """Assert that there are threads of such a name, and that all of them come after the one that calls this."""
    threads = [thread for thread in threading.enumerate() if thread.name.startswith(name)]
    assert threads
    of_requests = os.getpriority(os.PRIO_PROCESS, threading.get_native_id())
    for thread in threads:
        niceness = os.getpriority(os.PRIO_PROCESS, thread.native_id or 0)
        assert niceness > of_requests or niceness == 19
