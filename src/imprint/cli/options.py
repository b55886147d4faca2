"""Arguments and options that several commands share, said once."""

import functools
import inspect
import stat
from collections.abc import Callable, Collection, Iterable
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, get_args, get_origin

import typer

from imprint.checks import EmbeddingFormat, check_choice
from imprint.errors import SettingError, reading_file
from imprint.settings import Option, fields_of

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


_EMBEDDING = typer.Argument(
    callback=is_embedding,
    metavar="EMBEDDING",
    help="An embedding file of any supported format, or a bundled one: 'default' (GloVe 6B, 100d), "
    "'glove-840b-stimuli' (the words of the published tests).",
)
EmbeddingArgument = Annotated[str, _EMBEDDING]
FormatOption = Annotated[
    EmbeddingFormat | None,
    typer.Option(
        "--format", help="Format of OUT. [default: by its ending; .txt is word2vec's text, with a header line]"
    ),
]
FindingsArgument = Annotated[
    Path, typer.Argument(callback=is_file, metavar="FINDINGS", help="A findings.jsonl that imprint wrote.")
]
TestsOption = Annotated[
    Path | None,
    typer.Option("--tests", callback=is_file, help="A TOML file of your own tests, instead of the catalogue."),
]
TopicOption = Annotated[
    list[str] | None,
    typer.Option("--topic", metavar="TOPIC", help="Only tests about this topic, such as gender; may repeat."),
]
DEFAULT_PAIR = ("he", "she")
DEFAULT_PAIRS = "default"
AxisOption = Annotated[
    tuple[str, str] | None,
    typer.Option("--axis", metavar="WORD WORD", help="Two words, the positive end first. [default: he she]"),
]
PairsOption = Annotated[
    str | None,
    typer.Option(
        "--pairs",
        callback=are_pairs,
        metavar="FILE",
        help="Pairs of words, one per line (he,she), or 'default': ten pairs.",
    ),
]
GroupOption = Annotated[
    list[str] | None,
    typer.Option(
        "--group", metavar="NAME=WORDS", help="A group of your own: a file or a list of words. Give two or more."
    ),
]
SeedOption = Annotated[int, typer.Option("--seed", min=0, help="Random seed.")]
WorkersOption = Annotated[
    int | None,
    typer.Option("--workers", min=1, help="Number of threads; the results are the same. [default: all cores]"),
]
DaskOption = Annotated[
    str | None,
    typer.Option("--dask", metavar="ADDRESS", help="Work on the Dask cluster whose scheduler has this address."),
]
JsonOption = Annotated[bool, typer.Option("--json", help="Print JSON lines, one finding per line.")]


def with_settings(command: Callable[..., None]) -> Callable[..., None]:
    """Give a command the options that the settings among its parameters describe; it gets the settings, made of them.

    They replace the parameter. One that the command has itself keeps its default in the settings.
    """
    own = inspect.signature(command, eval_str=True).parameters
    shown: list[inspect.Parameter] = []
    made: dict[str, tuple[type, list[str]]] = {}
    for one in own.values():
        described = {name: found for name, found in fields_of(one.annotation).items() if name not in own}
        shown += [_as_typer(*found) for found in described.values()] or [one.replace(kind=one.KEYWORD_ONLY)]
        if described:
            made[one.name] = one.annotation, list(described)

    @functools.wraps(command)
    def with_options(**given: Any) -> None:
        for name, (settings, fields) in made.items():
            values = {field: given.pop(field) for field in fields}
            several = {field: tuple(value) for field, value in values.items() if isinstance(value, list)}
            given[name] = settings(**values | several)
        command(**given)

    vars(with_options).pop("__wrapped__")
    vars(with_options)["__signature__"] = inspect.Signature(shown)
    with_options.__annotations__ = {one.name: one.annotation for one in shown}
    return with_options


def _as_typer(field: inspect.Parameter, described: Option) -> inspect.Parameter:
    """Return a setting as typer reads an option: what may be given several times is a list."""
    kind, several = field.annotation, get_origin(field.annotation) is tuple
    shown = typer.Option(*described.names_of(field.name), help=described.help, **described.more)
    annotation = list[get_args(kind)[0]] if several else kind  # type: ignore[misc]
    return field.replace(
        kind=field.KEYWORD_ONLY,
        annotation=Annotated[annotation, shown],
        default=list(field.default) if several else field.default,
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


def named_words(option: str, given: list[str] | None) -> dict[str, str]:
    """Tell the names of groups from their words: black=names.txt, or black=Jamal,Ebony."""
    found: dict[str, str] = {}
    for one in given or ():
        name, equals, words = one.partition("=")
        if not equals or not name.strip() or name.strip() in found:
            expected = "different names, each with words: NAME=FILE or NAME=nurse,teacher"
            raise SettingError(option=option, got=one, expected=expected)
        found[name.strip()] = words
    return found
