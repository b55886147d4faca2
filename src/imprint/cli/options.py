"""Arguments and options that several commands share, said once."""

import functools
import inspect
import stat
from collections.abc import Callable, Collection, Iterable, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from imprint.checks import check_choice
from imprint.errors import SettingError, reading_file
from imprint.settings import SEED, TOPIC, Named, Option, fields_of, option, options_of

if TYPE_CHECKING:
    from imprint.stimuli.definition import WeatTest
    from imprint.stimuli.seeds import WordPair
    from imprint.subjects.sources import SourceKind


def is_embedding(given: Any) -> Any:
    """Refuse what names no embedding while options are read, before anything large is imported."""
    return _checked(given, "embedding")


def is_encoder(given: Any) -> Any:
    """Refuse what names no encoder, as above."""
    return _checked(given, "encoder")


def is_subject(given: Any) -> Any:
    """Refuse what names neither, as above."""
    return _checked(given, None)


def is_file(given: Any) -> Any:
    """Refuse files that cannot be read, as above."""
    for path in _each(given):
        _refuse_unreadable(Path(path))
    return given


def are_words(given: Any) -> Any:
    """Refuse what is neither a file that can be read nor a list of words, as above."""
    from imprint.stimuli.files import is_list

    for source in _each(given):
        if not is_list(source):
            _refuse_unreadable(Path(source), "give a file, or words separated by commas, such as nurse,teacher")
    return given


def are_pairs(given: Any) -> Any:
    """Refuse a file of pairs that cannot be read, as above."""
    return given if given == DEFAULT_PAIRS else is_file(given)


def is_debiaser(given: Any) -> Any:
    """Refuse what names no debiaser, as above."""
    from imprint.debiasing import DEBIASERS

    if given is not None:
        check_choice("debiaser", given, DEBIASERS.names())
    return given


def _checked(given: Any, kind: "SourceKind | None") -> Any:
    from imprint.subjects.sources import find_source

    for source in _each(given):
        found = find_source(source, kind)
        if isinstance(found.place, Path) and not found.place.is_dir():
            _refuse_unreadable(found.place)
    return given


def _each(given: Any) -> Iterable[Any]:
    return [given] if isinstance(given, str | Path) else given or ()


def _refuse_unreadable(path: Path, hint: str = "check the path and its permissions") -> None:
    with reading_file(SettingError, path, hint):
        if stat.S_IFMT(path.stat().st_mode) in (stat.S_IFREG, stat.S_IFDIR):  # a pipe can be opened only once
            path.open("rb").close()


_NAMED: dict[Named, Callable[[Any], Any] | None] = {
    "file": is_file,
    "encoder": is_encoder,
    "subject": is_subject,
    "debiaser": is_debiaser,
    "words": are_words,
    "number": None,  # or a word in its place; what reads it says so
}
EmbeddingArgument = Annotated[
    str,
    typer.Argument(
        callback=is_embedding,
        metavar="EMBEDDING",
        help="An embedding file of any supported format, or a bundled one: 'default' (GloVe 6B, 100d), "
        "'glove-840b-stimuli' (the words of the published tests).",
    ),
]
FindingsArgument = Annotated[
    Path, typer.Argument(callback=is_file, metavar="FINDINGS", help="A findings.jsonl that imprint wrote.")
]
TestsOption = Annotated[
    Path | None, option("A TOML file of your own tests, instead of the catalogue.", callback=is_file)
]
TopicOption = Annotated[Sequence[str] | None, TOPIC]
DEFAULT_PAIR = ("he", "she")
DEFAULT_PAIRS = "default"
AxisOption = Annotated[
    tuple[str, str] | None,
    option("Two words, the positive end first. [default: he she]", metavar="WORD WORD"),
]
PairsOption = Annotated[
    str | None,
    option("Pairs of words, one per line (he,she), or 'default': ten pairs.", callback=are_pairs, metavar="FILE"),
]
GroupOption = Annotated[
    Sequence[str] | None,
    option("A group of your own: a file or a list of words. Give two or more.", metavar="NAME=WORDS"),
]
BenchmarksOption = Annotated[
    Path | None, option("A folder of more benchmarks: .tsv, .csv or .txt files, also as .gz.", metavar="FOLDER")
]
SeedOption = Annotated[int, SEED]
UnmaskOption = Annotated[bool, option("Show slurs in full.")]
PageOption = Annotated[Path | None, option("Also write a page (HTML).", metavar="FILE")]
JsonOption = Annotated[bool, option("Print JSON lines, one finding per line.")]


@dataclass(frozen=True, kw_only=True)
class ThreadSettings:
    """Who does the work of a command."""

    workers: Annotated[
        int | None, option("Number of threads; the results are the same. [default: all cores]", min=1)
    ] = None
    dask: Annotated[
        str | None, option("Work on the Dask cluster whose scheduler has this address.", metavar="ADDRESS")
    ] = None

    @property
    def chosen(self) -> int | str | None:
        """What one of the two asks for."""
        if self.dask is not None and self.workers is not None:
            hint = "leave --workers out"
            raise SettingError("--dask brings its own workers", option="--dask", got=self.dask, hint=hint)
        return self.workers if self.dask is None else self.dask


@dataclass(frozen=True, kw_only=True)
class ProcessSettings(ThreadSettings):
    """The same, of work that processes do."""

    workers: Annotated[int | None, option("Number of processes. [default: 1]", min=1)] = None


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that the settings among its parameters describe; it gets the settings, made of them.

    They replace the parameter. One that the command has itself keeps its default in the settings. A parameter may
    also be a single setting.
    """
    own = inspect.signature(command, eval_str=True).parameters
    parameters: list[inspect.Parameter] = []
    made: dict[str, tuple[type, list[str]]] = {}
    names: set[str] = set()
    for parameter in own.values():
        settings = {name: field for name, field in fields_of(parameter.annotation).items() if name not in own}
        if settings:
            made[parameter.name] = parameter.annotation, list(settings)
        single = [(parameter.replace(annotation=kind), setting) for kind, setting in options_of(parameter.annotation)]
        described = [*settings.values(), *single]
        names |= {field.name for field, _ in described}
        parameters += [_as_typer(*field) for field in described] or [parameter.replace(kind=parameter.KEYWORD_ONLY)]

    @functools.wraps(command)
    def with_options(**values: Any) -> None:
        values |= {name: tuple(values[name]) for name in names if isinstance(values[name], list)}
        for name, (settings, fields) in made.items():
            values[name] = settings(**{field: values.pop(field) for field in fields})
        command(**values)

    vars(with_options).pop("__wrapped__")
    vars(with_options)["__signature__"] = inspect.Signature(parameters)
    with_options.__annotations__ = {parameter.name: parameter.annotation for parameter in parameters}
    return with_options


def _as_typer(field: inspect.Parameter, setting: Option) -> inspect.Parameter:
    """Return a setting as typer reads an option: what may repeat is a list, what is named a text."""
    more, several, kind = setting.more, _is_several(field.annotation), field.annotation
    if several:
        kind = list[str] | None if setting.names_a or field.default is None else list[get_args(kind)[0]]  # type: ignore[misc]
    elif setting.names_a is not None:
        kind = str | None
    if setting.names_a is not None:
        more = {"callback": _NAMED[setting.names_a], **more}
    if field.default is True:
        more = {"callback": _is_off, **more}
    shown = typer.Option(*setting.names_of(field.name), help=setting.help, **more)
    default = list(field.default) if several and isinstance(field.default, Sequence) else field.default
    default = False if field.default is True else default
    return field.replace(kind=field.KEYWORD_ONLY, annotation=Annotated[kind, shown], default=default)


def _is_off(given: bool) -> bool:
    """Return what is left of a setting that an option switches off."""
    return not given


def _is_several(annotation: Any) -> bool:
    """Tell whether an option may repeat; a pair of words is one value."""
    return get_origin(annotation) is tuple or any(
        get_origin(kind) is Sequence for kind in (annotation, *get_args(annotation))
    )


def pairs_given(axis: "WordPair | None", pairs: str | Path | None) -> "tuple[WordPair, ...]":
    """Return the pairs of words that --axis or --pairs name, he and she without either."""
    from imprint.stimuli.seeds import definitional_pairs, read_pairs

    if axis is not None and pairs is not None:
        raise SettingError("--axis and --pairs cannot be used together", option="--axis", hint="give one of them")
    if pairs is None:
        return (axis or DEFAULT_PAIR,)
    return definitional_pairs() if pairs == DEFAULT_PAIRS else read_pairs(pairs)


def chosen_weats(
    patterns: Collection[str] | None,
    file: Path | None,
    topics: Collection[str] | None,
    *,
    default: Collection[str],
    hint: str,
) -> "tuple[WeatTest, ...]":
    """Return the WEATs that --test, --tests and --topic name; a topic alone takes every English one."""
    from imprint.stimuli.catalog import about, catalogue, choose, read_tests
    from imprint.stimuli.definition import WeatTest

    tests = catalogue() if file is None else read_tests(file)
    chosen = choose(tests, patterns or (default if file is None and not topics else ("*",)))
    any_language = bool(patterns or file or not topics)
    found = tuple(test for test in chosen if isinstance(test, WeatTest) and (any_language or test.language == "en"))
    if not found:
        raise SettingError(option="--test", got=", ".join(patterns or "*"), expected="at least one WEAT", hint=hint)
    return about(found, topics or ())


def named_words(flag: str, given: Sequence[str] | None) -> dict[str, str]:
    """Tell the names of groups from their words: black=names.txt, or black=Jamal,Ebony."""
    by_name: dict[str, str] = {}
    for group in given or ():
        name, equals, words = group.partition("=")
        if not equals or not name.strip() or name.strip() in by_name:
            expected = "different names, each with words: NAME=FILE or NAME=nurse,teacher"
            raise SettingError(option=flag, got=group, expected=expected)
        by_name[name.strip()] = words
    return by_name
