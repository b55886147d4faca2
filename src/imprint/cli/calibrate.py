"""`imprint calibrate`: how often questions find something in copies of a subject in which there is nothing to find."""

from dataclasses import asdict
from typing import Annotated

import typer

from imprint.association.settings import CalibrationSettings
from imprint.cli.encoders import EncoderSettings, SubjectArgument, opened_subjects
from imprint.cli.options import DaskOption, JsonOption, WorkersOption, given_workers, with_settings


@with_settings
def calibrate_command(
    subject: SubjectArgument,
    test: Annotated[
        list[str] | None,
        typer.Option("--test", help="A test's id, or a pattern; may repeat. [default: the questions]"),
    ] = None,
    workers: WorkersOption = None,
    dask: DaskOption = None,
    *,
    settings: CalibrationSettings,
    about: EncoderSettings,
    json: JsonOption = False,
) -> None:
    """Count findings in copies that have nothing to find.

    Vectors are exchanged among all words, or among words of like frequency, or names among like names.
    """
    from imprint.cli.console import phases, show_findings
    from imprint.stimuli.catalog import catalogue, choose
    from imprint.stimuli.definition import WeatTest

    tests = [entry for entry in choose(catalogue(), test) if isinstance(entry, WeatTest)] if test else None
    from imprint.association.calibration import calibrate  # after the choice: it loads numpy

    chosen = given_workers(workers, dask)
    with opened_subjects([subject], about) as opened, phases() as report:
        calibration = calibrate(
            opened.subjects[0], tests=tests, cache=opened.cache, workers=chosen, report=report, **asdict(settings)
        )
    show_findings(calibration.findings(), json=json)
