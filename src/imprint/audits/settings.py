"""The options of an audit, described once: for the command and for Python. Those of `AuditSettings` are in its row."""

from typing import TYPE_CHECKING, Annotated

from imprint.jobs.settings import AuditSettings
from imprint.policies.settings import FailOnOption, PolicyOption, RequireOption
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.policies.conditions import Condition
    from imprint.policies.policy import Policy
    from imprint.subjects.opening import EncoderLike
else:
    EncoderLike = object  # its module imports numpy, which `imprint --help` does without


class AuditOptions(AuditSettings, frozen=True, kw_only=True):
    """How an audit is run, what else it asks, and what its findings are held against."""

    encoder: Annotated[
        EncoderLike | None, option("Beside an embedding, ask a sentence encoder too.", names_a="encoder")
    ] = None
    against: Annotated[
        EncoderLike | None,
        option("A second subject to compare with the first.", names_a="subject", metavar="OTHER"),
    ] = None
    policy: PolicyOption = None
    fail_on: FailOnOption = ()
    require: RequireOption = ()

    def requirements(self) -> "tuple[Policy | None, tuple[Condition, ...]]":
        """Read the policy and the conditions; refuse what cannot be asked, before any work is done."""
        from imprint.policies.gate import parse_requirements, refuse_unknown

        policy, conditions = parse_requirements(self.policy, self.fail_on, self.require)
        required = policy.conditions if policy else ()
        refuse_unknown((*required, *conditions), tests=policy.tests if policy else ())
        return policy, conditions
