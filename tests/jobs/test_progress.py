from concurrent.futures import CancelledError

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.jobs.progress import Meter, by_label, stretch


@settings(deadline=None)
@given(
    steps=st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 20), st.integers(0, 20)), max_size=30),
    seconds=st.tuples(*[st.floats(0, 50)] * 3),
)
def test_whatever_parts_say_progress_never_falls_nor_passes_the_whole(steps, seconds):
    said = []
    meter = Meter(lambda *one: said.append(one), dict(zip("abc", seconds, strict=True)))
    parts = {name: meter.part(name, name.upper()) for name in "abc"}
    for name, done, total in steps:
        parts[name](done, total)
    for progress in parts.values():
        progress(1, 1)
    done = [one for _, one, _ in said]
    assert done == sorted(done)
    assert said[-1][1] == said[-1][2] == sum(round(value * 1_000) for value in seconds)


def test_a_part_counts_by_its_seconds():
    said = []
    meter = Meter(lambda *one: said.append(one), {"short": 1.0, "long": 3.0})
    meter.part("long", "Long")(1, 2)
    meter.part("short", "Short")(1, 1)
    assert said[1:] == [("Long", 1_500, 4_000), ("Long", 2_500, 4_000)]


def test_progress_begins_before_the_parts_and_names_the_last_one_that_still_runs():
    said = []
    meter = Meter(lambda *one: said.append(one[0]), {"beside": 3.0, "first": 1.0, "second": 1.0})
    for name, done in (("beside", 0), ("first", 0), ("beside", 1), ("first", 2), ("second", 2), ("beside", 2)):
        meter.part(name, name.title())(done, 2)
    assert said == ["Starting", "Beside", "First", "First", "Beside", "Beside", "Beside"]


def test_after_stop_a_part_is_ended_at_its_next_step():
    progress = (meter := Meter(None, {"one": 1.0})).part("one", "One")
    progress(0, 1)
    meter.stop()
    with pytest.raises(CancelledError, match=r"^$"):
        progress(1, 1)


def test_phases_take_their_shares_in_the_order_they_come():
    said = []
    report = by_label(lambda done, total: said.append(done / total), (0.6, 0.3))
    report("first", 1, 2)
    report("first", 2, 2)
    report("second", 1, 3)
    report("third", 1, 1)
    assert said == [0.3, 0.6, 0.7]


def test_a_stretch_of_nothing_is_no_error():
    said = []
    stretch(lambda done, total: said.append((done, total)), 0.5, 1.0)(0, 0)
    assert said == [(500, 1_000)]
