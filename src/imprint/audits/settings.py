"""The options of an audit, described once: for the command and for Python. Those of `AuditSettings` are in its row."""

from collections.abc import Collection
from os import PathLike
from typing import TYPE_CHECKING, Annotated, TypeAlias

from imprint.jobs.settings import AuditSettings
from imprint.policies.settings import FailOnOption, PolicyOption, RequireOption
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.files import FilePath
    from imprint.policies.conditions import Condition
    from imprint.policies.policy import Policy
    from imprint.stimuli.definition import Test
    from imprint.subjects.opening import EncoderLike

    TestsLike: TypeAlias = FilePath | Collection[Test]
else:
    EncoderLike = TestsLike = object  # their modules import numpy, which `imprint --help` does without


class AuditOptions(AuditSettings, frozen=True, kw_only=True):
    """How an audit is run, what else it asks, and what its findings are held against."""

    encoder: Annotated[
        EncoderLike | None, option("Beside an embedding, ask a sentence encoder too.", names_a="encoder")
    ] = None
    against: Annotated[
        EncoderLike | None,
        option("A second subject to compare with the first.", names_a="subject", metavar="OTHER"),
    ] = None
    tests: Annotated[
        TestsLike | None,
        option("Tests of your own, beside the catalogue's: a TOML file.", names_a="file", metavar="FILE"),
    ] = None
    policy: PolicyOption = None
    fail_on: FailOnOption = ()
    require: RequireOption = ()

    @property
    def own_tests(self) -> "tuple[Test, ...]":
        """Tests beside the catalogue's, read where they are in a file."""
        from imprint.stimuli.catalog import read_tests

        return read_tests(self.tests) if isinstance(self.tests, str | PathLike) else tuple(self.tests or ())

    def requirements(self) -> "tuple[Policy | None, tuple[Condition, ...], tuple[Test, ...]]":
        """Read the policy, the conditions and tests of one's own; refuse what cannot be asked, before any work."""
        from imprint.policies.gate import parse_requirements, refuse_unknown
        from imprint.stimuli.parsing import refuse_repeated_ids

        policy, conditions = parse_requirements(self.policy, self.fail_on, self.require)
        own = self.own_tests
        own += policy.tests if policy else ()
        refuse_repeated_ids(own, "tests")
        refuse_unknown((*(policy.conditions if policy else ()), *conditions), tests=own)
        return policy, conditions, own
