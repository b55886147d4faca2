"""Scorers of texts, or of pairs of a query and a document: functions, encoders, an embedding's valence, and the door.

A pair is one line of JSON, so that whatever batches, keeps, sends or limits texts does the same with pairs. Functions
get pairs as tuples, commands as lines, endpoints as a list; an encoder gives each pair its cosine.

The valence is the straw man of Caliskan et al. (2016), "Effects of bias in NLP applications": each word's association
with pleasant less that with unpleasant words, summed over the words of a text.
"""

import hashlib
import importlib
import inspect
import json
import operator
import sys
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from imprint.announcing import announce
from imprint.checks import check_whole
from imprint.embeddings.embedding import Embedding, unit_rows
from imprint.encoders.bag_of_words import entries_for, words_in
from imprint.encoders.base import Encoder, identify
from imprint.encoders.cache import EncodingStore
from imprint.errors import ScorerError, SettingError, raising_as
from imprint.scoring.settings import EXPECTED, find_scorer
from imprint.stimuli.catalog import get
from imprint.stimuli.definition import WeatTest
from imprint.subjects.encodings import encode_texts, fresh_texts
from imprint.subjects.opening import load, open_for_search
from imprint.types import Floats, Floats32, Progress

_PAIRS_PER_TEXT = 8  # pairs scored at once, for each text that an encoder takes at once
_VALENCE = "caliskan-5"  # whose pleasant and unpleasant words say what is positive


class Scorer(ABC):
    """Base of what gives texts numbers.

    Attributes
    ----------
    name
        The name shown in results.
    identity
        Hash of what decides a score; the key of the cache.
    cacheable
        Whether the cache keeps its scores; False where its identity is not certain.
    batch
        Texts per call of `score`; each finished batch is saved in the cache.
    max_texts
        Refuse work that would send more texts than this.
    sends
        What another program is sent: texts or pairs; None where all runs in this process.
    """

    name: str
    identity: str
    cacheable: bool = True
    batch: int = 512
    max_texts: int | None = None
    sends: str | None = None

    @abstractmethod
    def score(self, texts: Sequence[str]) -> Any:
        """Return one number per text, or per line of a pair, in order."""

    def check_count(self, texts: Sequence[str]) -> None:
        """Refuse to score more texts, or pairs, than allowed."""
        if self.max_texts is not None and len(texts) > self.max_texts:
            raise SettingError(
                f"{len(texts):,} texts would be sent",
                expected=f"at most {self.max_texts:,}",
                option="max_texts",
                got=len(texts),
                where=self.name,
                hint="use fewer names or texts, or raise --max-texts",
            )

    def announce(self, texts: Sequence[str]) -> None:
        """Say how many texts, or pairs, will be sent to what is outside this process."""
        if self.sends is not None:
            announce(self.name, len(texts), self.sends)

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that this scorer cannot see; most see every text."""
        return ()

    def scores(self, texts: Sequence[str]) -> Floats:
        """Return one number per text, refusing anything but finite numbers."""
        return as_scores(self.name, self.score(texts), texts)


ScorerLike = str | Scorer | Callable[[list[Any]], Any]


def pair_line(query: str, document: str) -> str:
    """Return a query and a document as one line."""
    return json.dumps({"query": query, "document": document}, ensure_ascii=False)


def read_pair(line: str) -> tuple[str, str]:
    """Return the query and the document of a line."""
    pair = json.loads(line)
    return pair["query"], pair["document"]


class FunctionScorer(Scorer):
    """A function from a list of texts, or of pairs (query, document), to one number for each.

    Its scores are kept if `identity` is given, or where it comes from a file: whose content is then part of it.
    """

    def __init__(
        self,
        function: Callable[[list[Any]], Any],
        *,
        name: str | None = None,
        identity: str | None = None,
        batch: int = 512,
        pairs: bool = False,
    ) -> None:
        self.name = name or str(getattr(function, "__name__", type(function).__name__))
        self.cacheable = identity is not None
        self.identity = identify(adapter="function", name=self.name, identity=identity)
        self.batch = check_whole("batch", batch)
        self._function = function
        self._takes_pairs = pairs

    def score(self, texts: Sequence[str]) -> Any:
        """Return what the function returns."""
        scored = list(map(read_pair, texts)) if self._takes_pairs else list(texts)
        with raising_as(Exception, ScorerError, "failed ({})", where=self.name, hint="correct the function"):
            return self._function(scored)


class ValenceScorer(Scorer):
    """The sum of the valences of a text's words in an embedding; words without a vector count as zero."""

    cacheable = False  # quicker than the cache

    def __init__(self, embedding: Embedding) -> None:
        test = get(_VALENCE)
        assert isinstance(test, WeatTest)
        self.name = f"valence in {embedding.name}"
        self.identity = identify(adapter="valence", embedding=embedding.sha256, test=test.id)
        self._embedding = embedding
        pleasant, unpleasant = (np.asarray(embedding.lookup(side.words).unit) for side in (test.a, test.b))
        if not len(pleasant) or not len(unpleasant):
            raise ScorerError(
                "lacks the pleasant or the unpleasant words", where=embedding.name, hint="give an English embedding"
            )
        self._axis = pleasant.mean(axis=0) - unpleasant.mean(axis=0)

    def score(self, texts: Sequence[str]) -> Floats:
        """Return the sum of the valences of each text's words."""
        words = {word for text in texts for word in words_in(text)}
        lookup = self._embedding.lookup(sorted(words))
        valences = dict(zip(lookup.words, (np.asarray(lookup.unit) @ self._axis).tolist(), strict=True))
        return np.array([sum(valences.get(word, 0.0) for word in words_in(text)) for text in texts])

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words without a vector."""
        return self._embedding.lookup(words).missing


class EncoderScorer(Scorer):
    """The cosine of a document with a query, which is how a search ranks documents.

    Each text is encoded once, `documents` by another encoder than queries where their prompts differ. Encodings are
    kept in the cache, and not their cosines.
    """

    cacheable = False

    def __init__(self, queries: Encoder, documents: Encoder | None = None, cache: EncodingStore | None = None) -> None:
        self._encoders = (queries, documents or queries)
        self.name, self.identity = queries.name, queries.identity
        if documents is not None and documents is not queries:
            self.identity = identify(adapter="search", queries=queries.identity, documents=documents.identity)
        self.batch = _PAIRS_PER_TEXT * queries.chunk
        self._cache = cache
        self._vectors: dict[tuple[str, str], Floats32] = {}

    def check_count(self, texts: Sequence[str]) -> None:
        """Refuse pairs of more texts than the encoder may be sent."""
        for encoder, fresh in self._fresh(texts):
            encoder.check_count(fresh)

    def announce(self, texts: Sequence[str]) -> None:
        """Say how many texts a server will be sent for queries and documents together."""
        announce(self.name, sum(encoder.expect(len(fresh)) for encoder, fresh in self._fresh(texts)))

    def _fresh(self, lines: Sequence[str]) -> list[tuple[Encoder, list[str]]]:
        """Return what each encoder will be sent, which may be one for queries and documents."""
        texts: dict[Encoder, list[str]] = {encoder: [] for encoder in self._encoders}
        for line in lines:
            for encoder, text in zip(self._encoders, read_pair(line), strict=True):
                texts[encoder].append(text)
        return [(encoder, fresh_texts(encoder, listed, self._cache)) for encoder, listed in texts.items()]

    def score(self, texts: Sequence[str]) -> Floats:
        """Return the cosine of each pair."""
        pairs = list(map(read_pair, texts))
        queries, documents = (
            self._units(encoder, [pair[side] for pair in pairs]) for side, encoder in enumerate(self._encoders)
        )
        if not queries.any():
            said = f"gives the query {pairs[0][0]!r} no direction"
            raise ScorerError(said, where=self.name, hint="use other words")
        return np.asarray(np.einsum("ij,ij->i", documents, queries))

    def _units(self, encoder: Encoder, texts: Sequence[str]) -> Floats:
        """Return one unit row per text; those that are not held are encoded."""
        held, key = self._vectors, encoder.identity
        if fresh := [text for text in dict.fromkeys(texts) if (key, text) not in held]:
            encoded = encode_texts(encoder, fresh[:1], fresh[1:], cache=self._cache)
            held |= {(key, text): row for text, row in zip(fresh, encoded.rows(fresh), strict=True)}
        return np.asarray(unit_rows(np.stack([held[key, text] for text in texts])), dtype=np.float64)

    def lacks(self, words: Iterable[str]) -> tuple[str, ...]:
        """Return the words that the encoder has no representation of."""
        return self._encoders[1].lacks(words)


def open_scorer(
    source: ScorerLike,
    *,
    pairs: bool = False,
    texts: Sequence[str] | None = None,
    cache: EncodingStore | None = None,
    progress: Progress | None = None,
    **options: Any,
) -> Scorer:
    """Open a scorer of texts, or of `pairs`, by its name, or take a function.

    The `texts` to be scored, if known, save reading a whole embedding. An encoder keeps its encodings in the `cache`.
    """
    if not isinstance(source, str):
        return source if isinstance(source, Scorer) else _from_function(source, options, pairs=pairs)
    meant = find_scorer(source)
    if meant.adapter == "encoder":
        if not pairs:
            raise SettingError("an encoder needs a query to rank texts by", option="query", hint="give --query TEXT")
        return EncoderScorer(*open_for_search(meant.place, texts=texts, **options), cache)
    if meant.adapter == "valence":
        if pairs:
            raise SettingError("a valence takes no query", option="query", got=source, hint="name encoder:ENCODER")
        _refuse(options, (), "valence")
        test = get(_VALENCE)
        assert isinstance(test, WeatTest)
        only = None if texts is None else entries_for(texts) | {*test.a.words, *test.b.words}
        return ValenceScorer(load(meant.place, only=only, progress=progress))
    if meant.adapter == "function":
        return _from_function(import_function(meant.place), options, meant.place, pairs=pairs)
    from imprint.scoring.outside import CommandScorer, EndpointScorer

    if meant.adapter == "command":
        return CommandScorer(meant.place, pairs=pairs, **_refuse(options, ("batch", "timeout"), "command"))
    accepted = ("batch", "timeout", "retries", "max_texts")
    return EndpointScorer(meant.place, pairs=pairs, **_refuse(options, accepted, "endpoint"))


def import_function(name: str) -> Callable[[list[Any]], Any]:
    """Import module:function, also from the current folder; the module's code runs, as the user asked."""
    module, _, path = name.partition(":")
    folder = str(Path.cwd())
    hint = f"check {name!r}, and that its module can be imported from here"
    sys.path.insert(0, folder)
    try:
        with raising_as(Exception, ScorerError, "cannot be imported ({})", where=module, hint=hint):
            function = operator.attrgetter(path)(importlib.import_module(module))
    finally:
        with suppress(ValueError):
            sys.path.remove(folder)
    if not callable(function):
        raise ScorerError(option=name, got=function, expected="a function from texts to numbers")
    return function  # type: ignore[no-any-return]


def as_scores(name: str, answer: npt.ArrayLike, texts: Sequence[str]) -> Floats:
    """Return an answer as one finite number per text, or say what is wrong with it."""
    problem = "gave something that is not a list of numbers ({})"
    hint = "return one number per text, in the order of the texts"
    with raising_as(Exception, ScorerError, problem, where=name, hint=hint):
        given = np.asarray(answer)
    if given.dtype.kind not in "fiub" or (given.ndim != 1 and given.shape[1:] != (1,)):
        odd = next((number for number in given.ravel().tolist() if not isinstance(number, float | int)), answer)
        raise ScorerError(option="each score", got=odd, expected="a number", where=name, hint=hint)
    scores = given.astype(np.float64).reshape(-1)
    if len(scores) != len(texts):
        raise ScorerError(f"gave {len(scores):,} scores for {len(texts):,} texts", where=name, hint=hint)
    broken = np.flatnonzero(~np.isfinite(scores))
    if len(broken):
        text = texts[broken[0]]
        shown = f"the score of {text[:60]!r}"
        raise ScorerError(option=shown, got=float(scores[broken[0]]), expected="a finite number", where=name)
    return scores


def _from_function(
    function: Callable[[list[Any]], Any], options: dict[str, Any], name: str | None = None, *, pairs: bool = False
) -> Scorer:
    given = _refuse(options, ("batch",), "function")
    if not callable(function):
        raise SettingError(option="the scorer", got=function, expected=f"a function, or {EXPECTED}")
    return FunctionScorer(function, name=name, identity=_content(function) if name else None, pairs=pairs, **given)


def _content(function: Callable[..., Any]) -> str | None:
    """Return the hash of the file that a function is in."""
    with suppress(OSError, TypeError):
        return hashlib.sha256(Path(inspect.getfile(function)).read_bytes()).hexdigest()
    return None


def _refuse(options: dict[str, Any], known: Sequence[str], adapter: str) -> dict[str, Any]:
    """Return the options that are set; refuse one that means nothing to the scorer."""
    given = {name: value for name, value in options.items() if value is not None}
    for name in given:
        if name not in known:
            option = f"--{name.replace('_', '-')}"
            raise SettingError(f"{option} means nothing to a {adapter} scorer", option=name, hint="leave it out")
    return given
