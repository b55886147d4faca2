"""WHAT IS ASKED: the catalogue of published tests, and tests of the user's own."""
