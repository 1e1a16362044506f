"""Work that cannot fit into memory says so before it starts."""

import shutil
import subprocess
import sys
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest

from singleout.core import memory, memory_limits
from singleout.errors import UnusableTable

Tree = dict[str, str]
Machine = Callable[[Tree], Path]


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    """What makes a file system from the contents of its files."""

    def made(files: Tree) -> Path:
        for name, text in files.items():
            file = tmp_path / name
            file.parent.mkdir(parents=True, exist_ok=True)
            file.write_text(text)
        return tmp_path

    return made


def test_what_fits_is_allowed_and_what_does_not_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: 10**9)
    memory.require_memory(10**9, "This")
    with pytest.raises(UnusableTable, match=r"This needs about 1\.5 GB.*1\.0 GB are available"):
        memory.require_memory(1_500_000_000, "This")


def test_where_the_system_does_not_say_nothing_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(memory, "available_memory", lambda: None)
    memory.require_memory(10**30, "This")


def test_the_available_memory_is_read_from_the_system(machine: Machine) -> None:
    root = machine({"proc/meminfo": "MemTotal:  9 kB\nMemAvailable:   5 kB\n"})
    assert memory.available_memory(root) == 5 * 1024


def test_without_meminfo_it_is_all_memory_or_unknown(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    amounts = {"SC_PHYS_PAGES": 3, "SC_PAGE_SIZE": 4096}
    monkeypatch.setattr(memory.os, "sysconf", amounts.__getitem__, raising=False)
    assert memory.available_memory(tmp_path) == 3 * 4096
    monkeypatch.delattr(memory.os, "sysconf")
    assert memory.available_memory(tmp_path) is None


# ---- control groups


V2 = "0 0 0:1 / /sys/fs/cgroup rw - cgroup2 cgroup2 rw,nsdelegate\n"
V1 = (
    "1 0 0:1 / /sys/fs/cgroup rw - tmpfs tmpfs rw\n"
    "2 1 0:2 / /sys/fs/cgroup/cpu rw - cgroup cgroup rw,cpu\n"
    "3 1 0:3 {shown} /sys/fs/cgroup/memory rw - cgroup cgroup rw,memory\n"
)
NO_LIMIT_V1 = "9223372036854771712"


def _v2(limit: object, used: int, idle: int = 0, folder: str = "", high: object = "max") -> Tree:
    folder_path = f"sys/fs/cgroup{folder}"
    return {
        f"{folder_path}/memory.max": f"{limit}\n",
        f"{folder_path}/memory.high": f"{high}\n",
        f"{folder_path}/memory.current": f"{used}\n",
        f"{folder_path}/memory.stat": f"anon 1\ninactive_file {idle}\nactive_file 0\n",
    }


def _v1(limit: object, used: int, idle: int = 0, folder: str = "") -> Tree:
    folder_path = f"sys/fs/cgroup/memory{folder}"
    return {
        f"{folder_path}/memory.limit_in_bytes": f"{limit}\n",
        f"{folder_path}/memory.usage_in_bytes": f"{used}\n",
        f"{folder_path}/memory.stat": f"inactive_file 0\ntotal_inactive_file {idle}\n",
    }


FREE = {"proc/meminfo": "MemAvailable: 1000000 kB\n"}


def test_the_limit_of_a_container_counts_less_what_is_used_and_cannot_be_given_back(
    machine: Machine,
) -> None:
    inside = {"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": V2}
    root = machine(FREE | inside | _v2(500_000, used=300_000, idle=100_000))
    assert memory.available_memory(root) == 300_000


def test_of_nested_groups_the_one_with_least_left_counts(machine: Machine) -> None:
    root = machine(
        FREE
        | {"proc/self/cgroup": "0::/a/b/c\n", "proc/self/mountinfo": V2}
        | _v2("max", used=10, folder="/a/b/c")
        | _v2(900_000, used=880_000, folder="/a/b", high=890_000)
        | _v2(700_000, used=100, folder="/a")
        | _v2(5, used=5, folder="/elsewhere")
    )
    assert memory.available_memory(root) == 10_000


def test_the_first_version_of_control_groups_counts_as_well(machine: Machine) -> None:
    root = machine(
        FREE
        | {
            "proc/self/cgroup": "3:cpu,memory:/job/step\n2:pids:/x\n0::/\n",
            "proc/self/mountinfo": V1.format(shown="/"),
        }
        | _v1(NO_LIMIT_V1, used=70_000, folder="/job/step")
        | _v1(400_000, used=90_000, idle=40_000, folder="/job")
        | _v1(NO_LIMIT_V1, used=90_000)
    )
    assert memory.available_memory(root) == 350_000


def test_a_container_that_shows_its_own_group_as_the_root_has_its_limit(machine: Machine) -> None:
    root = machine(
        FREE
        | {
            "proc/self/cgroup": "4:memory:/docker/0123\n",
            "proc/self/mountinfo": V1.format(shown="/docker/0123"),
        }
        | _v1(200_000, used=50_000)
    )
    assert memory.available_memory(root) == 150_000


def test_a_group_that_is_over_its_limit_leaves_nothing(machine: Machine) -> None:
    inside = {"proc/self/cgroup": "0::/../x\n", "proc/self/mountinfo": V2}
    assert memory.available_memory(machine(FREE | inside | _v2(500, used=900))) == 0


def test_files_of_groups_that_make_no_sense_are_no_limit(machine: Machine) -> None:
    root = machine(
        FREE
        | {"proc/self/cgroup": "nonsense\n\n0::/a\n", "proc/self/mountinfo": "x\n - \n" + V2}
        | {"sys/fs/cgroup/memory.max": "many\n", "sys/fs/cgroup/a/memory.max": "7\n"}
    )
    assert memory.available_memory(root) == 1_000_000 * 1024


def test_what_a_group_uses_is_read_every_time_and_its_limit_once_a_second(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(memory_limits, "monotonic", lambda: now[0])
    inside = {"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": V2}
    root = machine(FREE | inside | _v2(500_000, used=300_000))
    assert memory.available_memory(root) == 200_000
    machine(_v2(500_000, used=400_000))
    assert memory.available_memory(root) == 100_000
    machine(_v2(900_000, used=400_000))
    assert memory.available_memory(root) == 100_000
    now[0] += 1.0
    assert memory.available_memory(root) == 500_000
    machine({"proc/meminfo": "MemAvailable: 1 kB\n"})
    assert memory.available_memory(root) == 1024


def test_a_group_that_gets_a_limit_later_has_it_a_second_later(
    machine: Machine, monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [1000.0]
    monkeypatch.setattr(memory_limits, "monotonic", lambda: now[0])
    inside = {"proc/self/cgroup": "0::/\n", "proc/self/mountinfo": V2}
    root = machine(FREE | inside | _v2("max", used=300_000))
    assert memory.available_memory(root) == 1_000_000 * 1024
    machine(_v2(400_000, used=300_000))
    now[0] += 1.0
    assert memory.available_memory(root) == 100_000


# ---- rlimits


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
@pytest.mark.parametrize("limit", ["--as", "--data"])
def test_limits_of_the_process_count(limit: str) -> None:
    program = "from singleout.core.memory import available_memory; print(available_memory())"
    allowed = 1_500_000_000
    done = subprocess.run(
        ["prlimit", f"{limit}={allowed}", sys.executable, "-c", program],
        capture_output=True,
        text=True,
        check=True,
    )
    # what the interpreter has already, and addresses that threads reserve
    assert allowed - 1_300_000_000 < int(done.stdout) < allowed


@pytest.mark.skipif(shutil.which("prlimit") is None, reason="needs prlimit")
def test_a_table_too_large_for_the_limit_of_the_process_is_refused_in_a_sentence(
    tmp_path: Path,
) -> None:
    rng = np.random.default_rng(3)
    cells = rng.integers(0, 9, (400_000, 20))
    text = "\n".join([",".join(f"c{n}" for n in range(20)), *map(_line, cells.tolist())])
    (tmp_path / "large.csv").write_text(text + "\n")
    limited = ["prlimit", "--as=1850000000", sys.executable, "-m", "singleout"]
    done = subprocess.run(
        [*limited, "sets", "large.csv", "--qi", "c0+c1", "--delimiter", ","],
        cwd=tmp_path,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 2, done.stderr
    assert "Reading large.csv needs about" in done.stderr
    assert "are available" in done.stderr
    assert len(done.stderr.splitlines()) == 1


def _line(cells: list[int]) -> str:
    return ",".join(map(str, cells))


def test_sizes_are_written_as_people_read_them() -> None:
    sizes = [999, 1000, 2_500_000, 3_400_000_000, 5 * 10**15]
    assert [memory.in_words(size) for size in sizes] == [
        "999 bytes",
        "1.0 kB",
        "2.5 MB",
        "3.4 GB",
        "5,000.0 TB",
    ]
