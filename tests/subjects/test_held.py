import gc
import weakref
from concurrent.futures import ThreadPoolExecutor

import numpy as np
import pytest
from refusals import refuses

from imprint.embeddings.convert import convert
from imprint.errors import SubjectError
from imprint.subjects.held import open_once
from imprint.subjects.opening import open_subject


@pytest.fixture
def files(tmp_path):
    rng = np.random.default_rng(0)
    found = []
    for number in range(4):
        path = tmp_path / f"{number}.safetensors"
        convert(open_subject({"rose": rng.normal(size=3), "ant": rng.normal(size=3)}), path)
        found.append((path, open_subject(path).sha256))
    return found


def test_a_subject_is_opened_once_and_mapped(files):
    with ThreadPoolExecutor(4) as pool:
        opened = list(pool.map(lambda _: open_once(*files[0]), range(8)))
    assert len({id(one) for one in opened}) == 1
    assert isinstance(opened[0].vectors, np.memmap)


def test_few_subjects_are_kept_and_those_in_use_are_not_opened_again(files):
    used = open_once(*files[0])
    gone = weakref.ref(open_once(*files[1]))
    for path, sha256 in files[2:]:
        open_once(path, sha256)
    gc.collect()
    assert gone() is None
    assert open_once(*files[0]) is used


def test_another_file_under_the_same_name_is_refused(files):
    (path, _), (_, other) = files[:2]
    with refuses(SubjectError, got=open_subject(path).sha256, where=str(path)):
        open_once(path, other)


def test_an_object_is_itself(files):
    embedding = open_subject(files[0][0])
    assert open_once(embedding, embedding.sha256) is embedding
