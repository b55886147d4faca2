"""WHOSE NAMES: first and last names with demographics."""
