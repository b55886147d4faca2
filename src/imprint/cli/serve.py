"""`imprint serve`: a local page where words are tried live on one embedding or encoder."""

import contextlib
from typing import Annotated

from imprint.cli import console
from imprint.cli.encoders import SubjectArgument
from imprint.cli.options import UnmaskOption
from imprint.settings import option


def serve_command(
    subject: SubjectArgument,
    host: Annotated[
        str, option("The address to listen on; other machines can connect to any but the default.")
    ] = "127.0.0.1",
    port: Annotated[int, option("The port; 0 for any free one.", min=0, max=65_535)] = 8001,
    unmask: UnmaskOption = False,
) -> None:
    """Explore a model in the browser, with live tests.

    Only this machine can open the page, unless you give --host. Ctrl-C stops it.
    """
    from imprint.web.serving import address, bind, require_server, run

    require_server()
    from imprint.explorer.app import make_explorer
    from imprint.subjects.opening import open_encoder
    from imprint.subjects.sources import EMBEDDING, find_source
    from imprint.web.serving import Hosts

    hosts = Hosts.bound_to(host)
    with bind(host, port) as bound:
        is_embedding = find_source(subject).adapter == EMBEDDING
        opened = console.open_embedding(subject) if is_embedding else open_encoder(subject)
        app = make_explorer(opened, subject, hosts=hosts, unmask=unmask)
        console.print_answer(f"explorer: {address(bound)}")
        console.print_note("Ctrl-C stops it")
        with contextlib.suppress(KeyboardInterrupt):
            run(app, bound)
