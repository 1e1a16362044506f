"""Ctrl-C in a search: the first is forgiven by both who hear of it, whoever is late."""

from __future__ import annotations

import signal

import pytest

from singleout.cli.shared.ending import _Searching

LISTENERS = ("handler", "thread")


@pytest.mark.parametrize("first", LISTENERS)
def test_who_hears_of_the_first_signal_after_the_work_has_ended_forgives_it(first: str) -> None:
    (second,) = set(LISTENERS) - {first}
    searching = _Searching()
    searching.start()
    assert searching.forgives(signal.SIGINT, first)
    searching.is_on = False  # the work ended before the other one heard of it
    assert searching.forgives(signal.SIGINT, second)
    assert not searching.forgives(signal.SIGINT, first)
    assert not searching.forgives(signal.SIGINT, second)


@pytest.mark.parametrize("first", LISTENERS)
def test_the_second_signal_is_forgiven_by_nobody(first: str) -> None:
    (second,) = set(LISTENERS) - {first}
    searching = _Searching()
    searching.start()
    assert searching.forgives(signal.SIGINT, first)
    assert not searching.forgives(signal.SIGINT, first)
    assert searching.forgives(signal.SIGINT, second)  # the first signal, heard late
    assert not searching.forgives(signal.SIGINT, second)


def test_other_signals_and_other_work_are_not_forgiven() -> None:
    searching = _Searching()
    assert not searching.forgives(signal.SIGINT, "handler")
    searching.start()
    assert not searching.forgives(signal.SIGTERM, "handler")
    assert searching.forgives(signal.SIGINT, "handler")
    searching.start()  # a new search
    assert searching.forgives(signal.SIGINT, "handler")
