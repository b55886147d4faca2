"""Taken away: one debiaser a file, each fitting a small frozen transform."""
