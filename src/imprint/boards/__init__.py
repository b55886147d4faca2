"""BOARDS: many subjects beside each other, with what differs between them and what only seems to."""
