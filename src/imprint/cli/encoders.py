"""Options about encoders that several commands share, and opening the subjects they name."""

import contextlib
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import asdict, dataclass
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Annotated

import typer

import imprint
from imprint.cli import console
from imprint.cli.options import is_subject
from imprint.errors import EncoderError, SettingError
from imprint.settings import option
from imprint.subjects.settings import OpeningSettings

if TYPE_CHECKING:
    from imprint.encoders.cache import EncodingStore

ENCODER_HELP = (
    "'default-encoder' (bundled Universal Sentence Encoder), a model's folder, an .onnx file, an installed package "
    "with a model, or the URL of a server. Also org/name (in the Hugging Face cache), an embedding file (mean of its "
    "words), or 'cbow' (of the bundled GloVe)."
)
SUBJECT_HELP = (
    "An embedding file or 'default' (bundled GloVe). Or a sentence encoder: 'default-encoder' (bundled), a model's "
    "folder, an .onnx file, or an installed package with a model. Also org/name (in the Hugging Face cache), or the "
    "URL of a server."
)
_SUBJECT = typer.Argument(callback=is_subject, metavar="SUBJECT", help=SUBJECT_HELP)
SubjectArgument = Annotated[str, _SUBJECT]
OptionalSubjectArgument = Annotated[str | None, _SUBJECT]


@dataclass(frozen=True, kw_only=True)
class EncoderSettings(OpeningSettings):
    """What the options say about an encoder, and where its encodings are kept."""

    cache: Annotated[Path | None, option("Cache file for encodings. [default: in your cache folder]")] = None
    no_cache: Annotated[bool, option("Neither read nor write the cache of encodings.")] = False

    def refuse(self) -> None:
        """Refuse options that mean nothing where no encoder is named."""
        said = [name for name, value in asdict(self).items() if value not in (None, False)]
        if said:
            option = f"--{said[0].replace('_', '-')}"
            raise SettingError(
                f"{option} is about a sentence encoder", option=option, hint="name one, or leave it out"
            )

    def shared(self, sources: Sequence[str]) -> "list[EncoderSettings]":
        """Give each of several encoders the options that it can take; one that none can take is left to be refused.

        Of an encoder that is named twice, the first is whole, so that it can be compared with a variant of itself.
        """
        from imprint.subjects.opening import VARIANT, options_of

        given = {*self.given}
        taken = [options_of(source) if len(sources) > 1 else given for source in sources]
        unknown = given.difference(*taken)
        lost = [given - accepted - unknown for accepted in taken]
        lost = [
            names.union(VARIANT) if source in sources[index + 1 :] else names
            for index, (source, names) in enumerate(zip(sources, lost, strict=True))
        ]
        return [EncoderSettings(**asdict(self) | dict.fromkeys(names)) for names in lost]

    def open(self, source: str, texts: Collection[str] | None = None) -> "imprint.Encoder":
        """Open an encoder, showing progress where it is an embedding to be read."""
        with console.progress_bar(f"reading {source}") as report:
            return imprint.open_encoder(source, texts=texts, progress=report, **self.given)

    @property
    def cache_file(self) -> Path | None:
        """The cache asked for, or the usual one; None where none is to be used."""
        from imprint.encoders.cache import default_cache

        if self.no_cache and self.cache is not None:
            message = "--cache and --no-cache cannot be used together"
            raise SettingError(message, option="--cache", got=self.cache, hint="give one of them")
        return None if self.no_cache else self.cache or default_cache()

    def kept(self) -> "AbstractContextManager[EncodingStore]":
        """Open the cache asked for; where the usual one cannot be used, say so and go on without.

        Without one, texts are held for this run: none is sent twice.
        """
        from imprint.encoders.cache import EncodingCache, HeldEncodings

        if self.cache_file is None:
            return nullcontext(HeldEncodings())
        try:
            return EncodingCache(self.cache_file)
        except EncoderError as error:
            if self.cache is not None:
                raise
            console.print_note(f"note: encodings are not cached: {error}")
            return nullcontext(HeldEncodings())


@dataclass(frozen=True)
class OpenedSubjects:
    """Embeddings and encoders that were named, and the cache of encodings, which embeddings do not need."""

    subjects: "list[imprint.Embedding | imprint.Encoder]"
    encoder: "imprint.Encoder | None" = None
    cache: "EncodingStore | None" = None

    def words(
        self,
        words: Iterable[str],
        *,
        languages: Iterable[str] = (),
        foreign: Mapping[str, Iterable[str]] = MappingProxyType({}),
    ) -> "list[imprint.Embedding]":
        """Return word vectors: embeddings as they are, and of encoders these words in sentences.

        The controls of the `languages`, and `foreign` words by language, are asked later: a server is sent them too.
        """
        from imprint.embeddings.embedding import Embedding
        from imprint.evaluation.controls import control_words
        from imprint.subjects.encodings import announce_texts
        from imprint.subjects.framed import texts_of_words, word_vectors

        found, asked = [], list(words)
        for subject in (*([self.encoder] if self.encoder else []), *self.subjects):
            if not isinstance(subject, Embedding) and subject.max_texts is not None:
                in_frames = (texts_of_words(subject, each, code) for code, each in [("en", asked), *foreign.items()])
                announce_texts(subject, [control_words(languages), *in_frames], self.cache)
            with console.progress_bar(f"encoding with {subject.name}") as report:
                found.append(word_vectors(subject, asked, cache=self.cache, progress=report))
            if asked and not isinstance(subject, Embedding):  # words of other languages alone have notes of their own
                for note in found[-1].notes:
                    console.print_note(f"note: {note}")
        return found


@contextlib.contextmanager
def opened_subjects(
    sources: Iterable[str | None],
    about: EncoderSettings,
    only: Iterable[str] | None = None,
    encoder: str | None = None,
) -> Iterator[OpenedSubjects]:
    """Open embeddings, `only` these words of their files, and encoders, with the cache if there are any.

    One that is named as an `encoder` is opened as one, whatever it is, and the options belong to it. None is left out.
    """
    from imprint.subjects.sources import EMBEDDING, find_source

    named = [(source, find_source(source).adapter == EMBEDDING) for source in sources if source is not None]
    if encoder is None and all(is_embedding for _, is_embedding in named):
        about.refuse()
        yield OpenedSubjects([console.open_embedding(source, only) for source, _ in named])
        return
    asked = [source for source, is_embedding in named if not is_embedding]
    shared = iter(about.shared(asked) if encoder is None else [EncoderSettings()] * len(asked))
    with about.kept() as cache:
        yield OpenedSubjects(
            [
                console.open_embedding(source, only) if is_embedding else next(shared).open(source)
                for source, is_embedding in named
            ],
            None if encoder is None else about.open(encoder),
            cache,
        )
