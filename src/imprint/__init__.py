"""imprint: which social biases are imprinted in an embedding, how sure we can be, and what reduces them.

The public names load when first used, so that `import imprint` and `imprint --help` stay quick; type checkers
read the same names from `__init__.pyi`.
"""

from collections.abc import Sequence
from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from imprint.rows import Row

_MODULES = {
    "Audit": "audits.run",
    "Axis": "directions.axis",
    "Board": "boards.run",
    "Controls": "evaluation.controls",
    "Embedding": "embeddings.embedding",
    "Encoder": "encoders.base",
    "EncodingCache": "encoders.cache",
    "Enumeration": "enumeration.result",
    "FunctionEncoder": "encoders.base",
    "Gate": "policies.gate",
    "HardDebiaser": "debiasing.hard",
    "ImprintError": "errors",
    "LeaceDebiaser": "debiasing.leace",
    "LinearDebiaser": "debiasing.linear",
    "Plan": "jobs.job",
    "Policy": "policies.policy",
    "Row": "rows",
    "Settings": "enumeration.settings",
    "WeatTest": "stimuli.definition",
    "WefatTest": "stimuli.definition",
    "WordSet": "stimuli.definition",
    "__version__": "version",
    "analogies": "directions.analogies",
    "audit": "audits.run",
    "board": "boards.run",
    "calibrate": "association.calibration",
    "card": "reports.card",
    "catalogue": "stimuli.catalog",
    "compare": "evaluation.comparison",
    "compare_biases": "enumeration.enumerate",
    "compare_debiasers": "evaluation.debiasers",
    "controls": "evaluation.controls",
    "convert": "embeddings.convert",
    "debias_encoder": "evaluation.debiased",
    "debiaser": "debiasing.debiaser",
    "embed_vocabulary": "enumeration.enumerate",
    "enumerate_biases": "enumeration.enumerate",
    "evaluate": "evaluation.evaluate",
    "frontier": "debiasing.frontier",
    "gate": "policies.gate",
    "group_association": "metrics.group_association",
    "leakage": "evaluation.leakage",
    "load": "subjects.opening",
    "load_transform": "debiasing.saved",
    "metric": "metrics.by_name",
    "neighbours": "directions.neighbours",
    "open_encoder": "subjects.opening",
    "open_subject": "subjects.opening",
    "pair_axis": "directions.axis",
    "policy": "policies.policy",
    "professions": "stimuli.seeds",
    "project": "directions.projection",
    "rank_names": "directions.neighbours",
    "read_findings": "kinds.findings",
    "read_seeds": "stimuli.seeds",
    "read_templates": "stimuli.templates",
    "read_tests": "stimuli.catalog",
    "report": "reports.page",
    "reproduce": "reproduction.reproduce",
    "run_battery": "association.battery",
    "run_metrics": "metrics.by_name",
    "run_seat_battery": "association.seat_battery",
    "schema": "kinds.findings",
    "seat": "association.seat",
    "set_axis": "directions.axis",
    "swap": "scoring.swap",
    "translate_probe": "translation.probe",
    "weat": "association.weat",
    "wefat": "association.wefat",
    "with_controls": "evaluation.controls",
    "write_csv": "rows",
    "write_findings": "rows",
}
__all__ = list(_MODULES)


def __getattr__(name: str) -> Any:
    if name not in _MODULES:
        raise AttributeError(f"module 'imprint' has no attribute {name!r}")
    _let_results_draw_themselves()
    value = getattr(import_module(f"imprint.{_MODULES[name]}"), name)
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
    return sorted(__all__)
