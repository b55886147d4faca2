"""The words that an audit asks about: an embedding has them, an encoder is given them in sentences."""

from dataclasses import dataclass
from typing import TYPE_CHECKING

from imprint.embeddings.embedding import Embedding
from imprint.enumeration.enumerate import vocabulary_words
from imprint.enumeration.targets import Names
from imprint.errors import ImprintError, SettingError
from imprint.evaluation.comparison import comparison_words
from imprint.evaluation.leakage import leakage_words
from imprint.stimuli.definition import WefatTest, words_of
from imprint.stimuli.framed import word_vectors
from imprint.stimuli.names import first_names
from imprint.stimuli.seeds import definitional_pairs

if TYPE_CHECKING:
    from imprint.encoders.base import Encoder
    from imprint.encoders.cache import EncodingStore
    from imprint.kinds.job import Plan
    from imprint.types import Progress


@dataclass(frozen=True, eq=False)
class AskedWords:
    """Vectors of the words of tests, and of `names` and frequent words: one table, unless these are too many."""

    tests: Embedding
    vocabulary: Embedding | ImprintError
    names: Names = "first"


def asked_words(
    subject: "Embedding | Encoder",
    plan: "Plan",
    cache: "EncodingStore | None" = None,
    progress: "Progress | None" = None,
    *,
    enumerated: bool = True,
) -> AskedWords:
    """Return an embedding as it is; of an encoder, the words that the kinds of an audit ask about.

    Those that are only `enumerated` are left out where no enumeration is run.
    """
    if isinstance(subject, Embedding):
        return AskedWords(subject, subject)
    names = first_names().at_least(plan.fewest_bearers)
    tests = test_words(plan)
    more = vocabulary_words(plan.encoded_words, names) if enumerated else ()
    vocabulary = dict.fromkeys((*tests, *more))
    try:
        table = word_vectors(subject, vocabulary, cache=cache, progress=progress)
    except SettingError as error:
        if error.option != "max_texts":
            raise
        return AskedWords(word_vectors(subject, tests, cache=cache, progress=progress), error, names)
    return AskedWords(table, table, names)


def test_words(plan: "Plan") -> list[str]:
    """Return the words that tests, axes, benchmarks and classifiers ask about."""
    wefats = [test for test in plan.asked if isinstance(test, WefatTest)]
    pairs = (word for pair in definitional_pairs() for word in pair)
    return list(
        dict.fromkeys(
            (*sorted(words_of(wefats)), *pairs, *comparison_words(), *(() if plan.quick else leakage_words()))
        )
    )
