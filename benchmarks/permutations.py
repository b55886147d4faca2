"""How long an exact or certified p-value takes, beside sampling to the same precision.

Each row runs in a process of its own, compiled kernels cached, so that memory and CPU time are its own. The
last columns compare with drawing random partitions, vectorised, until the standard error is one percent of p.
"""

import argparse
import json
import resource
import subprocess
import sys
import time

# label, scores a set, shift of x in standard deviations, goals: CPU seconds, GB, relative width of the interval
CASES = (
    ("25+25, median", 25, 0.0, 4.0, 1.5, 0.0),
    ("25+25, p near 0.05", 25, 0.45, 4.0, 1.5, 0.0),
    ("25+25, tail", 25, 1.8, 4.0, 1.5, 0.0),
    ("32+32, tail", 32, 1.6, 1.0, 1.5, 0.01),
    ("100+100, median", 100, 0.0, 2.0, 1.5, 0.01),
    ("100+100, tail", 100, 0.6, 2.0, 1.5, 0.01),
    ("200+200, median", 200, 0.0, 4.0, 1.5, 0.10),
    ("200+200, tail", 200, 0.5, 4.0, 1.5, 0.10),
)
_DRAWS = 50_000


def measure(n: int, shift: float) -> dict[str, float | str]:
    """Time one p-value in this process, then as many draws as sampling would need."""
    import numpy as np

    from imprint.significance.partitions import permutation_test, sampled_test

    warm = np.random.default_rng(0)
    permutation_test(warm.normal(size=18), warm.normal(size=18))
    permutation_test(warm.normal(size=40), warm.normal(size=40))
    rng = np.random.default_rng(1)
    x, y = rng.normal(size=n), rng.normal(size=n)
    x += shift - x.mean() + y.mean()  # the shift is the observed difference, whatever was drawn
    x, y = x / 10, y / 10
    before = time.process_time()
    result = permutation_test(x, y)
    seconds = time.process_time() - before
    memory = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1e6
    before = time.process_time()
    sampled_test(x, y, draws=_DRAWS)
    a_draw = (time.process_time() - before) / _DRAWS
    needed = (1 - result.p_value) / result.p_value / 0.01**2
    return {
        "p": result.p_value,
        "method": result.p_method,
        "width": (result.p_high - result.p_low) / result.p_high,
        "seconds": seconds,
        "gigabytes": memory,
        "sampling": needed * a_draw,
    }


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--case", nargs=2)
    arguments = parser.parse_args()
    if arguments.case:
        print(json.dumps(measure(int(arguments.case[0]), float(arguments.case[1]))))
        return
    print(f"{'pool':20}{'p':>10}{'method':>11}{'width':>9}{'CPU s':>8}{'GB':>6}{'sampling to 1 %':>18}  goals")
    for label, n, shift, seconds, gigabytes, width in CASES:
        command = [sys.executable, __file__, "--case", str(n), str(shift)]
        row = json.loads(subprocess.run(command, check=True, capture_output=True, text=True).stdout)
        misses = [
            f"{name} {row[name] / goal:.2f}x of goal" if goal else f"{name} {row[name]:.1e}, goal exact"
            for name, goal in (("seconds", seconds), ("gigabytes", gigabytes), ("width", width))
            if row[name] > goal
        ]
        print(
            f"{label:20}{row['p']:10.2e}{row['method']:>11}{row['width']:9.1e}{row['seconds']:8.2f}"
            f"{row['gigabytes']:6.2f}{row['sampling'] / row['seconds']:>16,.0f}x  {'; '.join(misses) or 'met'}"
        )


if __name__ == "__main__":
    main()
