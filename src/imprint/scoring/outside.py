"""Scorers outside this process: a command that reads lines and writes numbers, and an endpoint over HTTP.

Neither is trusted to answer, in time, or with numbers. The command runs without a shell, and only what was named runs.
"""

import json
from collections.abc import Sequence

from imprint.checks import check_between, check_whole
from imprint.embeddings.formats.layout import NUMERAL
from imprint.encoders.base import identify
from imprint.encoders.http import key_from_environment
from imprint.encoders.server import Client
from imprint.errors import EncoderError, ScorerError
from imprint.masking import printable
from imprint.programs import LONGEST_TIMEOUT, QUOTED, file_hashes, run_lines, split_command
from imprint.scoring.scorers import Scorer, as_scores
from imprint.types import Floats

_LINE = 1_000  # characters of a line that is a number
_BYTES_ASIDE = 1024 * 1024
_BYTES_PER_SCORE = 1_024


class CommandScorer(Scorer):
    """A command that reads one text, or pair as JSON, per line and writes one number per line; one start per batch.

    `timeout` is for one batch. Files that the command names are part of its identity.
    """

    def __init__(self, command: str, *, batch: int = 512, timeout: float = 600.0, pairs: bool = False) -> None:
        self._arguments = split_command(command)
        self.name, self.sends = command, "pairs" if pairs else "texts"
        self.batch = check_whole("batch", batch)
        self._timeout = check_between("timeout", timeout, 0.0, LONGEST_TIMEOUT)
        self.identity = identify(adapter="command", arguments=self._arguments, files=file_hashes(self._arguments))

    def score(self, texts: Sequence[str]) -> Floats:
        """Run the command on the texts; what it wrote before it failed is kept with the error."""
        ran = run_lines(
            self._arguments,
            texts,
            timeout=self._timeout,
            limit=len(texts) * _LINE + _BYTES_ASIDE,
            error=ScorerError,
            name=self.name,
        )
        numbers: list[float] = []
        odd = None
        for line in ran.lines:
            if not NUMERAL.fullmatch(line.encode()):  # float() takes 1_0 and the digits of every script too
                odd = line
                break
            numbers.append(float(line))
        if odd is None and ran.whole:
            return as_scores(self.name, numbers, texts)
        answered = tuple(numbers) if len(numbers) < len(texts) else ()
        problem, hint = ran.failure(self._timeout, f"{len(numbers):,} of {len(texts):,} scores")
        if odd is not None and not ran.late:
            problem = f"wrote {odd[:QUOTED]!r} in line {len(numbers) + 1:,}"
            hint, answered = "write one number per line and nothing else", ()
        raise ScorerError(problem, where=self.name, hint=hint, scores=answered)


class EndpointScorer(Scorer):
    """An endpoint that gets {"texts": [...]} and answers {"scores": [...]}, asked as embeddings servers are.

    Of pairs, it gets {"pairs": [{"query": ..., "document": ...}, ...]}.
    """

    def __init__(
        self,
        url: str,
        *,
        batch: int = 64,
        timeout: float = 10.0,
        retries: int = 4,
        max_texts: int | None = 20_000,
        pairs: bool = False,
        **timing: float,
    ) -> None:
        self._client = Client(
            url,
            key_from_environment(url),
            batch=batch,
            timeout=timeout,
            retries=retries,
            max_texts=max_texts,
            **timing,
        )
        self.name, self.batch, self.max_texts = url, batch, max_texts
        self.identity = identify(adapter="endpoint", url=url)
        self.sends = "pairs" if pairs else "texts"

    def score(self, texts: Sequence[str]) -> Floats:
        """Ask the endpoint for the scores of the texts."""
        request_fields = {"pairs": list(map(json.loads, texts))} if self.sends == "pairs" else {"texts": list(texts)}
        request = json.dumps(request_fields).encode()
        try:
            body = self._client.ask(request, len(texts) * _BYTES_PER_SCORE + _BYTES_ASIDE)
        except EncoderError as error:
            raise ScorerError(error.message, where=error.where, hint=error.hint) from error
        try:
            document = json.loads(body)
            answer = document["scores"]
        except (ValueError, RecursionError, KeyError, TypeError) as error:
            begins = printable(body[:QUOTED].decode(errors="replace"))
            raise ScorerError(
                f"its answer has no list under 'scores', it begins: {begins}",
                where=self.name,
                hint=f'answer {{"scores": [...]}} to {{"{next(iter(request_fields))}": [...]}}',
            ) from error
        return as_scores(self.name, answer, texts)
