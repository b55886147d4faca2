"""What findings are held against, described once: for the options of commands and for Python."""

from collections.abc import Sequence
from typing import TYPE_CHECKING, Annotated, TypeAlias

import msgspec

from imprint.errors import SettingError
from imprint.settings import option

if TYPE_CHECKING:
    from imprint.files import FilePath
    from imprint.policies.policy import Policy

    PolicyLike: TypeAlias = Policy | FilePath
else:
    PolicyLike = object  # a policy's module imports tests, which `imprint --help` does without

PolicyOption = Annotated[
    PolicyLike | None, option("A policy file: requirements with margins.", names_a="file", metavar="FILE")
]
FailOnOption = Annotated[
    Sequence[str],
    option("Fail if this holds, such as 'weat:p<0.01': KIND[:TEST]:FIELD OP NUMBER; may repeat.", metavar="CONDITION"),
]
RequireOption = Annotated[
    Sequence[str],
    option(
        "Pass only if this holds for the whole interval, such as 'weat:gender-career:|size|<0.1'; may repeat.",
        metavar="CONDITION",
    ),
]


class GateSettings(msgspec.Struct, frozen=True, kw_only=True):
    """What findings are held against."""

    policy: PolicyOption = None
    fail_on: FailOnOption = ()
    require: RequireOption = ()

    def check(self) -> None:
        """Refuse to decide by nothing, before any work is done."""
        if self.policy is None and not self.fail_on and not self.require:
            raise SettingError(
                "a gate needs a policy or a condition",
                option="--policy",
                hint="`imprint policy init` writes a policy; or give --fail-on 'weat:p<0.01'",
            )
