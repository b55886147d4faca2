"""`imprint enumerate`: which biases are in my embedding?"""

import contextlib
import os
from collections.abc import Iterator
from concurrent.futures import Executor, ThreadPoolExecutor
from pathlib import Path
from typing import Annotated, Any

import typer

from imprint.cli.options import EmbeddingArgument, JsonOption, SeedOption
from imprint.errors import MissingExtraError, SettingError

PREVIEW = 1_000


def enumerate_command(
    embedding: EmbeddingArgument,
    names: Annotated[
        str,
        typer.Option("--names", help="first or surnames (US), embedding (found in it), or a file of one name a line."),
    ] = "first",
    groups: Annotated[str, typer.Option("--groups", help="Groups of names; several as 4,8,12 run one by one.")] = "12",
    categories: Annotated[int, typer.Option("--categories", help="Categories of words.")] = 64,
    words: Annotated[int, typer.Option("--words", help="Most frequent lower-case words to ask about.")] = 30_000,
    top: Annotated[int, typer.Option("--top", help="Words an association.")] = 3,
    rotations: Annotated[int, typer.Option("--rotations", help="Random rotations behind each p-value.")] = 10_000,
    fdr: Annotated[float, typer.Option("--fdr", help="False discovery rate.")] = 0.05,
    preview: Annotated[bool, typer.Option("--preview", help="A quick look: 1,000 rotations.")] = False,
    cleaning: Annotated[
        str, typer.Option("--cleaning", help="Drop odd names by margin, centroid or none.")
    ] = "margin",
    centre: Annotated[
        str, typer.Option("--centre", help="Measure scores from the category or from all.")
    ] = "category",
    correction: Annotated[str, typer.Option("--correction", help="bh, by, or max (family-wise).")] = "bh",
    overlapping: Annotated[bool, typer.Option("--overlapping", help="Let groups share words (footnote 2).")] = False,
    weighted: Annotated[bool, typer.Option("--weighted", help="Count each name by its bearers (footnote 4).")] = False,
    without_frequency: Annotated[
        bool, typer.Option("--without-frequency", help="Remove the direction of word frequency first.")
    ] = False,
    stability: Annotated[
        bool, typer.Option("--stability", help="Say how often ten other K-means seeds find each association.")
    ] = False,
    against: Annotated[
        str | None, typer.Option("--against", help="A second embedding, say a debiased one, to put beside it.")
    ] = None,
    workers: Annotated[int | None, typer.Option("--workers", min=1, help="Threads. [default: all cores]")] = None,
    dask: Annotated[str | None, typer.Option("--dask", help="Address of a Dask scheduler to work on.")] = None,
    device: Annotated[str, typer.Option("--device", help="cpu or cuda.")] = "cpu",
    checkpoint: Annotated[
        Path | None, typer.Option("--checkpoint", help="Continue from, and keep, what is done in this file.")
    ] = None,
    show_names: Annotated[bool, typer.Option("--show-names", help="Print the names behind the letters.")] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    seed: SeedOption = 0,
    json: JsonOption = False,
) -> None:
    """Find associations of name groups with words, naming no group and no stereotype in advance (UBE).

    The words found are often offensive: they are the embedding's, printed so that they can be known.
    """
    from imprint.cli.console import open_embedding, print_findings, progress_bar, say
    from imprint.cli.enumeration_tables import print_comparison, print_enumeration
    from imprint.enumeration.enumerate import enumerate_biases
    from imprint.enumeration.matching import compare, with_stability
    from imprint.enumeration.settings import Settings

    where: Any = device  # checked, with a message, by enumerate_biases
    sizes = _sizes(groups)
    if checkpoint is not None and (len(sizes) > 1 or against is not None):
        raise SettingError("--checkpoint goes with one number of groups and one embedding")
    opened = open_embedding(embedding)
    other = open_embedding(against) if against is not None else None
    with _executor(workers, dask) as executor:
        for size in sizes:
            settings = Settings(
                groups=size,
                categories=categories,
                words=words,
                top=top,
                rotations=min(PREVIEW, rotations) if preview else rotations,
                fdr=fdr,
                seed=seed,
                cleaning=cleaning,  # type: ignore[arg-type]  # checked, with a message, by Settings
                centre=centre,  # type: ignore[arg-type]
                correction=correction,  # type: ignore[arg-type]
                overlapping=overlapping,
                weighted=weighted,
                without_frequency=without_frequency,
            )
            with progress_bar(f"rotating, {size} groups") as report:
                found = enumerate_biases(
                    opened, names, settings=settings, executor=executor, device=where, checkpoint=checkpoint,
                    progress=report,
                )  # fmt: skip
            if stability:
                with progress_bar("other seeds") as report:
                    found = with_stability(found, opened, names, executor=executor, device=where, progress=report)
            if json:
                print_findings(found.findings())
                for note in found.notes:
                    say(f"note: {note}")
            else:
                print_enumeration(found, show_names=show_names, unmask=unmask)
            if other is not None:
                with progress_bar(f"rotating {other.name}") as report:
                    second = enumerate_biases(
                        other, names, settings=settings, executor=executor, device=where, progress=report
                    )
                if json:
                    print_findings(second.findings())
                else:
                    print_comparison(compare(found, second), unmask=unmask)


def _sizes(text: str) -> list[int]:
    try:
        return [int(part) for part in text.split(",")]
    except ValueError:
        raise SettingError(f"groups is {text!r}; a number, or several as 4,8,12, is wanted") from None


@contextlib.contextmanager
def _executor(workers: int | None, dask: str | None) -> Iterator[Executor]:
    if dask is None:
        pool = ThreadPoolExecutor(workers or os.cpu_count())
        try:
            yield pool
        finally:
            pool.shutdown(wait=True, cancel_futures=True)
        return
    try:
        from distributed import Client
    except ImportError as error:
        raise MissingExtraError("dask", "dask") from error
    try:
        client: Any = Client(dask, timeout=10)  # type: ignore[no-untyped-call]
    except (OSError, ValueError) as error:
        raise SettingError(
            f"no Dask scheduler answers at {dask!r} ({error}); start one, or leave --dask out"
        ) from error
    with client:
        yield client.get_executor()
