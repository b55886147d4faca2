"""Questions to one embedding, one at a time, answered by the library, and how to have each answer again."""

import contextlib
import threading
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field

from imprint.association.battery import run_battery
from imprint.choices import Alternative
from imprint.directions.axis import pair_axis
from imprint.directions.neighbours import Neighbours, neighbours
from imprint.directions.projection import project
from imprint.embeddings.embedding import Embedding
from imprint.errors import SettingError
from imprint.explorer import recipes
from imprint.explorer.words import Pair, Sets, check_pairs, check_words, weat_test
from imprint.rows import Row
from imprint.web.refusal import RefusedError

ALPHA = 0.05

_PATIENCE = 30.0  # seconds a question waits for those before it


@dataclass(frozen=True)
class Reply:
    """A row as the command line prints it, and what gives it again."""

    finding: Row
    command: str
    python: str


@dataclass(frozen=True)
class Explorer:
    """One embedding, and what the person who opened it called it.

    Questions take turns: counting the partitions of fifty words takes nearly a gigabyte.
    """

    embedding: Embedding
    source: str
    patience: float = _PATIENCE
    _turn: threading.Lock = field(default_factory=threading.Lock, repr=False)

    def measure(self, sets: Sets, alternative: Alternative = "greater") -> Reply:
        """Run an association test on four sets of words."""
        for name, words in sets.items():
            check_words(name, words)
        test = weat_test(sets)
        with self._my_turn():
            battery = run_battery(self.embedding, [test], alternative=alternative, alpha=ALPHA, skip=False)
        (finding,) = (one.finding() for one in battery.weats)
        return Reply(
            finding,
            recipes.weat_command(self.source, test, alternative),
            recipes.weat_python(self.source, test, alternative),
        )

    def place(self, pairs: Sequence[Pair], words: Sequence[str], method: str = "difference") -> Reply:
        """Project words on the axis of one or several pairs."""
        if not pairs:
            raise SettingError(
                option="pairs",
                got=pairs,
                expected="at least one pair",
                hint="write one pair per line, such as he, she",
            )
        check_pairs(pairs)
        check_words("words", words)
        with self._my_turn():
            axis = pair_axis(self.embedding, pairs, method=method)  # type: ignore[arg-type]  # checked, with a message, there
            projections = project(self.embedding, axis, words)
        return Reply(
            projections.finding(),
            recipes.axis_command(self.source, pairs, method, words),
            recipes.axis_python(self.source, pairs, method, words),
        )

    def near(self, word: str, count: int = 20) -> tuple[Neighbours, str]:
        """Find the nearest neighbours of a word, and the Python that finds them again."""
        check_words("word", [word] if word else [])
        with self._my_turn():
            found = neighbours(self.embedding, word, count=count)
        return found, recipes.neighbours_python(self.source, word, count)

    @contextlib.contextmanager
    def _my_turn(self) -> Iterator[None]:
        if not self._turn.acquire(timeout=self.patience):
            raise RefusedError(503, "Other questions are still being answered; ask again in a moment.")
        try:
            yield
        finally:
            self._turn.release()
