from dataclasses import fields, replace

import numpy as np
import pytest
from refusals import refuses

from imprint.enumeration.settings import Settings
from imprint.errors import SettingError


def test_the_defaults_are_those_of_the_papers_table():
    settings = Settings(method="paper")
    assert (settings.groups, settings.categories, settings.words, settings.top) == (12, 64, 30_000, 3)
    assert (settings.rotations, settings.rate) == (10_000, 0.05)


def test_cells_are_compared_with_mirrored_copies_unless_the_paper_is_asked_for():
    settings = Settings()
    assert (settings.method, settings.copies, settings.rate, settings.fdr) == ("mirrored", 400, 0.1, None)
    assert (Settings(fdr=0.2).rate, Settings(method="paper", fdr=0.2).rate) == (0.2, 0.2)


@pytest.mark.parametrize(
    ("name", "value", "method"),
    [
        ("rotations", 1_000, "mirrored"),
        ("correction", "by", "mirrored"),
        ("copies", 100, "paper"),
        ("repeats", 5, "paper"),
    ],
)
def test_settings_of_the_other_method_are_refused(name, value, method):
    with refuses(SettingError, option=name, got=value):
        Settings(method=method, **{name: value})


def test_the_papers_method_makes_no_repeats_whether_or_not_that_is_said():
    assert Settings(method="paper", repeats=0).rate == Settings(method="paper").rate == 0.05


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("groups", 1),
        ("groups", 0),
        ("categories", 0),
        ("words", 0),
        ("top", 0),
        ("method", "rotations"),
        ("copies", 0),
        ("copies", -5),
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
    other_values = {"cleaning": "none", "centre": "all", "method": "paper", "fdr": 0.3, "copies": 7, "repeats": 3}
    of_the_paper = {"rotations": 7, "correction": "by"}
    settings = Settings()
    prints = {settings.fingerprint(), settings.fingerprint("data"), settings.fingerprint("other"),
              settings.fingerprint("da", "ta")}  # fmt: skip
    for field in fields(Settings):
        value = getattr(settings, field.name)
        if field.name in of_the_paper:
            changed = Settings(method="paper", **{field.name: of_the_paper[field.name]})
        else:
            other = other_values.get(field.name) or (not value if isinstance(value, bool) else value * 2 or 1)
            changed = replace(settings, **{field.name: other})
        prints.add(changed.fingerprint())
    assert len(prints) == 4 + len(fields(Settings))
    assert Settings().fingerprint("data") == Settings().fingerprint("data")
