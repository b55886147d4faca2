from dataclasses import fields, replace

import numpy as np
import pytest
from refusals import refuses

from imprint.enumeration.settings import Settings
from imprint.errors import SettingError


def test_the_defaults_are_those_of_the_papers_table():
    settings = Settings()
    assert (settings.groups, settings.categories, settings.words, settings.top) == (12, 64, 30_000, 3)
    assert (settings.rotations, settings.fdr) == (10_000, 0.05)


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("groups", 1),
        ("groups", 0),
        ("categories", 0),
        ("words", 0),
        ("top", 0),
        ("rotations", 0),
        ("rotations", -5),
        ("seed", -1),
        ("groups", 4.0),
        ("rotations", "1000"),
        ("top", None),
        ("fdr", 0),
        ("fdr", 1.0),
        ("fdr", float("nan")),
        ("fdr", "0.05"),
        ("cleaning", "svm"),
        ("centre", "words"),
        ("correction", "holm"),
    ],
)
def test_a_bad_value_is_refused_in_one_clear_line(name, value):
    with refuses(SettingError, str(value), option=name):
        Settings(**{name: value})


def test_numpy_integers_are_integers():
    settings = Settings(groups=np.int64(4), seed=np.int32(7))
    assert settings == Settings(groups=4, seed=7)
    assert settings.fingerprint() == Settings(groups=4, seed=7).fingerprint()


def test_every_setting_and_all_data_change_the_fingerprint():
    words = {"cleaning": "none", "centre": "all", "correction": "by"}
    settings = Settings()
    prints = {settings.fingerprint(), settings.fingerprint("data"), settings.fingerprint("other"),
              settings.fingerprint("da", "ta")}  # fmt: skip
    for field in fields(Settings):
        value = getattr(settings, field.name)
        other = words.get(field.name) or (not value if isinstance(value, bool) else value * 2 or 1)
        prints.add(replace(settings, **{field.name: other}).fingerprint())
    assert len(prints) == 4 + len(fields(Settings))
    assert Settings().fingerprint("data") == Settings().fingerprint("data")
