"""The settings of an audit, described once: for its options, for Python, for its findings and for the card."""

from typing import TYPE_CHECKING, Annotated

import msgspec

from imprint.checks import check_choice
from imprint.debiasing import DEBIASERS, DEFAULT_METHOD, METHODS
from imprint.rows import shown
from imprint.settings import SEED, TOPIC, option

if TYPE_CHECKING:
    from imprint.stimuli.definition import Test

NO_DEBIASING = "none"


class AuditSettings(msgspec.Struct, frozen=True, kw_only=True):
    """How an audit is run."""

    debias: Annotated[
        str | None,
        shown("Debiaser", "The debiaser that was tried."),
        option(f"Debias by {', '.join(METHODS)}, and measure again; or none.", metavar="METHOD"),
    ] = DEFAULT_METHOD
    quick: Annotated[
        bool,
        shown("Quick", "Whether slow parts were left out or shortened."),
        option("A first look in half a minute: fewer words and resamples."),
    ] = False
    language: Annotated[
        str,
        shown("Language", "Language of the tests (ISO 639), or all."),
        option("Run the tests of this language: en, de, es, tr, that of your own tests, or all."),
    ] = "en"
    topics: Annotated[
        tuple[str, ...],
        shown("Topics", "Topics that the tests were limited to."),
        TOPIC,
    ] = ()
    seed: Annotated[int, shown("Seed", "Seed of everything random."), SEED] = 0

    @property
    def own_tests(self) -> "tuple[Test, ...]":
        """Tests beside the catalogue's, whose language can be chosen too."""
        return ()

    @property
    def catalogued(self) -> "tuple[Test, ...]":
        """The catalogue's tests of the language and the topics; of a quick look, without those about more people."""
        from imprint.stimuli.catalog import about, tests_in, without_more  # not for `imprint --help`

        tests = about(tests_in(self.language, self.own_tests), self.topics)
        return without_more(tests, self.topics) if self.quick else tests

    def check(self) -> None:
        """Refuse what names no debiaser, language or topic, before any work is done."""
        _ = self.catalogued
        if self.debias not in (None, NO_DEBIASING):
            check_choice("debiaser", self.debias, DEBIASERS.names())
