"""Sentences in, vectors out: one adapter a file, one door (`opening`), one cache on disk."""
