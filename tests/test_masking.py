import string

from hypothesis import given
from hypothesis import strategies as st

from imprint.masking import fingerprint, is_slur, mask


def test_slurs_keep_their_first_letter_in_any_case_and_number():
    # A mild one of the list, so that this file need not print the others.
    assert mask("redneck") == "r******"
    assert mask("Rednecks") == "R*******"
    assert mask("two rednecks, drinking") == "two r*******, drinking"
    assert mask("redneck_bar") == "r******_bar"


@given(st.lists(st.sampled_from(["nurse", "dress", "mosque", "Scott", "fagot-free"]), max_size=5))
def test_other_words_stay_as_they_are(words):
    assert mask(" ".join(words)) == " ".join(words)


@given(st.text(alphabet=string.ascii_letters + " _-éß", max_size=40))
def test_masking_never_changes_the_length_and_masks_what_is_listed(text):
    masked = mask(text)
    assert len(masked) == len(text)
    assert not any(is_slur(word) for word in masked.split() if "*" not in word and word.isalpha())


def test_a_fingerprint_says_nothing_to_the_eye():
    assert fingerprint("rose") == fingerprint("ROSE")
    assert len(fingerprint("rose")) == 12
    assert "rose" not in fingerprint("rose")


def test_a_word_that_is_not_quite_text_is_no_slur():
    assert not is_slur("a\ud800b")
