"""Corpora: how often groups of people occur near kinds of words in text, and in which documents."""
