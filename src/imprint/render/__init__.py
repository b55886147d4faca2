"""DRAWN: tables, charts and sentences on a terminal, in HTML and in Markdown; no kind of finding is known here."""
