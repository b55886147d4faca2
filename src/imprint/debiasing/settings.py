"""How debiasing is done, described once: for options of `imprint debias` and for keywords in Python."""

import os
from collections.abc import Collection, Iterable, Sequence
from dataclasses import KW_ONLY, dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Literal, TypeAlias, get_args

from imprint.checks import EmbeddingFormat
from imprint.debiasing import DEBIASERS, DEFAULT_METHOD, LABELS_METHOD, METHODS, SEEDED_METHOD
from imprint.errors import SettingError
from imprint.settings import CACHE, REPORT, SEED, option

if TYPE_CHECKING:
    from imprint.debiasing.debiaser import Debiaser
    from imprint.debiasing.labelled import Groups
    from imprint.debiasing.transform import Transform
    from imprint.directions.axis import Pairs
    from imprint.encoders.cache import EncodingStore
    from imprint.files import FilePath
    from imprint.stimuli.definition import WeatTest
    from imprint.stimuli.seeds import Seeds
    from imprint.stimuli.templates import Templates
    from imprint.subjects.sources import SourceKind
    from imprint.types import Report

    DebiaserLike: TypeAlias = str | Debiaser
    PairsLike: TypeAlias = FilePath | Pairs
    SeedsLike: TypeAlias = FilePath | Seeds
    TransformLike: TypeAlias = FilePath | Transform
    Tests: TypeAlias = Sequence[WeatTest]
else:  # their modules import numpy, which `imprint --help` does without
    DebiaserLike = PairsLike = SeedsLike = TransformLike = Tests = object
    EncodingStore = Groups = Report = SourceKind = Templates = object
    FilePath = Path

AUTO: Literal["auto"] = "auto"
GENDER_AXIS = ("he", "she")

_NOT_OF_ENCODERS = ("axis", "pairs", "seeds", "frontier", "format")
_NOT_OF_GROUPS = ("axis", "pairs", "strength", "seeds", "apply", "frontier", "tests")
_OF_FITTING = ("method", "strength", "seeds", "groups", "transform", "frontier")


@dataclass(frozen=True)
class DebiasOptions:
    """What the command and Python are asked alike."""

    target: Annotated[
        FilePath | None,
        option("The file to write, in a format that its ending names; of an encoder, the folder to make."),
    ] = None
    _: KW_ONLY
    method: Annotated[
        DebiaserLike | None,
        option(
            f"{', '.join(METHODS)}, or a plug-in's. By default {DEFAULT_METHOD}; {LABELS_METHOD} for an encoder, and "
            f"for groups; {SEEDED_METHOD} along an axis that is not he and she, and with strength, seeds or frontier.",
            names_a="debiaser",
        ),
    ] = None
    axis: Annotated[
        tuple[str, str] | None,
        option("Two words that the axis goes through, the positive end first; by default he and she.",
               metavar="WORD WORD"),
    ] = None  # fmt: skip
    pairs: Annotated[
        PairsLike | None,
        option("Pairs of words that make the axis, or leace's labels; in a file, one per line (he,she).",
               names_a="file", metavar="FILE"),
    ] = None  # fmt: skip
    strength: Annotated[
        float | str | None,
        option(
            "Of linear debiasing: 0 keeps all, 1 balances, more removes more; auto, the default, chooses it on folds "
            "of the seeds. For an encoder, which has no seeds, 10.",
            names_a="number",
        ),
    ] = None
    seeds: Annotated[
        SeedsLike | None,
        option(
            "Words to remove the axis from: a file, or a list such as nurse,teacher; by default professions.",
            names_a="words",
            metavar="WORDS",
        ),
    ] = None
    transform: Annotated[FilePath | None, option("A file to save the transform in, too.", metavar="FILE")] = None
    apply: Annotated[
        TransformLike | None,
        option("A saved transform to apply instead of fitting one.", names_a="file", metavar="FILE"),
    ] = None
    frontier: Annotated[bool, option("Also measure what other strengths of linear debiasing would do.")] = False
    format: Annotated[
        EmbeddingFormat | None,
        option("Format of the file; by default that of its ending, and word2vec's text, with a header, for .txt."),
    ] = None
    seed: Annotated[int, SEED] = 0


@dataclass(frozen=True)
class DebiasSettings(DebiasOptions):
    """How an embedding or an encoder is debiased."""

    _: KW_ONLY
    groups: Annotated[
        Groups | None,
        option(
            "Two or more lists of words whose group should not be found any more. An encoder's are by default men's "
            "and women's names and terms. Every fifth word is held out. Methods that need pairs cannot be fitted on "
            "them."
        ),
    ] = None
    templates: Annotated[
        Templates | None,
        option(
            "Sentences to fit an encoder on, from `read_templates`; by default, and for kinds of words it leaves out, "
            "sentences of this package. SEAT's own sentences are refused, because they judge the result."
        ),
    ] = None
    tests: Annotated[
        Tests | None,
        option(
            "WEATs to run before and after, of an encoder in sentences; by default those of gender, if it is removed."
        ),
    ] = None
    cache: Annotated[EncodingStore | None, CACHE] = None
    report: Annotated[Report | None, REPORT] = None

    @property
    def number(self) -> float | None:
        """The strength, where one was given."""
        if self.strength is None or self.strength == AUTO:
            return None
        try:
            return float(self.strength)
        except (TypeError, ValueError) as error:
            expected = f"a number of at least 0, or {AUTO}"
            raise SettingError(option="strength", got=self.strength, expected=expected) from error

    def read_pairs(self) -> "Pairs | None":
        """Return the pairs, of a file too."""
        from imprint.stimuli.seeds import read_pairs

        return read_pairs(self.pairs) if isinstance(self.pairs, str | os.PathLike) else self.pairs

    def read_seeds(self) -> "Seeds | None":
        """Return the seeds, of a file or a list too."""
        from imprint.stimuli.seeds import read_seeds

        return read_seeds(self.seeds) if isinstance(self.seeds, str | os.PathLike) else self.seeds

    def load_transform(self) -> "Transform | None":
        """Return the transform to apply, of a file too."""
        from imprint.debiasing.saved import load_transform

        return load_transform(self.apply) if isinstance(self.apply, str | os.PathLike) else self.apply

    def method_for(self, kind: "SourceKind") -> "DebiaserLike":
        """Return the debiaser that was asked for, or the name of the default one."""
        if self.method is not None:
            return self.method
        if kind == "encoder" or self.groups is not None:
            return LABELS_METHOD
        is_plain = self.pairs is None and self.axis in (None, GENDER_AXIS)
        seeded = self.strength is not None or self.seeds is not None or self.frontier
        return DEFAULT_METHOD if is_plain and not seeded else SEEDED_METHOD

    def fitter(self, kind: "SourceKind") -> "Debiaser":
        """Return the debiaser to fit."""
        from imprint.debiasing.debiaser import Debiaser, debiaser

        method, strength = self.method_for(kind), self.number
        if isinstance(method, Debiaser):
            return method
        return debiaser(method, **({} if strength is None else {"strength": strength}))

    def check(self, kind: "SourceKind") -> None:
        """Refuse settings that mean nothing for a subject or beside each other, and a target that cannot be used."""
        from imprint.debiasing.debiaser import Debiaser, DebiaserOption

        given = {name for name, value in vars(self).items() if value is not None and value is not False}
        if kind == "encoder":
            _refuse(given, _NOT_OF_ENCODERS, "a sentence encoder")
            if self.strength == AUTO:
                raise SettingError(option="strength", got=AUTO, expected="a number: an encoder has no seeds")
        else:
            _refuse(given, ("templates",), "an embedding")
            _refuse(given, _NOT_OF_GROUPS if "groups" in given else (), "groups of an embedding")
        if "apply" in given:
            _refuse(given, _OF_FITTING, "apply, which uses a transform as it is")
        if "pairs" in given:
            _refuse(given, ("axis",), "pairs")
        method, _ = self.method_for(kind), self.number
        if isinstance(method, Debiaser):
            _refuse(given, ("strength",), "a debiaser, which has settings of its own")
        else:
            taken = DEBIASERS.get(method).options
            others = [name for name in get_args(DebiaserOption) if name not in taken]
            _refuse(given, others, f"method {method}", f"use method {SEEDED_METHOD}, or leave it out")
        if self.target is not None:
            self._check_target(kind, self.target)

    def _check_target(self, kind: "SourceKind", target: FilePath) -> None:
        from imprint.embeddings.convert import choose_format
        from imprint.files import free_folder

        if self.transform is not None and Path(self.transform).absolute() == Path(target).absolute():
            problem = "is named for both the result and the transform"
            raise SettingError(problem, option="transform", where=target, hint="give two names")
        if kind == "encoder":
            free_folder(target)
        else:
            choose_format(Path(target), self.format)


def _refuse(given: Collection[str], names: Iterable[str], about: str, hint: str = "leave it out") -> None:
    for name in names:
        if name in given:
            raise SettingError(f"{name} cannot be used with {about}", option=name, hint=hint)
