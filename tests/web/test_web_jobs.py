"""Jobs: cancelled, reloaded, in two tabs, and when the server is killed."""

from __future__ import annotations

import os
import signal
import threading
import time
from pathlib import Path

import pytest

from singleout.web import jobs
from singleout.web.companions import ask
from singleout.web.errors import Refused
from singleout.web.workspaces import Workspace
from web_files import csv_file
from web_server import PATIENCE, AnyServer, Server, Visit, needs_processes

AT_ONCE = 15.0  # seconds, also on a busy machine; a process is waited for twice as long


def alive(number: int) -> bool:
    try:
        os.kill(number, 0)
    except ProcessLookupError:
        return False
    state = Path(f"/proc/{number}/stat")
    return not state.exists() or state.read_text().rpartition(")")[2].split()[0] != "Z"


def processes(server: Server) -> list[int]:
    found = [path for path in server.files() if path.name == "pid"]
    return [number for path in found if alive(number := int(path.read_text()))]


def gone(numbers: list[int]) -> bool:
    end = time.monotonic() + 20
    while any(map(alive, numbers)) and time.monotonic() < end:
        time.sleep(0.05)
    return not any(map(alive, numbers))


@needs_processes
def test_a_job_survives_a_reload_is_seen_in_two_tabs_and_ends_when_cancelled(
    server: Server, visit: Visit
) -> None:
    user = visit(server)
    user.take_demo()
    user.goto("/assess")
    user.page.get_by_role("button", name="Assess the data").click()
    user.page.wait_for_selector(".job", timeout=PATIENCE)
    job = user.page.get_attribute(".job", "id")
    user.page.reload()
    assert user.page.get_attribute(".job", "id") == job
    second = user.page.context.new_page()
    second.goto(f"{server.base}/assess")
    assert second.get_attribute(".job", "id") == job
    folder = next(path.parent for path in server.files() if path.parent.name in str(job))
    end = time.monotonic() + 60
    while not (folder / "pid").exists() and time.monotonic() < end:
        time.sleep(0.05)
    number = int((folder / "pid").read_text())
    user.page.get_by_role("button", name="Cancel").click()
    assert gone([number])
    user.page.wait_for_selector(".message", timeout=PATIENCE)
    assert "cancelled" in user.page.inner_text("main")
    second.wait_for_selector(".message", timeout=PATIENCE)


@needs_processes
def test_a_server_that_is_killed_leaves_no_process_and_the_next_removes_its_data(
    a_server: AnyServer, visit: Visit, tmp_path: Path
) -> None:
    first = a_server()
    user = visit(first)
    user.upload(csv_file(tmp_path))
    user.goto("/assess")
    user.page.get_by_role("button", name="Assess the data").click()
    user.page.wait_for_selector(".job, #verdict", timeout=PATIENCE)
    end = time.monotonic() + 60
    while not (running := processes(first)) and time.monotonic() < end:
        time.sleep(0.05)
    assert running
    left = first.private
    assert any(path.name.startswith("upload-") for path in first.files())
    first.stop(signal.SIGKILL)
    assert gone(running)
    second = a_server()
    assert "killed" in second.said
    assert not any(folder.exists() for folder in left)
    second.stop(signal.SIGTERM)  # at once: it has hardly started
    assert second.process.returncode == 0


def test_a_server_that_ends_starts_no_process_that_it_would_have_to_wait_for(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    ending = threading.Event()
    monkeypatch.setattr(jobs, "_ending", ending)
    jobs.end_all_beside()
    assert jobs.is_ending()
    began = time.monotonic()
    with pytest.raises(Refused):  # and not after half a minute
        ask(Workspace(tmp_path), "singleout.web.ranging:open_questions")
    assert time.monotonic() - began < AT_ONCE


@needs_processes
def test_a_server_that_is_stopped_ends_soon_and_leaves_nothing(
    a_server: AnyServer, visit: Visit, tmp_path: Path
) -> None:
    server = a_server("--workers", "2")
    user = visit(server)
    user.upload(csv_file(tmp_path))
    running = processes(server)
    assert server.private
    server.stop(signal.SIGTERM)
    assert server.process.returncode == 0
    assert gone(running)
    assert server.private == []
