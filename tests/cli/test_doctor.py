"""What a machine offers, compiling in advance, and the files for containers and pipelines."""

from __future__ import annotations

import importlib
import json
import os
import pkgutil
import subprocess
import sys
from pathlib import Path

import pytest
import yaml

from run_command import singleout
from singleout import kernels as package
from singleout.cli.shared.configuration import Configuration
from singleout.kernels import compiling

ROOT = Path(__file__).resolve().parents[2]

# called by other loops only, or by work that few people do: rare formats of text, very wide tables
SELDOM = {
    "_bins_of_counts",
    "_next_set",
    "below_by_bits",
    "join",
    "keep_shared",
    "lacks",
    "pack_rows",
    "minimal_covers",
    "people_below_by_bits",
    "repair",
    "uniques_of_record",
    "write_plainly",
}


def test_the_doctor_names_versions_extras_caches_threads_and_memory() -> None:
    found = json.loads(singleout("doctor", "--json").stdout)
    assert found["extras"] == {"database": [], "spark": [], "repository": [], "pls": []}
    assert found["threads"] == int(os.environ["SINGLEOUT_THREADS"])
    assert found["memory_bytes"] > 0
    assert Path(found["compiled_code"]).is_dir()
    assert "SINGLEOUT_THREADS" in found["variables"]
    shown = singleout("doctor").stdout
    assert all(name in shown for name in ("numba", "extra spark", "memory that may be used"))


def test_the_doctor_says_what_is_missing(monkeypatch: pytest.MonkeyPatch) -> None:
    from singleout.cli import doctor

    lines = ['nosuchpackage[all]>=1 ; extra == "spark"', 'numpy>=1 ; extra == "spark"']
    monkeypatch.setattr(doctor, "requires", lambda _: lines)
    assert doctor._findings(Configuration())["extras"]["spark"] == ["nosuchpackage"]
    shown = singleout("doctor").stdout
    assert 'not installed: nosuchpackage. To install: pip install "singleout[spark]"' in shown


def test_warming_up_uses_all_loops_but_seldom_ones() -> None:
    for module in pkgutil.walk_packages(package.__path__, f"{package.__name__}."):
        importlib.import_module(module.name)
    done = singleout("warm")
    assert done.returncode == 0
    assert "All loops are compiled" in done.stdout
    cold = {loop.py_func.__name__ for loop in compiling.kernels if not loop.overloads}
    assert cold <= SELDOM
    assert compiling.is_warm()


def test_files_for_containers_and_pipelines_name_what_exists() -> None:
    hooks = yaml.safe_load((ROOT / ".pre-commit-hooks.yaml").read_text())
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    docker = (ROOT / "Dockerfile").read_text()
    assert hooks[0]["entry"].startswith("singleout assess")
    assert action["runs"]["using"] == "composite"
    steps = "".join(str(step.get("run", "")) for step in action["runs"]["steps"])
    assert "singleout assess" in steps
    # inputs reach the shell as variables only, so that none of them is read as a command
    assert "${{" not in steps
    assert "USER singleout" in docker
    assert "singleout warm" in docker


def test_the_action_assesses_a_file_and_fails_by_its_policy(tmp_path: Path) -> None:
    action = yaml.safe_load((ROOT / "action.yml").read_text())
    script = action["runs"]["steps"][-1]["run"]
    (tmp_path / "a file.csv").write_text("age,disease\n1,x\n1,y\n2,x\n")
    (tmp_path / "policy.yaml").write_text("k: 2\n")
    folder = Path(sys.executable).parent
    inputs = {"DATA": "a file.csv", "PLAN": "", "POLICY": "policy.yaml", "OUT": "out"}
    path = f"{folder}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-ec", script],
        cwd=tmp_path,
        env={**os.environ, **inputs, "PATH": path},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 1, done.stderr
    written = sorted(file.name for file in (tmp_path / "out").iterdir())
    assert written == ["gate.sarif", "gate.xml", "report.html", "report.json"]
