"""Policy files: what is read, what is refused, and what findings say to them."""

import pytest
from made_rows import judged, make_row
from refusals import refuses

import imprint
from imprint.errors import SettingError, StimulusError
from imprint.masking import Words
from imprint.policies.gate import check, parse_conditions
from imprint.policies.kinds import policies
from imprint.policies.policy import FILE, example, find_policy
from imprint.render.numbers import plain
from imprint.stimuli.catalog import questions


def write(folder, text, name=FILE):
    path = folder / name
    path.write_text(text)
    return path


def topic(low, high, difference=None):
    middle = (low + high) / 2 if difference is None else difference
    return make_row("topic", test="gender", topic="gender", tests=("caliskan-6",), size=middle,
                    size_low=low, size_high=high, part="weat")  # fmt: skip


def test_the_example_can_be_read(tmp_path):
    policy = imprint.policy(write(tmp_path, example()))
    assert [str(one) for one in policy.conditions] == [
        *(f"weat:{question.id}:|size|<0.1" for question in questions()),
        "similarity:ws-353:spearman>=0.4",
    ]


@pytest.mark.parametrize(("choice", "code"), [("cannot tell", 3), ("fail", 2), ("warn", 0)])
def test_a_policy_says_what_counts_where_it_cannot_tell(tmp_path, choice, code):
    requirement = '[[require]]\ntopic = "gender"\nsize = 0.1\n'
    policy = imprint.policy(write(tmp_path, f'on_cannot_tell = "{choice}"\n{requirement}'))
    undecided = check(judged([topic(0.05, 0.2)]), (), policy)
    assert (undecided.verdict, undecided.exit_code) == ("cannot tell", code)
    failed = check(judged([topic(0.12, 0.3)]), (), policy)
    assert (failed.verdict, failed.exit_code) == ("failed", 2)
    beside = parse_conditions((), ["topic:gender:|size|<0.1"])
    assert check(judged([topic(0.05, 0.2)]), beside, policy).exit_code == max(code, 2 if choice == "fail" else 3)
    assert imprint.gate(judged([topic(0.05, 0.2)]), policy=policy).exit_code == code


def test_an_unknown_choice_where_it_cannot_tell_is_refused(tmp_path):
    path = write(tmp_path, 'on_cannot_tell = "pass"\n[[require]]\ntopic = "gender"\nsize = 0.1\n')
    with refuses(SettingError, option="on_cannot_tell", got="pass", where=str(path)):
        imprint.policy(path)


@pytest.mark.parametrize(
    ("low", "high", "verdict", "code"),
    [(-0.02, 0.08, "passed", 0), (0.12, 0.3, "failed", 2), (-0.3, -0.12, "failed", 2), (0.05, 0.2, "cannot tell", 3)],
)
def test_the_whole_interval_decides(tmp_path, low, high, verdict, code):
    policy = imprint.policy(write(tmp_path, '[[require]]\ntopic = "gender"\nsize = 0.1\nreason = "why"\n'))
    gate = check(judged([topic(low, high)]), (), policy)
    assert (gate.verdict, gate.exit_code) == (verdict, code)
    (row,) = gate.findings()
    assert (row.policy_sha256, row.reason) == (policy.sha256, "why")


@pytest.mark.parametrize("name", ["grep-biasir", "cvs-*", "documents-gender"])
def test_retrieval_is_required_by_the_name_of_its_comparison(tmp_path, name):
    path = tmp_path / "imprint.toml"
    path.write_text(f'[[require]]\nretrieval = "{name}"\nsize = 0.1\n')
    (condition,) = imprint.policy(path).conditions
    assert str(condition) == f"retrieval:{name}:|size|<0.1"


def test_a_subject_that_cannot_be_judged_passes_nothing(tmp_path):
    policy = imprint.policy(write(tmp_path, '[[require]]\ntopic = "gender"\nsize = 0.5\n'))
    audit = make_row("audit", judged=False)
    assert check([audit, topic(0, 0.01)], (), policy).exit_code == 3


@pytest.mark.parametrize(
    ("who", "note"),
    [
        ("", ["Note: the policy has no owner and no reason."]),
        ('owner = "us"\n', ["Policy of us.", "Note: the policy has no reason."]),
        ('owner = "us"\nreason = "it ranks"\n', ["Policy of us: it ranks."]),
    ],
)
def test_a_policy_without_owner_or_reason_is_noted(tmp_path, who, note):
    file = write(tmp_path, f'{who}[[require]]\ntest = "gender-career"\nsize = 0.1\n')
    rows = imprint.gate([make_row("weat", test="gender-career")], policy=file).findings()
    assert [plain(line, Words()) for line in policies(rows)] == note


def test_the_hash_is_of_what_it_says(tmp_path):
    text = '[[require]]\ntopic = "gender"\nsize = {}\n'
    first, same, other = (
        imprint.policy(write(tmp_path, one, f"{place}.toml")).sha256
        for place, one in enumerate((text.format(0.1), "# a comment\n\n" + text.format("0.10"), text.format(0.2)))
    )
    assert first == same != other


def test_a_policy_changed_after_the_audit_shows(tmp_path):
    policy = imprint.policy(write(tmp_path, '[[require]]\ntopic = "gender"\nsize = 0.5\n'))
    for known, changed in ((None, False), (policy.sha256, False), ("0" * 64, True)):
        row = make_row("audit", judged=True)
        settings = type(row.settings)(**{**_fields(row.settings), "policy_sha256": known})
        audit = make_row("audit", judged=True, settings=settings)
        assert check([audit, topic(0, 0.1)], (), policy).changed is changed


def _fields(settings):
    return {name: getattr(settings, name) for name in settings.__struct_fields__}


def test_a_project_holds_its_policy(tmp_path):
    assert find_policy(tmp_path) is None
    text = '[tool.imprint]\nowner = "us"\n[[tool.imprint.require]]\ntest = "caliskan-6"\nsize = 0.1\n'
    project = write(tmp_path, text, "pyproject.toml")
    assert find_policy(tmp_path) == project
    assert imprint.policy(project).owner == "us"
    own = write(tmp_path, example())
    assert find_policy(tmp_path) == own


def test_tests_of_your_own_are_read_beside_it(tmp_path):
    (tmp_path / "ours.toml").write_text(
        '[[weat]]\nid = "ours"\ntitle = "Ours"\nlanguage = "en"\ntopics = ["work"]\nsource = "us"\n'
        'x = ["nurse", "teacher", "maid", "clerk"]\ny = ["boss", "chief", "pilot", "miner"]\n'
        'a = ["she", "her", "woman", "girl"]\nb = ["he", "him", "man", "boy"]\n'
    )
    policy = imprint.policy(write(tmp_path, 'tests = ["ours.toml"]\n[[require]]\ntopic = "work"\nsize = 0.1\n'))
    assert [test.id for test in policy.tests] == ["ours"]


@pytest.mark.parametrize(
    ("text", "mentioned"),
    [
        ("", "require"),
        ("require = []", "require"),
        ('[[require]]\ntopic = "gendr"\nsize = 0.1\n', "gender"),
        ('[[require]]\ntest = "caliskan-66"\nsize = 0.1\n', "caliskan-66"),
        ('[[require]]\ntopic = "gender"\ntest = "caliskan-6"\nsize = 0.1\n', "test and topic"),
        ('[[require]]\ntopic = "gender"\nsize = 0\n', "above 0"),
        ('[[require]]\ntopic = "gender"\nsize = 10\n', "0.1 for 10 %"),
        ('[[require]]\ntest = "gender-career"\nsize = 1.01\n', "share"),
        ('[[require]]\ntopic = "gender"\nleast = 0.1\n', "size"),
        ('[[require]]\ntopic = "gender"\n', "size"),
        ('[[require]]\ntest = "gender-career"\nsize = 0\n', "above 0"),
        ('[[require]]\nbenchmark = "ws-353"\nsize = 0.1\n', "least"),
        ('[[require]]\nretrieval = "grepbiasir"\nsize = 0.1\n', "grep-biasir"),
        ('[[require]]\ntopic = "gender"\nmargn = 0.1\n', "margn"),
        ("require = [", "TOML"),
        (f"owner = {'9' * 5000}\n", "TOML"),  # more digits than Python converts
        (f"owner = {'[' * 5000}\n", "TOML"),
        ('[[require]]\nbenchmark = "ws-353"\nleast = 0.1\nmargin = 0.1\n', "margin"),
        ('alpha = 0.05\n[[require]]\ntest = "gender-career"\nsize = 0.1\n', "alpha"),
    ],
)
def test_what_is_misspelt_or_impossible_is_refused(tmp_path, text, mentioned):
    with refuses((SettingError, StimulusError), mentioned):
        imprint.policy(write(tmp_path, text))


@pytest.mark.parametrize(("size", "hint"), [("'10 %'", "write 0.1"), ("'0.25'", "write 0.25"), ("'ten'", None)])
def test_a_number_as_text_is_refused_with_the_number_to_write(tmp_path, size, hint):
    path = write(tmp_path, f"[[require]]\ntest = 'gender-career'\nsize = {size}\n")
    with refuses(StimulusError, "a finite number", option="size", hint=hint):
        imprint.policy(path)


@pytest.mark.parametrize("text", ["tool = 5\n", "[tool]\nimprint = 5\n", "", f"tool = {'9' * 5000}\n"])
def test_a_project_without_a_table_of_ours_has_no_policy(tmp_path, text):
    project = write(tmp_path, text, "pyproject.toml")
    with refuses((SettingError, StimulusError), where=project):
        imprint.policy(project)
