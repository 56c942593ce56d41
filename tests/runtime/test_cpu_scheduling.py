"""CPU affinity and thread priorities: one core, but all for hashes, and nothing that a sandbox can break."""

import asyncio
import os
import sys
import threading
from pathlib import Path

import pytest

from service.database.store import Tx
from service.runtime import cpu_scheduling
from service.runtime.thread_pool import BoundedThreadPool

from ..process import ServiceProcess, run_process
from ..sandbox import needs_seccomp, refusing
from ..world import SA, World

needs_linux = pytest.mark.skipif(sys.platform != "linux", reason="threads are kept on cores on Linux only")
CORES = os.sched_getaffinity(0) if sys.platform == "linux" else set()
needs_cores = pytest.mark.skipif(len(CORES) < 2, reason="there is only one core to be on")
CPUSETS = Path("/sys/fs/cgroup/cpuset")
needs_cpusets = pytest.mark.skipif(not os.access(CPUSETS, os.W_OK), reason="this user cannot make cpusets")
CALLS = ("getpriority", "setpriority", "sched_getaffinity", "sched_setaffinity", "setrlimit", "prlimit64")


def cores_of(process: ServiceProcess) -> list[set[int]]:
    """Return the cores that each thread of a process may use."""
    pid = process.process.pid
    return [os.sched_getaffinity(int(thread)) for thread in os.listdir(f"/proc/{pid}/task")]


def log_of(process: ServiceProcess) -> str:
    """Stop a service and return what it logged."""
    assert process.stop() == 0
    return process.log.read_text()


def niceness() -> int:
    """Return the niceness of the calling thread."""
    return os.getpriority(os.PRIO_PROCESS, threading.get_native_id())


@needs_linux
@needs_cores
async def test_a_service_keeps_to_one_core_but_for_what_hashes_passwords(service_process: ServiceProcess) -> None:
    before = cores_of(service_process)
    assert len(before) > 4
    assert {len(cores) for cores in before} == {1}
    (core,) = set.union(*before)
    async with World(service_process.url):  # they sign in
        after = cores_of(service_process)
    hashing = [cores for cores in after if len(cores) > 1]
    assert hashing in ([CORES], [CORES] * 2)  # there are at most two threads
    assert log_of(service_process).count(f"CPU core: {core} (cpu_affinity = auto)") == 1


@needs_linux
def test_a_service_stays_on_the_cores_that_it_was_given(settings: object, tmp_path: Path) -> None:
    given = max(CORES)
    os.sched_setaffinity(0, {given})  # as `taskset` and CPUAffinity= do
    try:
        with ServiceProcess(tmp_path) as process:
            assert set.union(*cores_of(process)) == {given}
    finally:
        os.sched_setaffinity(0, CORES)


@needs_linux
@pytest.mark.parametrize("core", sorted(CORES)[:2])
def test_the_setting_names_a_core(settings: object, tmp_path: Path, core: int) -> None:
    (tmp_path / "config.toml").write_text(f"cpu_affinity = {core}\n")
    with ServiceProcess(tmp_path) as process:
        assert set.union(*cores_of(process)) == {core}
        assert f"CPU core: {core} (cpu_affinity = {core})" in log_of(process)


@needs_linux
def test_a_service_may_use_all_cores(settings: object, tmp_path: Path) -> None:
    with ServiceProcess(tmp_path, {"SERVICE_CPU_AFFINITY": "off"}) as process:
        assert all(cores == CORES for cores in cores_of(process))
        assert "CPU core: any" in log_of(process)


def test_another_value_of_the_setting_is_refused(tmp_path: Path) -> None:
    ended = run_process(folder=tmp_path, environment={"SERVICE_CPU_AFFINITY": "two"})
    assert ended.returncode != 0
    assert "SERVICE_CPU_AFFINITY: must be auto, off or the number of a core" in ended.stderr


@needs_seccomp
async def test_a_sandbox_that_refuses_the_calls_stops_neither_start_nor_sign_in_nor_export(
    settings: object, tmp_path: Path
) -> None:
    process = ServiceProcess(tmp_path, {"SERVICE_JWT_SECRET": "x" * 32})
    process.run = refusing(tmp_path, *CALLS)
    with process:
        assert all(cores == CORES for cores in cores_of(process))
        async with World(process.url) as world:
            assert (await world.sa.get("/admin/export")).ok()["meta"]["product"] == "Tandem"
        assert "CPU core: any (sched_setaffinity: Operation not permitted)" in log_of(process)


@needs_cores
@needs_cpusets
async def test_sign_in_goes_on_when_the_cores_that_the_process_may_use_change(settings: object, tmp_path: Path) -> None:
    first, second = sorted(CORES)[:2]
    cpuset = CPUSETS / f"tandem-test-{os.getpid()}"
    cpuset.mkdir()
    try:
        (cpuset / "cpuset.mems").write_text("0")
        (cpuset / "cpuset.cpus").write_text(f"{first},{second}")
        with ServiceProcess(tmp_path, {"SERVICE_CPU_AFFINITY": str(first)}) as process:
            (cpuset / "cgroup.procs").write_text(str(process.process.pid))
            (cpuset / "cpuset.cpus").write_text(str(second))
            async with World(process.url) as world:
                assert set.union(*cores_of(process)) == {second}
                (cpuset / "cpuset.cpus").write_text(f"{first},{second}")
                (await world.sa.get("/auth/me")).ok()
                await world.login(SA)
    finally:
        cpuset.rmdir()


@needs_linux
@needs_cores
async def test_sign_in_goes_on_when_threads_are_moved_to_another_core(service_process: ServiceProcess) -> None:
    (core,) = set.union(*cores_of(service_process))
    for thread in os.listdir(f"/proc/{service_process.process.pid}/task"):
        os.sched_setaffinity(int(thread), CORES - {core})
    async with World(service_process.url):
        pass
    assert service_process.stop() == 0


@needs_linux
async def test_only_background_work_has_a_lower_priority(world: World) -> None:
    assert world.service is not None
    usual = niceness()

    def measure(_: Tx) -> int:
        return niceness()

    assert await world.service.store.read(measure) == usual
    assert await world.service.store.write(measure) == usual
    assert await BoundedThreadPool("test", threads=1, total_max=1, source_max=1).run(niceness, "a") == usual
    lowered: list[int] = []
    thread = threading.Thread(target=lambda: (cpu_scheduling.lower_priority(), lowered.append(niceness())))
    thread.start()
    await asyncio.to_thread(thread.join)
    assert lowered[0] > usual or lowered[0] == 19
