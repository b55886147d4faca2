"""What a study refuses, one line each.

StudyError           a file that is no study, or something that cannot be done with it
└── AnswerError      an answer that is not one of those asked for
    ├── AnsweredError    another answer to the same question is stored already
    └── LateError        the page was given to somebody else meanwhile
"""

from imprint.errors import ImprintError


class StudyError(ImprintError):
    """A file that is no study, or something that cannot be done with it."""


class AnswerError(StudyError):
    """An answer that is not one of those asked for; nothing of it was stored."""


class AnsweredError(AnswerError):
    """The question has another answer from this person already; the first one stays."""


class LateError(AnswerError):
    """The page was open for so long that somebody else was given it; nothing was stored."""
