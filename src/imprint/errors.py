"""Everything imprint raises on purpose, one line each: what came, what was wanted, what to do.

    ImprintError
    ├── SubjectError         a name that is neither an embedding nor an encoder, or is the other of the two
    ├── EmbeddingFileError   a file that is not an embedding, or a broken one
    ├── EncoderError         an encoder that cannot be opened, or whose answer is no vector
    ├── VocabularyError      words that are missing, repeated or on both sides of a test
    ├── StimulusError        a test, word list or property table that cannot be used
    ├── SettingError         an option out of its range
    ├── MissingExtraError    an optional library that is not installed
    ├── RefusedError         what a served page says no to, with its status (in web/refusal.py)
    └── StudyError           what a study refuses, and its children (in study/refusals.py)

The command line prints any of them as one line and exits with 1.
"""


class ImprintError(Exception):
    """Base of every error a user can cause and mend."""


class SubjectError(ImprintError):
    """A name that is neither an embedding nor an encoder, or the one where the other is needed."""


class EmbeddingFileError(ImprintError):
    """A file that is not an embedding, or is a broken one; the message names the file and the line."""


class EncoderError(ImprintError):
    """An encoder that cannot be opened, or whose answer is no vector; the message names it."""


class VocabularyError(ImprintError):
    """Words that are missing, repeated or on both sides of a test; the message names them."""


class StimulusError(ImprintError):
    """A test, a word list or a property table that cannot be used."""


class SettingError(ImprintError):
    """An option out of its range."""


class MissingExtraError(ImprintError):
    """An optional library is needed and not installed; the message gives the install command."""

    def __init__(self, library: str, extra: str) -> None:
        super().__init__(f"imprint needs {library} for this: pip install 'imprint[{extra}]'")
