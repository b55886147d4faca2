"""TRIED LIVE: a local page over one embedding, with the numbers of the command line."""
