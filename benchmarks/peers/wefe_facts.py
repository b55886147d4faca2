"""What WEFE's environment says of itself: versions, defaults, and how its p-value draws; run by its own Python."""

import ast
import inspect
import textwrap
from importlib.metadata import version
from typing import Any

from peers.measuring import Given, Steps, run

PACKAGES = ("wefe", "gensim", "numpy", "scikit-learn", "scipy")


def facts(given: Given) -> Steps:
    """Read the installed code; nothing here is typed in by hand."""
    # Imported here, so that the reading of a source can be tested without WEFE.
    import numpy as np
    from gensim.models import KeyedVectors
    from wefe.metrics import WEAT  # type: ignore[import-not-found]

    def work() -> Any:
        query, pairs = _defaults(WEAT.run_query), _defaults(KeyedVectors.evaluate_word_pairs)
        return {
            "versions": {name: version(name) for name in PACKAGES},
            "draws": query["p_value_iterations"],
            "warns": query["warn_not_found_words"],
            "delimiter": pairs["delimiter"],
            "any_case": pairs["case_insensitive"],
            "exact": _exact(WEAT()),
            **read_choice(inspect.getsource(WEAT._calc_p_value)),
            "numpy_replaces": "replace=True" in str(np.random.Generator.choice.__doc__),
        }

    return work, lambda result: result


def read_choice(source: str) -> dict[str, Any]:
    """Find the call that draws words, and whether it says `replace=False`."""
    calls = [node for node in ast.walk(ast.parse(textwrap.dedent(source))) if isinstance(node, ast.Call)]
    (call,) = (one for one in calls if isinstance(one.func, ast.Attribute) and one.func.attr == "choice")
    said = [keyword.value for keyword in call.keywords if keyword.arg == "replace"]
    without = any(isinstance(value, ast.Constant) and value.value is False for value in said)
    return {"choice": ast.unparse(call), "says_replace_false": without}


def _defaults(function: Any) -> dict[str, Any]:
    return {name: one.default for name, one in inspect.signature(function).parameters.items()}


def _exact(metric: Any) -> str:
    """Ask for the exact p-value; return the name of what is raised, or nothing."""
    try:
        metric._calc_p_value([{}, {}], [{}, {}], 0.0, 1, "exact", "right-sided", False)
    except NotImplementedError as error:
        return type(error).__name__
    return ""


if __name__ == "__main__":
    run({"facts": facts})
