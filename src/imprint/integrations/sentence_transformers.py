"""Bias tests while a sentence-transformers model is trained: an evaluator like the library's own."""

import csv
import math
import warnings
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np

from imprint.association.seat import AskedEncoder, in_sentences, measure
from imprint.association.weat import find_test
from imprint.encoders.base import FunctionEncoder
from imprint.errors import EncoderError, SettingError, VocabularyError, requiring
from imprint.stimuli.definition import WeatTest

with requiring("sentence-transformers", "encoders"):
    try:
        from sentence_transformers.base.evaluation import SentenceEvaluator
    except ModuleNotFoundError:  # before the sixth release
        from sentence_transformers.evaluation import SentenceEvaluator

if TYPE_CHECKING:
    from sentence_transformers import SentenceTransformer

_MEASURED = ("size", "d")
_TESTS = ("gender-career", "gender-ability", "gender-science", "gender-maths", "gender-pleasant")
_PRIMARY = "negative_mean_absolute_size"


class BiasEvaluator(SentenceEvaluator):  # type: ignore[misc]
    """Runs SEATs on a model in training, and logs their effects.

    Give it to a trainer as `evaluator`. It returns, per test, `TEST_size` (the share of the distance between
    the two kinds of words) and `TEST_d` (the effect size). The primary metric is minus the mean of the absolute sizes,
    so that more is better. A model that gives every text the same vector, or NaN, is warned about and logged as NaN,
    and training goes on. Use it beside an evaluator of quality: a model that says nothing has no bias either.

    Parameters
    ----------
    tests
        Ids of catalogue tests, or tests of your own.
    name
        Put before each metric, and into the name of the CSV file.
    batch_size
        Texts encoded at once.
    write_csv
        Whether to append a line per call to a CSV file in the trainer's folder.

    Examples
    --------
    >>> from imprint.integrations.sentence_transformers import BiasEvaluator
    >>> trainer = SentenceTransformerTrainer(model, evaluator=BiasEvaluator(["gender-career"]), ...)
    """

    def __init__(
        self,
        tests: Sequence[WeatTest | str] = _TESTS,
        *,
        name: str = "bias",
        batch_size: int = 32,
        write_csv: bool = True,
    ) -> None:
        super().__init__()
        if isinstance(tests, str) or not tests:
            raise SettingError(option="tests", got=tests, expected="a list of at least one test")
        self.questions = [in_sentences(find_test(test), "framed") for test in tests]
        self.name, self.batch_size, self.write_csv = name, batch_size, write_csv
        self.primary_metric = _PRIMARY
        self.csv_file = f"imprint_{name + '_' if name else ''}results.csv"

    def __call__(
        self, model: "SentenceTransformer", output_path: str | None = None, epoch: int = -1, steps: int = -1
    ) -> dict[str, float]:
        """Run the tests on the model as it is now."""
        encode = partial(model.encode, batch_size=self.batch_size, convert_to_numpy=True, show_progress_bar=False)
        encoder = FunctionEncoder(encode, name="model in training")
        measured = {f"{question.test.id}_{what}": math.nan for question in self.questions for what in _MEASURED}
        with _going_on():
            about = AskedEncoder.of(encoder, self.questions)
            for question in self.questions:
                with _going_on():
                    row = measure(question, about)["word"].row
                    measured[f"{question.test.id}_size"] = math.nan if row.size is None else row.size
                    measured[f"{question.test.id}_d"] = math.nan if row.effect_size is None else row.effect_size
        sizes = [abs(value) for name, value in measured.items() if name.endswith("_size")]
        measured[_PRIMARY] = -float(np.mean(sizes))
        if output_path is not None and self.write_csv:
            self._append(Path(output_path), {"epoch": epoch, "steps": steps, **measured})
        metrics: dict[str, float] = self.prefix_name_to_metrics(measured, self.name)
        self.store_metrics_in_model_card_data(model, metrics, epoch, steps)
        return metrics

    @property
    def description(self) -> str:
        """What the model card calls it."""
        return "Sentence Encoder Association Test"

    def get_config_dict(self) -> dict[str, Any]:
        """Return what the model card says about it."""
        return {"tests": [question.test.id for question in self.questions]}

    def _append(self, folder: Path, values: dict[str, float]) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        path = folder / self.csv_file
        fresh = not path.is_file()
        with path.open("a", newline="", encoding="utf-8") as file:
            writer = csv.writer(file)
            if fresh:
                writer.writerow(values)
            writer.writerow(values.values())


@contextmanager
def _going_on() -> Iterator[None]:
    """Warn about a model without usable vectors, such as one that has collapsed, and let training go on."""
    try:
        yield
    except (EncoderError, VocabularyError) as error:
        warnings.warn(f"a test that cannot be run is logged as NaN: {error}", stacklevel=4)
