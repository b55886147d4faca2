"""`imprint serve`: a local page where words are tried live on one embedding or encoder."""

import contextlib
from typing import Annotated

import typer

from imprint.cli.encoders import SubjectArgument
from imprint.cli.options import UnmaskOption


def serve_command(
    subject: SubjectArgument,
    host: Annotated[
        str, typer.Option(help="The address to listen on; other machines can connect to any but the default.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="The port; 0 for any free one.")] = 8001,
    unmask: UnmaskOption = False,
) -> None:
    """Explore a model in the browser, with live tests.

    Only this machine can open the page, unless you give --host. Ctrl-C stops it.
    """
    from imprint.web.serving import address, bind, require_server, run

    require_server()
    from imprint.cli.console import open_embedding, print_answer, print_note
    from imprint.explorer.app import make_explorer
    from imprint.subjects.opening import open_encoder
    from imprint.subjects.sources import EMBEDDING, find_source
    from imprint.web.serving import Hosts

    hosts = Hosts.bound_to(host)
    with bind(host, port) as bound:
        is_embedding = find_source(subject).adapter == EMBEDDING
        opened = open_embedding(subject) if is_embedding else open_encoder(subject)
        app = make_explorer(opened, subject, hosts=hosts, unmask=unmask)
        print_answer(f"explorer: {address(bound)}")
        print_note("Ctrl-C stops it")
        with contextlib.suppress(KeyboardInterrupt):
            run(app, bound)
