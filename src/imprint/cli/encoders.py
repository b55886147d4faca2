"""Options about encoders that several commands share, and opening the subjects they name."""

import contextlib
import functools
import inspect
from collections.abc import Callable, Collection, Iterable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Annotated, Any

import typer

import imprint
from imprint.checks import Layers, Pooling
from imprint.cli.options import is_file, is_subject
from imprint.errors import EncoderError, SettingError

ENCODER_HELP = (
    "'default' (bundled Universal Sentence Encoder), a model's folder, an .onnx file, an installed package with a "
    "model, or the URL of a server. Also org/name (in the Hugging Face cache), an embedding file (mean of its words), "
    "or 'cbow' (of the bundled GloVe)."
)
SUBJECT_HELP = (
    "An embedding file or 'default' (bundled GloVe). Or a sentence encoder: 'default-encoder' (bundled), a model's "
    "folder, an .onnx file, or an installed package with a model. Also org/name (in the Hugging Face cache), or the "
    "URL of a server."
)
_SUBJECT = typer.Argument(callback=is_subject, metavar="SUBJECT", help=SUBJECT_HELP)
SubjectArgument = Annotated[str, _SUBJECT]
OptionalSubjectArgument = Annotated[str | None, _SUBJECT]
ModelOption = Annotated[str | None, typer.Option("--model", help="The server's name for the model.")]
PoolingOption = Annotated[Pooling | None, typer.Option("--pooling", help="How token vectors are pooled into one.")]
LayersOption = Annotated[
    Layers | None, typer.Option("--layers", help="Use the last layer, or the sum or mean of all.")
]
PrefixOption = Annotated[str | None, typer.Option("--prefix", help="A prefix for every text, such as 'query: '.")]
PromptOption = Annotated[
    str | None, typer.Option("--prompt-name", help="One of the model's own prompts, such as query or document.")
]
TokenizerOption = Annotated[
    Path | None, typer.Option("--tokenizer", callback=is_file, help="tokenizer.json of an .onnx file.")
]
BatchOption = Annotated[int | None, typer.Option("--batch", min=1, help="Texts per request to a server.")]
TimeoutOption = Annotated[float | None, typer.Option("--timeout", help="Seconds to wait for a server's answer.")]
RetriesOption = Annotated[int | None, typer.Option("--retries", min=0, help="Retries per request to a server.")]
MaxTextsOption = Annotated[
    int | None, typer.Option("--max-texts", min=1, help="Texts that may be sent to a server. [default: 20,000]")
]
CacheOption = Annotated[
    Path | None, typer.Option("--cache", help="Cache file for encodings. [default: in your cache folder]")
]
NoCacheOption = Annotated[bool, typer.Option("--no-cache", help="Neither read nor write the cache of encodings.")]
_OPTIONS: dict[str, tuple[Any, Any]] = {
    "model": (ModelOption, None),
    "pooling": (PoolingOption, None),
    "layers": (LayersOption, None),
    "prefix": (PrefixOption, None),
    "prompt_name": (PromptOption, None),
    "tokenizer": (TokenizerOption, None),
    "batch": (BatchOption, None),
    "timeout": (TimeoutOption, None),
    "retries": (RetriesOption, None),
    "max_texts": (MaxTextsOption, None),
    "cache": (CacheOption, None),
    "no_cache": (NoCacheOption, False),
}


@dataclass(frozen=True)
class AboutEncoder:
    """What the options say about an encoder: its settings, and where its encodings are kept."""

    settings: dict[str, Any]
    cache: Path | None = None
    no_cache: bool = False

    def refuse(self) -> None:
        """Refuse options that mean nothing where no encoder is named."""
        given = [*self.settings, *(["cache"] if self.cache else []), *(["no_cache"] if self.no_cache else [])]
        if given:
            option = f"--{given[0].replace('_', '-')}"
            raise SettingError(
                f"{option} is about a sentence encoder", option=option, hint="name one, or leave it out"
            )

    def shared(self, sources: Sequence[str]) -> "list[AboutEncoder]":
        """Give each of several encoders the options that it can take; one that none can take is left to be refused."""
        from imprint.subjects.opening import options_of

        taken = [options_of(source) if len(sources) > 1 else {*self.settings} for source in sources]
        unknown = {*self.settings}.difference(*taken)
        return [
            replace(self, settings={name: value for name, value in self.settings.items() if name in known | unknown})
            for known in taken
        ]

    def open(self, source: str, texts: Collection[str] | None = None) -> "imprint.Encoder":
        """Open an encoder, showing progress where it is an embedding to be read."""
        from imprint.cli.console import progress_bar

        with progress_bar(f"reading {source}") as report:
            return imprint.open_encoder(source, texts=texts, progress=report, **self.settings)

    def kept(self) -> "AbstractContextManager[imprint.EncodingCache | None]":
        """Open the cache."""
        return opened_cache(self.cache, unused=self.no_cache)


@dataclass(frozen=True)
class OpenedSubjects:
    """Embeddings and encoders that were named, and the cache of encodings, which embeddings do not need."""

    subjects: "list[imprint.Embedding | imprint.Encoder]"
    encoder: "imprint.Encoder | None" = None
    cache: "imprint.EncodingCache | None" = None

    def words(self, words: Iterable[str]) -> "list[imprint.Embedding]":
        """Return word vectors: embeddings as they are, and of encoders these words in sentences."""
        from imprint.cli.console import print_note, progress_bar
        from imprint.embeddings.embedding import Embedding
        from imprint.subjects.framed import word_vectors

        found, asked = [], list(words)
        for subject in (*([self.encoder] if self.encoder else []), *self.subjects):
            with progress_bar(f"encoding with {subject.name}") as report:
                found.append(word_vectors(subject, asked, cache=self.cache, progress=report))
            if not isinstance(subject, Embedding):
                for note in found[-1].notes:
                    print_note(f"note: {note}")
        return found


@contextlib.contextmanager
def opened_subjects(
    sources: Iterable[str | None], about: AboutEncoder, only: Iterable[str] | None = None, encoder: str | None = None
) -> Iterator[OpenedSubjects]:
    """Open embeddings, `only` these words of their files, and encoders, with the cache if there are any.

    One that is named as an `encoder` is opened as one, whatever it is, and the options belong to it. None is left out.
    """
    from imprint.cli.console import open_embedding
    from imprint.subjects.sources import EMBEDDING, find_source

    named = [(source, find_source(source).adapter == EMBEDDING) for source in sources if source is not None]
    if encoder is None and all(is_embedding for _, is_embedding in named):
        about.refuse()
        yield OpenedSubjects([open_embedding(source, only) for source, _ in named])
        return
    asked = [source for source, is_embedding in named if not is_embedding]
    shared = about.shared(asked) if encoder is None else [AboutEncoder({})] * len(asked)
    own = dict(zip(asked, shared, strict=True))
    with about.kept() as cache:
        yield OpenedSubjects(
            [
                open_embedding(source, only) if is_embedding else own[source].open(source)
                for source, is_embedding in named
            ],
            None if encoder is None else about.open(encoder),
            cache,
        )


def takes_encoder(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options about encoders, which it gets as one argument, `about`."""
    own = inspect.signature(command, eval_str=True)
    shown = [one for one in own.parameters.values() if one.name != "about"]
    before = [place for place, one in enumerate(shown) if one.name in ("seed", "json")]
    place = min(before, default=len(shown))
    options = [
        inspect.Parameter(name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=option)
        for name, (option, default) in _OPTIONS.items()
    ]
    every = [one.replace(kind=inspect.Parameter.KEYWORD_ONLY) for one in (*shown[:place], *options, *shown[place:])]

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        settings = {name: given.pop(name) for name in _OPTIONS}
        cache, unused = settings.pop("cache"), settings.pop("no_cache")
        chosen = {name: value for name, value in settings.items() if value is not None}
        command(about=AboutEncoder(chosen, cache, unused), **given)

    vars(with_options).pop("__wrapped__")
    vars(with_options)["__signature__"] = inspect.Signature(every)
    with_options.__annotations__ = {one.name: one.annotation for one in every}
    return with_options


def cache_place(path: Path | None, *, unused: bool) -> Path | None:
    """Return the file of the cache asked for, or the usual one; None where none is to be used."""
    from imprint.encoders.cache import default_cache

    if unused and path is not None:
        raise SettingError(
            "--cache and --no-cache cannot be used together", option="--cache", got=path, hint="give one of them"
        )
    return None if unused else path or default_cache()


def opened_cache(path: Path | None, *, unused: bool) -> "AbstractContextManager[imprint.EncodingCache | None]":
    """Open the cache asked for; where the usual one cannot be used, say so and go on without."""
    from imprint.cli.console import print_note

    place = cache_place(path, unused=unused)
    if place is None:
        return nullcontext()
    try:
        return imprint.EncodingCache(place)
    except EncoderError as error:
        if path is not None:
            raise
        print_note(f"note: encodings are not cached: {error}")
        return nullcontext()
