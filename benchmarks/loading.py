"""Reading a 400,000 x 100 text embedding: time against gensim, memory against the matrix, and opening it converted.

Every measurement runs in a process of its own, all of them in one run of this script: the ratios are what counts.
This process itself stays small, because Linux counts a parent's memory into its children's peak.
"""

import json
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from goals import goal, head, row
from peers.measuring import peak

ROWS, DIMENSION = 400_000, 100
MATRIX = ROWS * DIMENSION * 4
ONLY = 700
MB = 1e6


def main() -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        (folder / "tiny.txt").write_text("cat 0.1 0.2\ndog 0.3 0.4\n")
        cache = {"NUMBA_CACHE_DIR": str(folder / "cache")}
        size = measure("writing", folder, cache)["bytes"]
        compiling = measure("first_call", folder, cache)["cpu"]
        cached = measure("first_call", folder, cache)["cpu"]
        gensim = measure("gensim", folder, cache)
        ours = measure("ours", folder, cache)
        only = measure("only", folder, cache)
        opened = measure("opening", folder, cache)
        equal = bool(measure("comparing", folder, cache)["equal"])
        others = {
            name: (measure("gensim_other", folder, cache, name), measure("our_other", folder, cache, name))
            for name in ("vectors.kv", "vectors.bin")
        }

    print(f"Loading {ROWS:,} x {DIMENSION} text of {size / MB:.0f} MB; the matrix is {MATRIX / MB:.0f} MB\n")
    head()
    row("gensim load_word2vec_format, CPU", f"{gensim['cpu']:.1f} s")
    row("imprint load, CPU", f"{ours['cpu']:.2f} s")
    goal("  as a share of gensim's", ours["cpu"] / gensim["cpu"], 1 / 12, lambda share: f"1/{1 / share:.0f}")
    row("  values bit-equal to gensim's", "yes" if equal else "NO", "yes", "met" if equal else "MISSED")
    above = (ours["peak"] - ours["kernels"]) / MATRIX
    goal("peak memory above the import with its kernels / matrix", above, 1.5, lambda ratio: f"{ratio:.2f} x")
    bare = (ours["peak"] - ours["import"]) / MATRIX
    row("  above `import imprint` alone, numba's own memory included", f"{bare:.2f} x")
    goal(f"whole process with only= {ONLY} words, peak", only["peak"], 300 * MB, lambda peak: f"{peak / MB:.0f} MB")
    row("  CPU", f"{only['cpu']:.2f} s")
    goal(
        "opening the converted file, first time in a process",
        opened["wall"],
        0.05,
        lambda wall: f"{wall * 1e3:.1f} ms",
    )
    for name, (theirs, own) in others.items():
        goal(
            f"{Path(name).suffix}: imprint's CPU as a share of gensim's {theirs['cpu']:.2f} s",
            own["cpu"] / theirs["cpu"],
            1.0,
            lambda share: f"{share:.2f}",
        )
    row("importing numba and compiling the kernel, once a machine", f"{compiling:.1f} s")
    row("importing numba and fetching the kernel, once a process", f"{cached:.2f} s")


def measure_writing(folder: Path) -> dict[str, float]:
    """Write random values with five significant digits, as GloVe's files have, under word2vec's header."""
    import numpy as np

    path = folder / "vectors.txt"
    generator = np.random.default_rng(0)
    line = "word%d " + " ".join(["%.5g"] * DIMENSION) + "\n"
    with path.open("w") as file:
        file.write(f"{ROWS} {DIMENSION}\n")
        for start in range(0, ROWS, 10_000):
            block = generator.normal(0, 0.4, (10_000, DIMENSION)).tolist()
            file.write("".join(line % (start + index, *values) for index, values in enumerate(block)))
    return {"bytes": path.stat().st_size}


def measure(name: str, folder: Path, environment: dict[str, str], *files: str) -> dict[str, float]:
    command = [sys.executable, __file__, name, str(folder), *files]
    output = subprocess.run(command, env=os.environ | environment, check=True, capture_output=True, text=True).stdout
    result: dict[str, float] = json.loads(output)
    return result


def measure_gensim(folder: Path) -> dict[str, float]:
    import numpy as np
    from gensim.models import KeyedVectors

    start = time.process_time()
    vectors = KeyedVectors.load_word2vec_format(str(folder / "vectors.txt"))
    cpu = time.process_time() - start
    np.save(folder / "gensim.npy", vectors.vectors)
    return {"cpu": cpu}


def measure_comparing(folder: Path) -> dict[str, float]:
    import numpy as np

    theirs, ours = (np.load(folder / f"{who}.npy").view(np.uint32) for who in ("gensim", "ours"))
    return {"equal": float(np.array_equal(theirs, ours))}


def measure_gensim_other(folder: Path) -> dict[str, float]:
    from gensim.models import KeyedVectors

    path = str(folder / sys.argv[3])
    start = time.process_time()
    if path.endswith(".kv"):
        KeyedVectors.load(path)
    else:
        KeyedVectors.load_word2vec_format(path, binary=True)
    return {"cpu": time.process_time() - start}


def measure_our_other(folder: Path) -> dict[str, float]:
    from imprint import load

    load(folder / sys.argv[3], only=["word0"])  # brings numba and its kernels, measured below
    start = time.process_time()
    load(folder / sys.argv[3])
    return {"cpu": time.process_time() - start}


def measure_first_call(folder: Path) -> dict[str, float]:
    from imprint import load

    start = time.process_time()
    load(folder / "tiny.txt")
    return {"cpu": time.process_time() - start}


def measure_ours(folder: Path) -> dict[str, float]:
    import numpy as np

    from imprint import convert, load

    bare = peak()
    load(folder / "tiny.txt")
    kernels = peak()
    start = time.process_time()
    embedding = load(folder / "vectors.txt")
    cpu = time.process_time() - start
    highest = peak()
    np.save(folder / "ours.npy", embedding.vectors)
    for name in ("converted.safetensors", "vectors.bin"):
        convert(embedding, folder / name)
    embedding.to_gensim().save(str(folder / "vectors.kv"))  # the matrix beside it, as gensim leaves it
    return {"cpu": cpu, "import": bare, "kernels": kernels, "peak": highest}


def measure_only(folder: Path) -> dict[str, float]:
    from imprint import load

    start = time.process_time()
    embedding = load(folder / "vectors.txt", only=[f"word{number}" for number in range(0, ROWS, ROWS // ONLY)][:ONLY])
    assert len(embedding) == ONLY
    return {"cpu": time.process_time() - start, "peak": peak()}


def measure_opening(folder: Path) -> dict[str, float]:
    from imprint import load

    start = time.perf_counter()
    embedding = load(folder / "converted.safetensors")
    wall = time.perf_counter() - start
    assert len(embedding) == ROWS
    return {"wall": wall}


if __name__ == "__main__":
    if len(sys.argv) == 1:
        main()
    else:
        measurements = {
            "writing": measure_writing,
            "comparing": measure_comparing,
            "gensim": measure_gensim,
            "gensim_other": measure_gensim_other,
            "our_other": measure_our_other,
            "first_call": measure_first_call,
            "ours": measure_ours,
            "only": measure_only,
            "opening": measure_opening,
        }
        print(json.dumps(measurements[sys.argv[1]](Path(sys.argv[2]))))
