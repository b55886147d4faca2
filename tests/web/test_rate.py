from hypothesis import given
from hypothesis import strategies as st

from imprint.web.guard import RateLimit


class Clock:
    now = 0.0

    def __call__(self):
        return self.now


@given(
    burst=st.integers(1, 5),
    per_second=st.sampled_from([0.25, 0.5, 1, 2, 8]),
    steps=st.lists(st.sampled_from([0, 0.125, 0.5, 1, 4]), max_size=40),
)
def test_no_stretch_of_time_admits_more_than_the_burst_and_what_it_refills(burst, per_second, steps):
    clock = Clock()
    limit = RateLimit(burst=burst, per_second=per_second, clock=clock)
    admitted = []
    for step in steps:
        clock.now += step
        wait = limit.wait("someone")
        if wait == 0:
            admitted.append(clock.now)
        else:
            # The time told is the truth: another bucket with this past would admit then, and not before.
            assert 0 < wait <= 1 / per_second
    for start in range(len(admitted)):
        for end in range(start, len(admitted)):
            assert end - start + 1 <= burst + (admitted[end] - admitted[start]) * per_second


def test_waiting_as_long_as_told_is_enough():
    clock = Clock()
    limit = RateLimit(burst=2, per_second=0.5, clock=clock)
    assert [limit.wait("someone"), limit.wait("someone")] == [0, 0]
    wait = limit.wait("someone")
    assert wait == 2
    clock.now += wait
    assert limit.wait("someone") == 0


def test_nobody_uses_up_the_bucket_of_another():
    limit = RateLimit(burst=1, per_second=1, clock=Clock())
    assert limit.wait("one") == 0
    assert limit.wait("one") > 0
    assert limit.wait("other") == 0


def test_invented_keys_do_not_grow_the_memory():
    limit = RateLimit(burst=1, per_second=1, most=10, clock=Clock())
    for number in range(1_000):
        limit.wait(str(number))
    assert len(limit._buckets) == 10
