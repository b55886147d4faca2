"""The rows of a study's scores."""

from collections.abc import Mapping
from typing import Any

from imprint.finding import Finding
from imprint.study.steps import Study


def finding(
    study: Study,
    kind: str,
    test: str,
    statistic: float | None,
    details: Mapping[str, Any],
    *,
    p_value: float | None = None,
) -> Finding:
    """Return one row of what the people of one study said; effects are the embedding's, people have none."""
    return Finding(
        kind=kind,
        test=test,
        embedding=study.embedding,
        embedding_sha256=study.embedding_sha256,
        effect_size=None,
        statistic=statistic,
        p_value=p_value,
        seed=study.seed,
        details={"study": study.id, **details},
    )
