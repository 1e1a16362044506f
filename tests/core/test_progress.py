from singleout.core.progress import listening, track, working_on


def test_work_tells_its_listener_how_far_it_is() -> None:
    heard: list[tuple[str, int, int]] = []
    with listening(lambda *said: heard.append(said)):
        assert list(track([7, 8], "Counting")) == [7, 8]
        working_on("Reading")
    assert heard == [("Counting", 0, 2), ("Counting", 1, 2), ("Counting", 2, 2), ("Reading", 0, 0)]


def test_without_a_listener_work_goes_on_in_silence() -> None:
    assert list(track(iter("ab"), "Counting")) == ["a", "b"]
