"""What every result of a single test can do: give its row as a finding and a dictionary."""

from abc import abstractmethod
from typing import Any

from imprint.finding import Finding, Findings

PER_WORD = frozenset({"scores", "values", "set_words"})  # fields of single words, which tables leave out


class Measured(Findings):
    """A result that is one row."""

    @abstractmethod
    def finding(self, **more: Any) -> Finding:
        """Return the row, with whatever the caller knows besides (a corrected p-value, a verdict)."""

    def findings(self) -> list[Finding]:
        """Return the one row in a list, as every result does."""
        return [self.finding()]

    def to_dict(self) -> dict[str, Any]:
        """Return the row as a flat dictionary."""
        return self.finding().to_dict()
