"""The main job: every test that applies to an embedding, as findings."""

from imprint.association.battery import Battery, run_battery
from imprint.association.weat import Progress
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.stimuli.catalog import catalogue
from imprint.stimuli.definition import Test


def run_audit(
    embedding: Embedding,
    *,
    language: str = "en",
    alpha: float = 0.05,
    seed: int = 0,
    progress: Progress | None = None,
) -> Battery:
    """Run every catalogue test of a language; those without words or property are listed with the reason."""
    return run_battery(embedding, tests_in(language), alpha=alpha, seed=seed, progress=progress)


def tests_in(language: str) -> tuple[Test, ...]:
    """Return the catalogue's tests of one language (ISO 639 code), or of all."""
    tests = catalogue()
    languages = sorted({test.language for test in tests})
    if language not in (*languages, "all"):
        raise SettingError(f"no tests in language {language!r}; use one of {', '.join(languages)} or all")
    return tuple(test for test in tests if language in (test.language, "all"))
