"""`imprint calibrate`: what the tests show on copies of a subject that lack the associations."""

from typing import Annotated

import typer

from imprint.cli.encoders import AboutEncoder, SubjectArgument, opened_subjects, takes_encoder
from imprint.cli.options import AlphaOption, DaskOption, JsonOption, SeedOption, WorkersOption


@takes_encoder
def calibrate_command(
    subject: SubjectArgument,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id, or a pattern; may repeat. [default: all in English]"),
    ] = None,
    copies: Annotated[int, typer.Option("--copies", min=1, help="How many copies of each kind to make.")] = 200,
    alpha: AlphaOption = 0.05,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    seed: SeedOption = 0,
    json: JsonOption = False,
    *,
    about: AboutEncoder,
) -> None:
    """Measure how often an unbiased subject would look biased.

    The tests are run on altered copies of it that lack these associations.
    """
    from imprint.cli.cluster import given_workers
    from imprint.cli.console import phases, show_findings
    from imprint.stimuli.catalog import catalogue, choose
    from imprint.stimuli.definition import WeatTest

    tests = [one for one in choose(catalogue(), test) if isinstance(one, WeatTest)] if test else None
    from imprint.association.calibration import calibrate  # after the choice: it loads numpy

    chosen = given_workers(workers, dask)
    with opened_subjects([subject], about) as opened, chosen as executor, phases() as report:
        found = calibrate(
            opened.subjects[0],
            tests=tests,
            copies=copies,
            alpha=alpha,
            cache=opened.cache,
            seed=seed,
            executor=executor,
            report=report,
        )
    show_findings(found.findings(), json=json)
