"""`imprint study`: do people share the embedding's associations? Create, serve, score and export a study."""

import socket
from functools import partial
from ipaddress import ip_address
from pathlib import Path
from typing import TYPE_CHECKING, Annotated

import typer

import imprint
from imprint.checks import Protocol, check_choice
from imprint.cli.options import DEFAULT_PAIR, JsonOption, SeedOption, is_file
from imprint.errors import SettingError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from imprint.study.design import Design

FINDINGS = ".jsonl"

_ANALOGIES = 100  # asked about where an embedding is given; the paper asks about 1,000
_PORT = 8000

study_app = typer.Typer(
    help="Ask people which associations are stereotypes.",
    no_args_is_help=True,
    rich_markup_mode=None,
)
StudyArgument = Annotated[
    Path, typer.Argument(callback=is_file, metavar="STUDY", help="A file from imprint study create.")
]

# Kept for documentation: nobody has them, so they stand for anybody outside.
_OUTSIDE = {socket.AF_INET: "192.0.2.1", socket.AF_INET6: "2001:db8::1"}
_DISCARD = 9
_EVERYWHERE = "listening on every address of this machine"
_READABLE = "warning: without TLS others can read answers and links on the way; use a web server with TLS, and --url"


@study_app.command("create")
def create_command(
    source: Annotated[
        str,
        typer.Argument(
            metavar="SOURCE",
            help="An embedding, 'default' or a findings.jsonl; for offense a finished study; for suggestion a "
            "subject, such as 'women and men'.",
        ),
    ],
    out: Annotated[Path, typer.Option(help="The study's file, which must not exist yet.")],
    protocol: Annotated[Protocol, typer.Option(help="What people do; with ube they match words to groups.")] = "ube",
    participants: Annotated[
        int | None, typer.Option(help="Participants per page. [default: 18, 15, 10 as in the papers, or 50]")
    ] = None,
    pages: Annotated[
        int | None, typer.Option(min=1, help="Categories (ube) or analogies to ask about. [default: 12, 100]")
    ] = None,
    consent: Annotated[
        Path | None,
        typer.Option(
            callback=is_file,
            metavar="FILE",
            help="Your consent text in UTF-8, with lines Researcher:, Duration: and Contact:.",
        ),
    ] = None,
    completion_code: Annotated[
        str | None, typer.Option(metavar="CODE", help="Shown after the last page, so that people can be paid.")
    ] = None,
    screen_out_code: Annotated[
        str | None,
        typer.Option(metavar="CODE", help="Shown to people who do not pass the exam or find the study full."),
    ] = None,
    return_url: Annotated[
        str | None,
        typer.Option(metavar="URL", help="The panel's https address, linked beside the code: {code}, {participant}."),
    ] = None,
    seed: SeedOption = 0,
) -> None:
    """Create a study in one file, and print its token once."""
    from imprint.cli.console import check_target, print_answer, print_note, print_written
    from imprint.study.people import Terms, read_consent
    from imprint.study.records import create_study

    check_target(out, reading=source)
    if out.exists():
        raise SettingError(
            "exists already", option="--out", where=out, hint="give a new name, or remove it with imprint study delete"
        )
    if pages is not None and protocol not in ("ube", "analogy"):
        raise SettingError(
            f"--pages cannot be used with {protocol}",
            option="--pages",
            got=pages,
            hint="leave it out: it goes with ube and analogy",
        )
    text = () if consent is None else read_consent(consent)
    terms = Terms(text, completion_code, screen_out_code, return_url)
    design = _design(source, protocol, participants=participants, pages=pages, seed=seed)
    token = create_study(out, design, seed=seed, terms=terms)
    for note in design.notes:
        print_note(f"note: {note}")
    pages_made = len(design.blocks)
    noun = "page" if pages_made == 1 else "pages"
    if consent is None:
        print_note("note: there is no consent text; add --consent FILE before you invite people")
    print_note(f"{pages_made} {noun} for {design.quota} people each; next: imprint study serve {out}")
    print_written("study", out)
    print_answer(f"administrator's token, shown only once: {token}")


@study_app.command("serve")
def serve_command(
    study: StudyArgument,
    host: Annotated[str, typer.Option(help="Address to listen on; 0.0.0.0 means all.")] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65535, help="Port; 0 takes any free one.")] = _PORT,
    url: Annotated[
        str | None, typer.Option(help="The public address if a proxy is used: https://study.example.org")
    ] = None,
    no_join: Annotated[
        bool, typer.Option("--no-join", help="Admit only people with a private link from the administrator.")
    ] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="Show slurs in full.")] = False,
) -> None:
    """Serve a study to its participants until Ctrl-C."""
    from imprint.cli.console import print_answer, print_note
    from imprint.web.serving import bind, public_name, require_server, run

    require_server()
    from imprint.study.app import make_study_app
    from imprint.study.store import Store
    from imprint.web.serving import Hosts

    names = [public_name(url)] if url is not None else []
    hosts = Hosts.bound_to(host, names)
    with Store.open(study) as store, bind(host, port) as bound:
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
        print_answer(f"take part: {where}/")
        print_answer(f"administrator: {where}/admin")
        for note in notes if url is None else (f"listening on {local}; the proxy must forward requests to it",):
            print_note(note)
        if not store.terms.consent and (notes or url is not None):
            print_note(
                "warning: this study has no consent text; create it again with --consent FILE before you invite people"
            )
        print_note("Ctrl-C stops the server. Start it again to continue.")
        run(app, bound)


@study_app.command("score")
def score_command(
    study: StudyArgument,
    ratings: Annotated[Path | None, typer.Option(help="The offense study created from this one.")] = None,
    bonuses: Annotated[bool, typer.Option("--bonuses", help="Show what each participant has earned.")] = False,
    unmask: Annotated[bool, typer.Option("--unmask", help="Print slurs in full.")] = False,
    json: JsonOption = False,
) -> None:
    """Print how many associations people share, beside chance.

    This is the paper's Table 4 for this crowd.
    """
    import contextlib

    from imprint.cli.console import print_note, show_findings
    from imprint.study.analysis import bonuses as find_bonuses
    from imprint.study.analysis import score
    from imprint.study.store import Store

    with contextlib.ExitStack() as opened:
        store = opened.enter_context(Store.open(study))
        rated = opened.enter_context(Store.open(ratings)) if ratings is not None else None
        found = [*score(store, rated).findings(), *(find_bonuses(store) if bonuses else ())]
    if not found:
        print_note("There are no answers yet.")
    show_findings(found, json=json, unmask=unmask)


@study_app.command("export")
def export_command(
    study: StudyArgument,
    out: Annotated[Path, typer.Option(help="The file to write.")],
    form: Annotated[
        str | None,
        typer.Option(
            "--format",
            help="csv (all answers), jsonl (scores), or payments (participants of a panel and how far they came). "
            "Also mturk or prolific (tasks to upload there), or seeds (suggested words for imprint debias). "
            "[default: from the file name]",
        ),
    ] = None,
) -> None:
    """Write answers, scores, payments, or tasks for a platform."""
    from imprint.cli.console import check_target, print_written
    from imprint.study.analysis import write_csv, write_jsonl, write_payments, write_seeds, write_tasks
    from imprint.study.database import belongs_to
    from imprint.study.store import Store

    writers: dict[str, Callable[[Store, Path], None]] = {
        "csv": write_csv,
        "jsonl": write_jsonl,
        "payments": write_payments,
        "mturk": partial(write_tasks, platform="mturk"),
        "prolific": partial(write_tasks, platform="prolific"),
        "seeds": write_seeds,
    }
    chosen = form or out.suffix.removeprefix(".")
    check_choice("--format", chosen, writers)
    check_target(out, reading=str(study))
    if belongs_to(out, study):
        raise SettingError(
            "belongs to the study being read", option="--out", where=out, hint="give another name for the output"
        )
    with Store.open(study) as store:
        writers[chosen](store, out)
    print_written(chosen, out)


@study_app.command("delete")
def delete_command(
    study: StudyArgument,
    yes: Annotated[bool, typer.Option("--yes", help="Delete it. This cannot be undone.")] = False,
) -> None:
    """Delete a study with all its answers."""
    from imprint.cli.console import print_answer
    from imprint.study import database
    from imprint.study.design import StudyError
    from imprint.study.store import Store

    held = "answers in the format of another version of imprint"
    if database.is_readable(study):
        try:
            with Store.open(study) as store:
                told = store.overview()
            held = f"{told.answers} answers of {told.participants} people"
        except StudyError:
            held = "answers in a damaged file"  # deleted all the same: they are still people's answers
    if not yes:
        raise SettingError(
            f"holds {held}, which cannot be recovered", option="--yes", where=study, hint="add --yes to delete it"
        )
    database.remove(study)
    print_answer(f"deleted: {study}, {held}")


def _design(source: str, protocol: Protocol, *, participants: int | None, pages: int | None, seed: int) -> "Design":
    from imprint.study import protocols
    from imprint.study.analysis import score
    from imprint.study.store import Store

    people = protocols.PARTICIPANTS[protocol] if participants is None else participants
    if protocol == "suggestion":
        return protocols.suggestion_design(source, participants=people)
    findings: Sequence[imprint.Row]
    names = None
    if source.endswith(FINDINGS):
        findings = imprint.read_findings(source)
    elif protocol == "offense":
        with Store.open(source) as store:
            findings = score(store).findings()
    elif protocol == "analogy":
        pages = pages or _ANALOGIES
        findings = _analogies(source, pages + 1)  # he : she, which is left out, may be one of them
    else:
        enumeration = _enumerate(source, seed)
        findings, names = enumeration.findings(), enumeration.names
    if protocol == "offense":
        return protocols.offense_design(findings, participants=people)
    if protocol == "analogy":
        return protocols.analogy_design(findings, pairs=pages, participants=people)
    categories = pages or protocols.CATEGORIES
    return protocols.ube_design(findings, names=names, categories=categories, participants=people)


def _analogies(embedding: str, pairs: int) -> "Sequence[imprint.Row]":
    """Find the best analogies along he and she, without first names, of which there is nothing to judge."""
    from imprint.cli.console import open_embedding, progress_bar

    opened = open_embedding(embedding)
    with progress_bar("comparing all pairs") as report:
        return imprint.analogies(opened, DEFAULT_PAIR, k=pairs, no_names=True, progress=report).findings()


def _enumerate(embedding: str, seed: int) -> "imprint.Enumeration":
    """Find associations of name groups with words."""
    from imprint.cli.console import open_embedding, print_note, progress_bar
    from imprint.workers import threads

    opened = open_embedding(embedding)
    with threads(None) as executor, progress_bar("enumerating") as report:
        found = imprint.enumerate_biases(opened, seed=seed, repeats=0, executor=executor, progress=report)
    for note in found.overview.notes:
        print_note(f"note: {note}")
    return found


def public_address(bound: socket.socket) -> tuple[str, list[str]]:
    """Return the address to hand out, and what whoever runs the server has to know of it."""
    from imprint.web.serving import address

    host = ip_address(bound.getsockname()[0])
    if host.is_loopback:
        return address(bound), []
    if not host.is_unspecified:
        return address(bound), [_READABLE]
    outward = _outward_address(bound.family)
    if outward is None:
        told = f"{_EVERYWHERE}; the printed one works only here, other people need this machine's name or address"
    else:
        told = f"{_EVERYWHERE}; other people can use {outward}"
    return address(bound, outward), [told, _READABLE]


def _outward_address(family: int) -> str | None:
    """Return the address from which this machine would send to others, None where it would not; nothing is sent."""
    try:
        with socket.socket(family, socket.SOCK_DGRAM) as probe:
            probe.connect((_OUTSIDE[socket.AddressFamily(family)], _DISCARD))
            found = str(probe.getsockname()[0])
    except OSError:
        return None
    chosen = ip_address(found)
    return None if chosen.is_loopback or chosen.is_link_local else found
