"""What a study refuses, one line each.

StudyError           a file that is no study, or something that cannot be done with it
├── WithdrawnError   somebody who is not there, or whose number has withdrawn
└── AnswerError      an answer that is not one of those asked for
    ├── AnsweredError    another answer to the same question is stored already
    └── LateError        the page was given to somebody else meanwhile
"""

from imprint.errors import ImprintError


class StudyError(ImprintError):
    """A file that is not a study, or something that cannot be done with it."""


class WithdrawnError(StudyError):
    """A participant of whom nothing is stored any more, or who came again under a number that has withdrawn."""


class AnswerError(StudyError):
    """An answer that is not one of those asked for; nothing of it was stored. `status` is that of the response."""

    status = 422


class AnsweredError(AnswerError):
    """The question has another answer from this person already; the first one stays."""

    status = 409


class LateError(AnswerError):
    """The page was open for so long that somebody else was given it; nothing was stored."""

    status = 410
