"""`imprint study`: do people share the embedding's associations? Create, serve, score and export a study."""

from dataclasses import replace
from pathlib import Path
from typing import Annotated

import typer

from imprint.checks import check_choice
from imprint.cli import console
from imprint.cli.options import JsonOption, UnmaskOption, is_file, with_settings
from imprint.errors import SettingError
from imprint.settings import option
from imprint.study.settings import StudySettings, Terms, read_consent

_PORT = 8000

study_app = typer.Typer(
    help="Ask people which associations are stereotypes.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
StudyArgument = Annotated[
    Path, typer.Argument(callback=is_file, metavar="STUDY", help="A file from imprint study create.")
]


@study_app.command("create")
@with_settings
def create_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An embedding, 'default' or a findings.jsonl; for offense a finished study; for suggestion a "
            "subject, such as 'women and men'.",
        ),
    ],
    out: Annotated[Path, option("The study's file, which must not exist yet.")],
    settings: StudySettings,
    terms: Terms,
    consent: Annotated[
        Path | None,
        option(
            "Your consent text in UTF-8, with lines Researcher:, Duration: and Contact:.",
            callback=is_file,
            metavar="FILE",
        ),
    ] = None,
) -> None:
    """Create a study in one file, and print its token once."""
    from imprint.study.protocols import asks_embedding, make_design
    from imprint.study.records import create_study

    console.check_target(out, reading=source)
    if out.exists():
        raise SettingError(
            "exists already", option="--out", where=out, hint="give a new name, or remove it with imprint study delete"
        )
    settings.check()
    if consent is not None:
        terms = replace(terms, consent=read_consent(consent))
    subject = console.open_embedding(source) if asks_embedding(source, settings.protocol) else source
    with console.phases() as report:
        design = make_design(subject, settings, progress=report)
    token = create_study(out, design, seed=settings.seed, terms=terms)
    for note in design.notes:
        console.print_note(f"note: {note}")
    if consent is None:
        console.print_note("note: there is no consent text; add --consent FILE before you invite people")
    from imprint.view import several

    pages = several(len(design.blocks), "page")
    console.print_note(f"{pages} for {design.quota} people each; next: imprint study serve {out}")
    console.print_written("study", out)
    console.print_answer(f"administrator's token, shown only once: {token}")


@study_app.command("serve")
@with_settings
def serve_command(
    study: StudyArgument,
    host: Annotated[str, option("Address to listen on; 0.0.0.0 means all.")] = "127.0.0.1",
    port: Annotated[int, option("Port; 0 takes any free one.", min=0, max=65535)] = _PORT,
    url: Annotated[str | None, option("The public address if a proxy is used: https://study.example.org")] = None,
    no_join: Annotated[bool, option("Admit only people with a private link from the administrator.")] = False,
    unmask: UnmaskOption = False,
) -> None:
    """Serve a study to its participants until Ctrl-C."""
    from imprint.web.serving import Hosts, bind, public_address, public_name, require_server, run

    require_server()
    from imprint.study.app import make_study_app
    from imprint.study.store import Store

    names = [public_name(url)] if url is not None else []
    hosts = Hosts.bound_to(host, names)
    with Store.open(study) as store, bind(host, port) as bound:
        store.check_writable()
        app = make_study_app(
            store,
            hosts=hosts,
            join=not no_join,
            unmask=unmask,
            secure=bool(url and url.lower().startswith("https:")),
            behind_proxy=url is not None,
        )
        local, notes = public_address(bound)
        where = url.rstrip("/") if url is not None else local
        console.print_answer(f"take part: {where}/")
        console.print_answer(f"administrator: {where}/admin")
        for note in notes if url is None else (f"listening on {local}; the proxy must forward requests to it",):
            console.print_note(note)
        if not store.terms.consent and (notes or url is not None):
            console.print_note(
                "warning: this study has no consent text; create it again with --consent FILE before you invite people"
            )
        console.print_note("Ctrl-C stops the server. Start it again to continue.")
        run(app, bound)


@study_app.command("score")
@with_settings
def score_command(
    study: StudyArgument,
    ratings: Annotated[Path | None, option("The offense study created from this one.")] = None,
    bonuses: Annotated[bool, option("Show what each participant has earned.")] = False,
    unmask: Annotated[bool, option("Print slurs in full.")] = False,
    json: JsonOption = False,
) -> None:
    """Print how many associations people share, beside chance.

    This is the paper's Table 4 for this crowd.
    """
    import contextlib

    from imprint.study.analysis import bonuses as find_bonuses
    from imprint.study.analysis import score
    from imprint.study.store import Store

    with contextlib.ExitStack() as opened:
        store = opened.enter_context(Store.open(study))
        rated = opened.enter_context(Store.open(ratings)) if ratings is not None else None
        found = [*score(store, rated), *(find_bonuses(store) if bonuses else ())]
    if not found:
        console.print_note("There are no answers yet.")
    console.show_findings(found, json=json, unmask=unmask)


@study_app.command("export")
@with_settings
def export_command(
    study: StudyArgument,
    out: Annotated[Path, option("The file to write.")],
    form: Annotated[
        str | None,
        option(
            "html (a page of results), csv (all answers), jsonl (scores), or payments (participants of a panel and "
            "how far they came). Also mturk or prolific (tasks to upload there), or seeds (suggested words for "
            "imprint debias). [default: from the file name]",
            "--format",
        ),
    ] = None,
) -> None:
    """Write answers, scores, payments, or tasks for a platform."""
    from imprint.study.analysis import EXPORTS
    from imprint.study.database import belongs_to
    from imprint.study.store import Store

    chosen = form or out.suffix.removeprefix(".")
    check_choice("--format", chosen, EXPORTS)
    console.check_target(out, reading=str(study))
    if belongs_to(out, study):
        raise SettingError(
            "belongs to the study being read", option="--out", where=out, hint="give another name for the output"
        )
    with Store.open(study) as store:
        EXPORTS[chosen](store, out)
    console.print_written(chosen, out)


@study_app.command("delete")
@with_settings
def delete_command(
    study: StudyArgument,
    yes: Annotated[bool, option("Delete it. This cannot be undone.")] = False,
) -> None:
    """Delete a study with all its answers."""
    from imprint.study.database import remove
    from imprint.study.store import held_in

    held = held_in(study)
    if not yes:
        raise SettingError(
            f"holds {held}, which cannot be recovered", option="--yes", where=study, hint="add --yes to delete it"
        )
    remove(study)
    console.print_answer(f"deleted: {study}, {held}")
