from dataclasses import fields, replace

import numpy as np
import pytest

from imprint.enumeration.settings import Settings
from imprint.errors import SettingError


def test_the_defaults_are_those_of_the_papers_table():
    settings = Settings()
    assert (settings.groups, settings.categories, settings.words, settings.top) == (12, 64, 30_000, 3)
    assert (settings.rotations, settings.fdr) == (10_000, 0.05)


@pytest.mark.parametrize(
    ("name", "value", "message"),
    [
        ("groups", 1, "groups is 1; at least 2 is wanted"),
        ("groups", 0, "groups is 0; at least 2"),
        ("categories", 0, "categories is 0; at least 1"),
        ("words", 0, "words is 0; at least 1"),
        ("top", 0, "top is 0; at least 1"),
        ("rotations", 0, "rotations is 0; at least 1"),
        ("rotations", -5, "rotations is -5; at least 1"),
        ("seed", -1, "seed is -1; at least 0"),
        ("groups", 4.0, "groups is 4.0; a whole number is wanted"),
        ("rotations", "1000", "rotations is '1000'; a whole number is wanted"),
        ("top", None, "top is None; a whole number is wanted"),
        ("fdr", 0, "fdr is 0; a number between 0 and 1 is wanted"),
        ("fdr", 1.0, "fdr is 1.0; a number between 0 and 1"),
        ("fdr", float("nan"), "fdr is nan; a number between 0 and 1"),
        ("fdr", "0.05", "fdr is '0.05'; a number between 0 and 1"),
        ("cleaning", "svm", "cleaning is 'svm'; use one of margin, centroid, none"),
        ("centre", "words", "centre is 'words'; use one of category, all"),
        ("correction", "holm", "correction is 'holm'; use one of bh, by, max"),
    ],
)
def test_a_bad_value_is_refused_in_one_clear_line(name, value, message):
    with pytest.raises(SettingError, match=message) as raised:
        Settings(**{name: value})
    assert "\n" not in str(raised.value)


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
