"""Scorers of every kind, real ones: functions, commands, an endpoint, an encoder and an embedding's valence."""

import itertools
import signal
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from refusals import refuses
from systems import posix

import imprint
from imprint.encoders.cache import EncodingCache
from imprint.errors import ScorerError, SettingError, StimulusError, SubjectError
from imprint.scoring.collect import Pace, collect
from imprint.scoring.outside import CommandScorer, EndpointScorer
from imprint.scoring.scorers import EncoderScorer, FunctionScorer, ValenceScorer, open_scorer, pair_line
from imprint.scoring.settings import ScorerSource, find_scorer

TEXTS = ["This is Ada.", "I met Eve, twice.", "ünïcode 日本"]
LENGTHS = [float(len(text)) for text in TEXTS]
PYTHON = sys.executable
NUMBERS = itertools.count()


def command(tmp_path, code, **options):
    path = tmp_path / f"score{next(NUMBERS)}.py"
    path.write_text(f"import sys\nsys.stdin.reconfigure(encoding='utf-8')\n{code}\n")
    return CommandScorer(f"{PYTHON} {path}", **options)


ECHO = "for line in sys.stdin: print(len(line.rstrip('\\n')))"


@pytest.mark.parametrize(
    ("name", "adapter", "place"),
    [
        ("pkg.mod:fn", "function", "pkg.mod:fn"),
        ("command:python score.py", "command", "python score.py"),
        ("https://example.org/score", "http", "https://example.org/score"),
        ("valence:default", "valence", "default"),
        ("encoder:cbow", "encoder", "cbow"),
    ],
)
def test_a_name_says_how_a_scorer_is_reached(name, adapter, place):
    assert find_scorer(name) == ScorerSource(adapter, place)


@pytest.mark.parametrize("name", ["", "score.py", "command:", "valence:", "a b:c", "mod:", ":fn", "mod:fn()"])
def test_a_name_that_means_nothing_is_refused(name):
    with refuses(SettingError, "module:function", option="the scorer", got=name):
        find_scorer(name)


def test_a_subject_that_does_not_exist_is_refused_before_it_is_opened():
    with refuses(SubjectError, "nowhere"):
        find_scorer("valence:nowhere")


def test_a_function_is_imported_from_the_current_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    module = f"scorer{next(NUMBERS)}"
    (tmp_path / f"{module}.py").write_text(
        "class Own:\n    score = staticmethod(lambda texts: [len(t) for t in texts])\n"
    )
    before = list(sys.path)
    opened = open_scorer(f"{module}:Own.score")
    assert opened.scores(TEXTS).tolist() == LENGTHS
    assert (opened.cacheable, sys.path) == (True, before)


def test_the_content_of_a_functions_file_is_part_of_its_identity(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    names = [f"scorer{next(NUMBERS)}" for _ in range(2)]
    found = []
    for number, name in enumerate(names):
        (tmp_path / f"{name}.py").write_text(f"def score(texts): return [{number}] * len(texts)\n")
        found.append(open_scorer(f"{name}:score").identity)
    assert found[0] != found[1]


@pytest.mark.parametrize("name", ["no_such_module_here:score", "json:nothing", "json:__name__"])
def test_a_function_that_cannot_be_had_is_named(name):
    with refuses(ScorerError, name.partition(":")[0]):
        open_scorer(name)


def test_a_function_may_return_any_array_of_numbers():
    for answer in (LENGTHS, np.array(LENGTHS, np.float32), np.array([LENGTHS]).T, [True, False, True], (1, 2, 3)):
        found = FunctionScorer(lambda texts, answer=answer: answer).scores(TEXTS)
        assert (found.dtype, found.shape) == (np.float64, (3,))


@pytest.mark.parametrize(
    "answer",
    [
        [1.0],
        [1.0, 2.0, 3.0, 4.0],
        ["1", "2", "3"],
        [1.0, None, 2.0],
        [[1, 2], [1, 2], [1, 2]],
        None,
        7,
        [[1], [1, 2], []],
    ],
)
def test_an_answer_that_is_not_one_number_per_text_is_refused(answer):
    with refuses(ScorerError, "number per text", where="mine"):
        FunctionScorer(lambda texts: answer, name="mine").scores(TEXTS)


@pytest.mark.parametrize("odd", [float("nan"), float("inf")])
def test_a_score_that_is_not_finite_is_named_with_its_text(odd):
    with refuses(ScorerError, "I met Eve", expected="a finite number"):
        FunctionScorer(lambda texts: [1.0, odd, 2.0]).scores(TEXTS)


def test_a_function_that_raises_is_one_line():
    with refuses(ScorerError, "division by zero", where="mine"):
        FunctionScorer(lambda texts: 1 / 0, name="mine").scores(TEXTS)


def test_the_valence_is_the_sum_of_the_words_associations():
    embedding = imprint.load(
        {
            "love": [1.0, 0.0],
            "joy": [1.0, 0.0],
            "agony": [0.0, 1.0],
            "awful": [0.0, 1.0],
            "Ann": [3.0, 0.0],
            "Eve": [0.0, 2.0],
        }
    )
    scorer = ValenceScorer(embedding)
    assert scorer.scores(["Ann", "Eve", "Ann met Eve, Ann!", "nobody"]).tolist() == [1.0, -1.0, 1.0, 0.0]
    assert scorer.lacks(["Ann", "Bob"]) == ("Bob",)


def test_an_embedding_without_pleasant_words_has_no_valence():
    with refuses(ScorerError, where="dict"):
        ValenceScorer(imprint.load({"Ann": [1.0, 0.0]}))


def test_an_encoder_scores_by_the_cosine_with_the_query():
    encoder = imprint.FunctionEncoder(lambda texts: [[len(text), 1.0] for text in texts], name="length")
    vectors = np.array([[len(text), 1.0] for text in TEXTS])
    query = np.array([4.0, 1.0])
    cosines = vectors @ query / np.linalg.norm(vectors, axis=1) / np.linalg.norm(query)
    lines = [pair_line("four", text) for text in TEXTS]
    assert EncoderScorer(encoder).scores(lines) == pytest.approx(cosines)
    assert encoder.sent == len(TEXTS) + 1


def test_an_encoder_needs_a_query_and_others_take_none():
    with refuses(SettingError, option="query"):
        open_scorer("encoder:cbow")
    with refuses(SettingError, option="query"):
        open_scorer("valence:default", pairs=True)


def test_functions_commands_and_endpoints_get_pairs(tmp_path, server):
    pairs = [("a nurse", "Ann, ünïcode 日本"), ("a\nnurse", 'says "no"')]
    lines, lengths = [pair_line(*pair) for pair in pairs], [float(len(query + document)) for query, document in pairs]
    function = FunctionScorer(lambda scored: [len(query + document) for query, document in scored], pairs=True)
    assert function.scores(lines).tolist() == lengths
    code = "import json\nfor line in sys.stdin:\n    print(len(''.join(json.loads(line).values())))"
    assert command(tmp_path, code).scores(lines).tolist() == lengths
    assert endpoint(server, "pairs", pairs=True).scores(lines) == pytest.approx(np.array(lengths) + 0.1)


def test_options_of_another_scorer_are_refused():
    with refuses(SettingError, "--pooling", option="pooling"):
        open_scorer("command:cat", pooling="mean")


def test_a_command_reads_lines_and_writes_numbers(tmp_path):
    assert command(tmp_path, ECHO).scores(TEXTS).tolist() == LENGTHS


def test_a_command_runs_without_a_shell(tmp_path):
    with refuses(ScorerError, where=f"cat ; touch {tmp_path}/made"):
        CommandScorer(f"cat ; touch {tmp_path}/made").scores(TEXTS)
    assert not (tmp_path / "made").exists()


def test_more_texts_than_a_pipe_holds_go_through(tmp_path):
    texts = [f"{number} " + "x" * 1_000 for number in range(500)]
    assert command(tmp_path, ECHO).scores(texts).tolist() == [len(text) for text in texts]


@pytest.mark.parametrize(
    ("code", "mentioned", "kept"),
    [
        ("for n in (1, 2): print(n)", "2 scores for 3 texts", ()),
        ("for n in range(4): print(n)", "4 scores for 3 texts", ()),
        ("print('score'); print(1); print(2)", "line 1", ()),
        ("print('nan'); print(1); print(2)", "finite number", ()),
        ("print(1, flush=True); sys.exit('no more')", "no more", (1.0,)),
        ("sys.exit(3)", "exit code 3", ()),
        ("sys.stdout.write('1\\n2'); sys.exit(1)", "1 of 3", (1.0,)),
    ],
)
def test_a_command_that_fails_says_why_and_keeps_what_came_before(tmp_path, code, mentioned, kept):
    scorer = command(tmp_path, code)
    with refuses(ScorerError, mentioned, where=scorer.name) as raised:
        scorer.scores(TEXTS)
    assert raised.value.scores == kept


@pytest.mark.parametrize("line", ["1_0", "\u0661\u0662", "\uff11", "1e\u0663", "0x1p3", "", "1 2", "1,5"])
def test_a_line_that_is_a_number_to_python_alone_is_refused(tmp_path, line):
    code = f"for text in sys.stdin: sys.stdout.buffer.write(({line!r} + '\\n').encode())"
    with refuses(ScorerError, "line 1", repr(line)):
        command(tmp_path, code).scores(TEXTS)


@pytest.mark.parametrize(("line", "score"), [("7", 7.0), ("+7", 7.0), ("-.5", -0.5), ("1.", 1.0), ("2.5E-3", 0.0025)])
def test_numbers_are_read_as_programs_print_them(tmp_path, line, score):
    assert command(tmp_path, f"for text in sys.stdin: print('  {line} ')").scores(TEXTS).tolist() == [score] * 3


def test_a_command_that_is_not_there_is_named():
    with refuses(SettingError, option="the program", got="no-such-program-here"):
        CommandScorer("no-such-program-here")
    with refuses(SettingError, option="command"):
        CommandScorer("cat 'unclosed")


def test_a_command_that_takes_too_long_is_ended_with_what_it_started(tmp_path):
    code = "import subprocess\nprint(1, flush=True)\nsubprocess.run(['sleep', '60'])"
    scorer = command(tmp_path, code, timeout=1.0)
    with refuses(ScorerError, "1 s", where=scorer.name) as raised:
        scorer.scores(TEXTS)
    assert raised.value.scores == (1.0,)


@posix
def test_a_command_that_takes_too_long_is_ended_whoever_holds_its_pipes(tmp_path, left_behind):
    code = f"print(1, flush=True)\n{left_behind.code}import time; time.sleep(60)"
    scorer = command(tmp_path, code, timeout=3.0)
    with refuses(ScorerError, "3 s", where=scorer.name) as raised:
        scorer.scores(TEXTS)
    assert left_behind.is_running
    assert raised.value.scores == (1.0,)


@posix
def test_a_command_that_has_answered_is_not_waited_for_whoever_holds_its_pipes(tmp_path, left_behind):
    texts = ["x" * number for number in range(1, 1_001)]
    assert command(tmp_path, left_behind.code + ECHO).scores(texts).tolist() == list(range(1, 1_001))
    assert left_behind.is_running


@posix
def test_a_signal_ends_a_command_whoever_holds_its_pipes(tmp_path, left_behind):
    class Ended(Exception):
        pass

    def end(*_):
        raise Ended

    code = f"{left_behind.code}import os, signal, time\nos.kill(os.getppid(), signal.SIGTERM)\ntime.sleep(60)"
    before = signal.signal(signal.SIGTERM, end)
    try:
        with pytest.raises(Ended):
            command(tmp_path, code).scores(TEXTS)
    finally:
        signal.signal(signal.SIGTERM, before)
    assert left_behind.is_running


@posix
def test_a_command_that_ends_before_what_it_started_has_its_answer(tmp_path):
    """As a shell does that puts the work behind itself: the process is in the command's own session."""
    work = "import time; time.sleep(1); print(1); print(2); print(3)"
    code = f"import subprocess\nsubprocess.Popen([sys.executable, '-c', {work!r}])"
    assert command(tmp_path, code).scores(TEXTS).tolist() == [1.0, 2.0, 3.0]


def test_a_command_that_never_stops_writing_is_ended():
    with refuses(ScorerError, "yes"):
        CommandScorer("yes", timeout=30.0).scores(TEXTS)


def test_the_script_of_a_command_is_part_of_its_identity(tmp_path):
    path = tmp_path / "score.py"
    found = []
    for code in ("print(1)", "print(2)"):
        path.write_text(code)
        found.append(CommandScorer(f"{PYTHON} {path}").identity)
    assert found[0] != found[1]


def test_a_program_is_part_of_its_identity_and_must_be_there_before_the_cache_is_asked(tmp_path):
    path = tmp_path / "score"

    def scored(cache, code="len(text)"):
        path.write_text(f"#!{PYTHON}\nimport sys\nfor text in sys.stdin: print({code})\n")
        path.chmod(0o755)
        return imprint.swap(f"command:{path}", "pronouns", templates=["{He} sings"], cache=cache)

    with EncodingCache(tmp_path / "c.sqlite") as cache:
        first, again, changed = scored(cache), scored(cache), scored(cache, "-len(text)")
        assert [rows.scored for rows in (first, again, changed)] == [2, 0, 2]
        assert changed[0].mean_difference == -first[0].mean_difference
        path.chmod(0o644)
        with refuses(SettingError, option="the program", got=str(path)):
            imprint.swap(f"command:{path}", "pronouns", templates=["{He} sings"], cache=cache)
        path.unlink()
        with refuses(SettingError, option="the program", got=str(path)):
            imprint.swap(f"command:{path}", "pronouns", templates=["{He} sings"], cache=cache)


@pytest.fixture(scope="module")
def server():
    program = Path(__file__).with_name("score_server.py")
    process = subprocess.Popen([PYTHON, program], stdout=subprocess.PIPE, text=True)
    yield f"http://127.0.0.1:{int(process.stdout.readline())}"
    process.kill()
    process.communicate()


def endpoint(server, kind, **options):
    return EndpointScorer(f"{server}/{next(NUMBERS)}/{kind}", first_delay=0.001, timeout=60.0, **options)


@pytest.mark.parametrize("kind", ["score", "busy"])
def test_an_endpoint_is_asked_and_asked_again_where_that_helps(server, kind):
    assert endpoint(server, kind).scores(TEXTS).tolist() == [length + 0.1 for length in LENGTHS]


@pytest.mark.parametrize(
    ("kind", "mentioned"),
    [("short", "2 scores for 3 texts"), ("null", "number"), ("text", "high"), ("list", "scores"), ("broken", "400")],
)
def test_an_endpoint_that_answers_wrongly_is_one_line(server, kind, mentioned):
    scorer = endpoint(server, kind)
    with refuses(ScorerError, mentioned, where=scorer.name):
        scorer.scores(TEXTS)


def test_a_key_is_not_sent_over_plain_http_to_another_machine(monkeypatch):
    monkeypatch.setenv("IMPRINT_API_KEY", "secret")
    with refuses(SettingError, "https"):
        EndpointScorer("http://example.org/score")


class Counting(FunctionScorer):
    """A scorer that counts what it was asked, and fails from a call on."""

    def __init__(self, *, fails=None, batch=2, identity="counted"):
        self.asked = []
        super().__init__(self.count, name="counting", identity=identity, batch=batch)
        self.fails = fails

    def count(self, texts):
        if self.fails is not None and len(self.asked) >= self.fails:
            raise RuntimeError("out of luck")
        self.asked.append(list(texts))
        return [len(text) / 3 for text in texts]


MANY = [f"{'x' * number}." for number in range(9)]


def test_each_distinct_text_is_scored_once_in_batches():
    scorer = Counting(batch=4)
    found = collect(scorer, MANY + MANY[:3])
    assert [len(batch) for batch in scorer.asked] == [4, 4, 1]
    assert (found.asked, found.scores) == (9, {text: len(text) / 3 for text in MANY})


def test_a_run_that_failed_goes_on_where_it_stopped(tmp_path):
    with EncodingCache(tmp_path / "cache") as cache:
        with refuses(ScorerError, "out of luck", "4 of 9"):
            collect(Counting(fails=2), MANY, cache=cache)
        again = Counting()
        found = collect(again, MANY, cache=cache)
        assert [text for batch in again.asked for text in batch] == MANY[4:]
        assert found.asked == 5
        assert found.scores == {text: len(text) / 3 for text in MANY}  # to the last bit
        assert collect(Counting(fails=0), MANY, cache=cache).asked == 0


def test_what_a_command_wrote_before_it_failed_is_kept(tmp_path):
    code = "texts = sys.stdin.read().split()\nif len(texts) > 5: sys.exit(print('7\\n' * 4 + '7') or 1)\n"
    code += "for text in texts: print(8)"
    scorer = command(tmp_path, code)
    with EncodingCache(tmp_path / "cache") as cache:
        with refuses(ScorerError, "5 of 9"):
            collect(scorer, MANY, cache=cache)
        assert list(collect(scorer, MANY, cache=cache).scores.values()) == [7.0] * 5 + [8.0] * 4


def test_an_endpoint_that_failed_halfway_is_asked_for_the_rest(tmp_path, server):
    scorer = endpoint(server, "second", batch=4)
    with EncodingCache(tmp_path / "cache") as cache:
        with refuses(ScorerError, "400", "4 of 9"):
            collect(scorer, MANY, cache=cache)
        assert collect(scorer, MANY, cache=cache).asked == 5


def test_a_function_without_an_identity_is_not_kept(tmp_path):
    with EncodingCache(tmp_path / "cache") as cache:
        for _ in range(2):
            assert collect(Counting(identity=None), MANY, cache=cache).asked == 9


@pytest.mark.parametrize("value", [0.1, -1e-300, 1e300, 5e-324, 1 / 3])
def test_the_cache_keeps_scores_to_the_last_bit(tmp_path, value):
    scorer = FunctionScorer(lambda texts: [value] * len(texts), identity="exact")
    with EncodingCache(tmp_path / "cache") as cache:
        collect(scorer, MANY, cache=cache)
        assert set(collect(scorer, MANY, cache=cache).scores.values()) == {value}


def test_the_pace_is_kept_and_a_batch_holds_no_more_than_a_seconds_worth():
    now, slept = [0.0], []

    def sleep(seconds):
        slept.append(seconds)
        now[0] += seconds

    scorer = Counting(batch=100)
    collect(scorer, MANY, pace=Pace(4.0, lambda: now[0], sleep))
    assert [len(batch) for batch in scorer.asked] == [4, 4, 1]
    assert slept == [1.0, 1.0]
    with refuses(SettingError, option="per_second", got=0.0):
        imprint.swap(len, per_second=0.0)


def test_more_texts_than_allowed_are_not_sent():
    scorer = Counting()
    scorer.max_texts = 8
    with refuses(SettingError, option="max_texts", got=9):
        collect(scorer, MANY)
    assert scorer.asked == []


def test_texts_without_a_slot_are_refused(tmp_path):
    (tmp_path / "texts.txt").write_text("# mine\nI met {name}.\nI met nobody.\n")
    with refuses(StimulusError, "line 3"):
        imprint.swap(len, templates=tmp_path / "texts.txt")
