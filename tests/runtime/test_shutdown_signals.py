"""The end of a terminal stops the service in order, unless that signal is ignored, as nohup does."""

import signal
import subprocess
import sys
from pathlib import Path

from ..process import RUN, ServiceProcess, bare_environment


def test_a_closed_terminal_stops_the_service_in_order(service_process: ServiceProcess) -> None:
    service_process.process.send_signal(signal.SIGHUP)
    assert service_process.process.wait(20) == 0


def test_nohup_keeps_the_service_from_it(tmp_path: Path) -> None:
    code = "from service.runtime import shutdown; print([each.name for each in shutdown.list_signals()])"
    command = ["nohup", sys.executable, "-c", code]
    environment = {**bare_environment(), "PYTHONPATH": str(RUN.parent)}
    done = subprocess.run(command, cwd=tmp_path, env=environment, capture_output=True, text=True, check=True)
    assert done.stdout.strip() == "['SIGTERM', 'SIGINT']"
