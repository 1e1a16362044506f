"""Hostile names and kinds of files to read from."""

from __future__ import annotations

import os
import socket
from collections.abc import Iterator
from pathlib import Path

from hostile_case import PEOPLE, Case, counted, files, people, refused

COUNT = ("--qi", "a")


def cases() -> Iterator[Case]:
    """What is given instead of a data file."""

    def loop(folder: Path) -> None:
        (folder / "one.csv").symlink_to("two.csv")
        (folder / "two.csv").symlink_to("one.csv")

    def odd_name(folder: Path) -> None:
        Path(os.fsdecode(os.fsencode(folder) + b"/b\xffd.csv")).write_text(PEOPLE)

    def bound(folder: Path) -> None:
        with socket.socket(socket.AF_UNIX) as one:
            before = Path.cwd()
            os.chdir(folder)  # the name of a socket may not be long
            one.bind("x.csv")
            os.chdir(before)

    def locked(folder: Path) -> None:
        people(folder)
        (folder / "people.csv").chmod(0)

    yield refused(
        "symbolic-link-to-itself", "sets", "one.csv", *COUNT, make=loop, says=("one.csv",)
    )
    yield refused(
        "symbolic-link-to-nothing",
        "sets",
        "x.csv",
        *COUNT,
        make=lambda folder: (folder / "x.csv").symlink_to("gone.csv"),
        says=("x.csv",),
    )
    yield refused("home-of-nobody", "sets", "~nosuchuser/x.csv", *COUNT, says=("~nosuchuser",))
    yield counted("name-that-is-not-utf-8", odd_name, os.fsdecode(b"b\xffd.csv"), may_refuse=True)
    yield Case(
        "name-that-is-not-utf-8-on-the-screen",
        ("sets", os.fsdecode(b"b\xffd.csv"), "--qi", "a+b"),
        odd_name,
        code=0,
        says=("4",),
        may_refuse=True,
    )
    yield refused(
        "missing-name-that-is-not-utf-8",
        "sets",
        os.fsdecode(b"n\xff.csv"),
        *COUNT,
        says=(),
    )
    yield counted("name-with-line-ends", files({"x\n\r\x1b[2J.csv": PEOPLE}), "x\n\r\x1b[2J.csv")
    yield refused(
        "missing-name-with-line-ends", "sets", "x\n\r\x1b[2J.csv", *COUNT, says=("no file",)
    )
    yield refused(
        "missing-name-from-right-to-left", "sets", "\u202egnp.csv", *COUNT, says=("no file",)
    )
    yield refused(
        "folder-as-data",
        "sets",
        "sub.csv",
        *COUNT,
        make=lambda folder: (folder / "sub.csv").mkdir(),
        says=("sub.csv",),
    )
    for number, name in enumerate((".", "..", "/", "./", "people.csv/x.csv")):
        yield refused(f"path-{number}-that-is-no-file", "sets", name, *COUNT, says=("f",))
    yield refused("name-of-nothing", "sets", "", *COUNT, says=("empty",))
    yield refused("name-of-blanks", "sets", "   ", *COUNT, says=("empty",))
    yield refused("name-with-a-zero-byte", "sets", "x\0.csv", *COUNT, says=("x",))
    yield refused("name-too-long", "sets", "x" * 300 + ".csv", *COUNT, says=("long",))
    yield refused("path-too-long", "sets", "x/" * 3000 + "x.csv", *COUNT, says=("long",))
    yield refused("input-from-a-dash", "sets", "-", *COUNT, says=("-",))
    yield refused(
        "pipe-as-data",
        "sets",
        "x.csv",
        *COUNT,
        make=lambda folder: os.mkfifo(folder / "x.csv"),
        says=("x.csv",),
        alone=True,
    )
    yield refused(
        "socket-as-data", "sets", "x.csv", *COUNT, make=bound, says=("x.csv",), alone=True
    )
    yield refused("null-device-as-data", "sets", "/dev/null", *COUNT, says=("/dev/null",))
    yield refused(
        "endless-device-as-data", "sets", "/dev/zero", *COUNT, says=("/dev/zero",), alone=True
    )
    yield refused(
        "random-device-as-data", "sets", "/dev/urandom", *COUNT, says=("/dev/urandom",), alone=True
    )
    yield refused("status-of-the-process-as-data", "sets", "/proc/self/status", *COUNT, says=())
    yield refused(
        "file-that-may-not-be-read",
        "sets",
        "people.csv",
        *COUNT,
        make=locked,
        says=("may not be opened",),
        alone=True,
        settings={"powerless": True},
    )
    yield refused(
        "questionnaire-from-an-endless-device",
        "funnel",
        "/dev/zero",
        says=("/dev/zero",),
        alone=True,
    )
