"""The process that draws charts: a specification per line in, a drawing per line out; null asks for Vega's bundle.

A program of its own, started by `vega.py`: where memory is limited (ulimit -v), Vega's engine ends the process it runs
in, and no error can be caught.
"""

import json
import signal
import sys


def main() -> None:
    """Draw until stdin ends."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl-C reaches us too; who started us ends us
    import vl_convert

    for line in sys.stdin:
        spec = json.loads(line)
        try:
            if spec is None:
                drawn = vl_convert.javascript_bundle("window.vegaEmbed = vegaEmbed;")
            else:
                drawn = vl_convert.vegalite_to_svg(line, allowed_base_urls=[])
            answer = {"drawn": drawn}
        except ValueError as error:
            answer = {"error": str(error)}
        sys.stdout.write(json.dumps(answer) + "\n")
        sys.stdout.flush()


if __name__ == "__main__":
    main()
