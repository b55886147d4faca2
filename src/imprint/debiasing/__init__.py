"""Taken away: one debiaser a file, each fitting a small frozen transform."""

from typing import Literal, get_args

Method = Literal["linear", "hard", "leace"]

METHODS: tuple[Method, ...] = get_args(Method)
