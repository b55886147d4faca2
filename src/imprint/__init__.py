"""imprint: which social biases are imprinted in an embedding, how sure we can be, and what reduces them.

The public names load when first used, so that `import imprint` and `imprint --help` stay quick. `__init__.pyi` lists
them, for this module and for type checkers alike.
"""

from collections.abc import Sequence
from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imprint.rows import Row

_STUB = Path(__file__).with_suffix(".pyi").read_text(encoding="utf-8")
# Each of its lines says: from MODULE import NAME as NAME.
_MODULES = dict(sorted((line.split()[-1], line.split()[1]) for line in _STUB.splitlines()))
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'imprint' has no attribute {name!r}")
    _let_results_draw_themselves()
    value = getattr(import_module(_MODULES[name]), name)
    globals()[name] = value
    return value


def _let_results_draw_themselves() -> None:
    """Give results their drawing in notebooks: they are below the page, and load it only when asked."""
    from imprint.rows import Drawing, draw_results_with

    def draw(rows: "Sequence[Row]") -> str:
        from imprint.kinds.sections import draw_rows

        if all(row.tests_language is None for row in rows):
            return draw_rows(rows)
        from imprint.reports.summary import opening  # of a whole audit

        return draw_rows(rows, [opening(rows)])

    def chart(rows: "Sequence[Row]") -> Any:
        from imprint.kinds.sections import main_chart

        return main_chart(rows)

    draw_results_with(Drawing(draw, chart))


def __dir__() -> list[str]:
    return __all__
