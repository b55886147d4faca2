"""The study's pages, asked in this process: what a browser without scripts sends and gets."""

import asyncio
import html
import re
from dataclasses import replace

import pytest

from imprint.study.design import Design, Item, ItemBlock, NameGroup
from imprint.study.records import create_study
from imprint.study.settings import Terms
from imprint.study.store import Store
from imprint.web.guard import RateLimit
from imprint.web.serving import Hosts

pytest.importorskip("fastapi", reason="the study's pages need fastapi")
import httpx

from imprint.study.app import make_study_app

HOSTILE = "<script>window.broken = true</script>"
SLUR = "redneck"  # a mild one of those masked
GROUPS = tuple(
    NameGroup(letter, tuple(f"{letter}name{n}" for n in range(5)), tuple(f"{letter}cue{n}" for n in range(2)))
    for letter in "ABC"
)
EXAM = tuple(Item("name", (f"{letter}-asked{n}",), letter) for letter in "ABC" for n in range(3))
UBE = Design(
    "ube",
    "tiny",
    "0" * 64,
    blocks=tuple(
        ItemBlock(
            (f"category{n}",),
            tuple(Item("triple", (f"{letter}word{n}", SLUR), letter) for letter in "ABC"),
            ("A", "B", "C"),
        )
        for n in range(2)
    ),
    quota=2,
    least=1,
    groups=GROUPS,
    exam=EXAM,
)
ANALOGY = Design(
    "analogy",
    "tiny",
    "0" * 64,
    blocks=tuple(
        ItemBlock(("he", "she"), (Item("sense", pair), Item("stereotype", pair)))
        for pair in (("surgeon", "nurse"), (HOSTILE, "queen"), ("{{7*7}}", '"><img src=x>'))
    ),
    quota=1,
    least=1,
)  # fmt: skip
OFFENSE = Design(
    "offense",
    "tiny",
    "0" * 64,
    blocks=tuple(ItemBlock((f"c{n}",), (Item("rating", (f"word{n}",), "A"),), ("A",)) for n in range(2)),
    quota=3,
    least=1,
    groups=GROUPS[:1],
)
SUGGESTION = Design("suggestion", "", "", (ItemBlock(("gender",), (Item("words", ("gender",)),)),), quota=5, least=1)


class Clock:
    now = 1_000_000.0

    def __call__(self):
        return self.now


class Browser:
    """One visitor without scripts and with the cookies the server gave."""

    def __init__(self, store, **options):
        app = make_study_app(store, hosts=Hosts.bound_to("127.0.0.1"), **options)
        self.client = httpx.AsyncClient(
            transport=httpx.ASGITransport(app=app), base_url="http://127.0.0.1", follow_redirects=True
        )
        self.runner = asyncio.Runner()

    def ask(self, method, path, **options):
        return self.runner.run(self.client.request(method, path, **options))

    def join(self):
        self.page = self.ask("POST", "/join")
        assert self.page.status_code == 200
        return self.page.url.path

    def send(self, suffix, fields=None, **options):
        """Send the page's form, with its hidden field and these besides."""
        action = next(found for found in re.findall(r'action="([^"]+)"', self.page.text) if found.endswith(suffix))
        hidden = re.search(r'name="form" value="([^"]+)"', self.page.text)[1]
        self.page = self.ask("POST", action, data={"form": hidden} | (fields or {}), **options)
        return self.page

    def fields(self):
        return list(dict.fromkeys(re.findall(r'name="(answer-\d+)"', self.page.text)))

    def heading(self):
        return html.unescape(re.search(r"<h1>(.*?)</h1>", self.page.text)[1])

    def asked(self):
        """The words of each field that is matched to a group."""
        shown = re.findall(r'<legend><bdi>(.*?)</bdi></legend>.*?name="(answer-\d+)"', self.page.text, re.DOTALL)
        return {field: html.unescape(words) for words, field in shown}


@pytest.fixture
def opened(tmp_path):
    """Make a study and open it in a browser; everything is closed at the end."""
    open_things = []

    def open_study(design, **options):
        clock = options.pop("clock", Clock())
        path = tmp_path / f"{len(open_things)}.db"
        token = create_study(path, design, terms=options.pop("terms", None))
        store = Store.open(path, clock=clock)
        browser = Browser(store, **options)
        browser.store, browser.admin = store, token
        open_things.append(browser)
        return browser

    yield open_study
    for browser in open_things:
        browser.runner.run(browser.client.aclose())
        browser.runner.close()
        browser.store.close()


def stored(browser):
    return {(answer.participant, answer.item): answer.value for answer in browser.store.answers()}


def exam_answers(browser):
    return {field: words[0] for field, words in browser.asked().items()}


def test_a_ube_study_takes_a_person_from_consent_to_thanks(opened):
    browser = opened(UBE)
    browser.join()
    assert browser.heading() == "Before you begin"
    assert "Content note" in browser.page.text
    browser.send("/consent")
    assert browser.heading() == "Which group fits each line?"
    assert len(browser.fields()) == 9
    browser.send("/answers", exam_answers(browser))
    assert browser.heading() == "The groups of names"
    assert "Aname0, Aname1, Aname2, Aname3, Aname4" in browser.page.text
    browser.send("/familiarised")
    for _ in range(2):
        assert browser.heading() == "Which group would society think of?"
        assert "not about your own beliefs" in browser.page.text
        browser.send("/answers", {field: words[0] for field, words in browser.asked().items()})
    assert browser.heading() == "Thank you"
    items = {item.number: item for item in browser.store.items()}
    assert len(stored(browser)) == 9 + 6
    assert all(items[item].expected == value for (_, item), value in stored(browser).items())


def test_half_characters_of_a_vocabulary_break_neither_page_nor_api(opened):
    """Which UTF-8 cannot write."""
    pair = ("\ud800", "queen")
    design = replace(ANALOGY, blocks=(ItemBlock(("he", "\udfff"), (Item("sense", pair), Item("stereotype", pair))),))
    browser = opened(design)
    path = browser.join()
    browser.send("/consent")
    assert "\\ud800" in browser.page.text
    step = browser.ask("GET", f"/api{path}")
    assert (step.status_code, step.json()["title"], step.json()["questions"][0]["words"]) == (
        200, ["he", "\udfff"], [*pair]
    )  # fmt: skip
    overview = browser.ask("GET", "/api/overview", headers={"authorization": f"Bearer {browser.admin}"})
    assert overview.json()["blocks"][0]["title"] == ["he", "\udfff"]


CONSENTS = [
    (UBE, "what <em>society</em> would say, not what you believe"),
    (ANALOGY, "whether an analogy makes sense to <em>you</em>"),
    (OFFENSE, "how offensive <em>you</em> find what society says"),
    (SUGGESTION, "which words carry a stereotype that <em>society</em> holds"),
]


@pytest.mark.parametrize(("design", "asked"), CONSENTS)
def test_who_consents_knows_what_is_asked_and_how_answers_are_taken_back(opened, design, asked):
    browser = opened(design)
    browser.join()
    assert [told in browser.page.text for _, told in CONSENTS] == [told == asked for _, told in CONSENTS]
    assert "You can delete your answers at any time" in browser.page.text
    assert "we cannot find your answers without it" in browser.page.text
    assert "We only store that this link was created" in browser.page.text


@pytest.mark.parametrize(("design", "asked"), CONSENTS)
def test_the_boards_own_text_comes_first_and_what_is_stored_and_the_content_note_stay(opened, design, asked):
    terms = Terms(consent=("Approved by the board, no. 47.", f"{HOSTILE} & {{{{7*7}}}}", "x" * 5_000))
    plain, own = opened(design), opened(design, terms=terms)
    for browser in (plain, own):
        browser.join()
    page = own.page.text
    told = [html.unescape(text) for text in re.findall(r'<p dir="auto">(.*?)</p>', page)]
    assert told == [*terms.consent]
    assert "<script>" not in page
    assert page.index("Approved") < page.index("content-note")
    without = own.page.text.split("What you will do, and what we store</h2>")[1]
    promised = re.findall(r"<li>(.*?)</li>", plain.page.text)
    kept = re.findall(r"<li>(.*?)</li>", without)
    # Whether answers are published only those who run the study can promise; the rest is what the program does.
    assert [promise for promise in promised if promise not in kept] == [
        "The answers may be published, as numbers and as a list of answers."
    ]
    note = re.compile(r'<aside class="content-note".*?</aside>', re.DOTALL)
    assert note.findall(without) == note.findall(plain.page.text)
    link = own.page.url.path
    assert own.ask("GET", f"/api{link}").json()["consent"] == [*terms.consent]
    assert own.send("/consent").status_code == 200
    assert "Approved" not in own.page.text


PROLIFIC = "5f2c1e9ab0d34a7788c6e001"


def come(browser, query):
    """Open the study by a panel's link and get a private one."""
    browser.page = browser.ask("GET", f"/?{query}")
    assert browser.page.status_code == 200
    hidden = dict(re.findall(r'name="(\w+)" value="([^"]+)"', browser.page.text))
    browser.page = browser.ask("POST", "/join", data=hidden)
    return browser.page.url.path


def test_a_panels_participant_is_told_what_is_stored_and_gets_the_code_at_the_end_alone(opened):
    browser = opened(ANALOGY, terms=Terms(completion_code="C0FFEE-1"))
    link = come(browser, f"PROLIFIC_PID={PROLIFIC}&STUDY_ID=1&SESSION_ID=2")
    assert (
        f"participant number is <strong>{PROLIFIC}</strong>. If you agree to take part, we store it"
        in browser.page.text
    )
    assert "link was created, not your participant number" in browser.page.text
    assert "you are removed from the payment list" in browser.page.text
    assert "We keep a fingerprint of your number" in browser.page.text
    assert browser.ask("GET", f"/api{link}").json()["panel_id"] == PROLIFIC
    pages = [browser.page.text, browser.send("/consent").text]
    for _ in range(3):
        pages.append(browser.page.text)
        assert browser.ask("GET", f"/api{link}").json()["code"] is None
        browser.send("/answers", dict.fromkeys(browser.fields(), "yes"))
    assert not any("C0FFEE" in page for page in pages)
    assert all("It also removes you from the payment list" in page
               for page in pages[1:])  # fmt: skip
    assert browser.store.panel_ids() == {1: PROLIFIC}
    assert "<code data-whole>C0FFEE-1</code>" in browser.page.text
    assert browser.ask("GET", f"/api{link}").json()["code"] == "C0FFEE-1"
    before = stored(browser)
    assert come(browser, f"participant={PROLIFIC}") == link, "a second visit is the same person"
    assert "<code data-whole>C0FFEE-1</code>" in browser.page.text
    assert stored(browser) == before
    assert browser.ask("POST", "/api/join", json={"participant": PROLIFIC}).json() == {
        "token": link.removeprefix("/p/")
    }
    assert browser.store.overview().participants == 1


def test_who_waits_for_pages_that_others_hold_is_told_so_and_gets_no_code_yet(opened):
    browser = opened(ANALOGY, terms=Terms(completion_code="C0FFEE-1"))
    drawn = []
    for number in range(3):
        link = come(browser, f"participant=panel-{number}")
        drawn.append(browser.send("/consent"))
    browser.send("/answers", dict.fromkeys(browser.fields(), "yes"))
    assert "Other people are working on the remaining pages" in browser.page.text
    assert "You get the completion code after the last page." in browser.page.text
    assert browser.ask("GET", f"/api{link}").json()["reason"] == "waiting"
    assert "C0FFEE" not in browser.page.text
    for browser.page in drawn[:2]:
        browser.send("/answers", dict.fromkeys(browser.fields(), "yes"))
    assert "<code data-whole>C0FFEE-1</code>" in browser.ask("GET", link).text


def test_without_a_number_and_a_code_no_page_speaks_of_them(opened):
    browser = opened(ANALOGY)
    pages = [browser.ask("GET", "/").text]
    browser.join()
    pages += [browser.page.text, browser.send("/consent").text]
    for _ in range(3):
        pages.append(browser.send("/answers", dict.fromkeys(browser.fields(), "yes")).text)
    assert not any("participant number" in page or "completion code" in page for page in pages)
    assert browser.store.panel_ids() == {}


@pytest.mark.parametrize(
    "query", ["PROLIFIC_PID=%7B%7B%25PROLIFIC_PID%25%7D%7D", "participant=a&PROLIFIC_PID=b",
              "participant=%3Cscript%3E", "participant=" + "a" * 65],
)  # fmt: skip
def test_a_link_whose_number_cannot_be_read_lets_nobody_in_unpaid(opened, query):
    browser = opened(ANALOGY)
    for method, path, options in (("GET", f"/?{query}", {}), ("POST", "/join", {"content": query})):
        headers = {"content-type": "application/x-www-form-urlencoded"}
        refused = browser.ask(method, path, headers=headers, **options)
        assert refused.status_code == 422
        assert "participant number" in refused.text
        assert "<script>" not in refused.text
    assert browser.ask("GET", "/?participant=").status_code == 422
    assert browser.store.overview().participants == 0


@pytest.mark.parametrize("code", [None, "SORRY-2"])
def test_who_stops_or_knows_too_few_names_is_told_about_the_code(opened, code):
    back = "https://panel.example/back?id={participant}&c={code}" if code else None
    terms = Terms(completion_code="C0FFEE-1", screen_out_code=code, return_url=back)
    browser = opened(UBE, terms=terms)
    link = come(browser, f"participant={PROLIFIC}")
    browser.send("/consent")
    names = browser.page
    browser.send("/leave")
    assert "You get the completion code after the last page" in browser.page.text
    browser.send("/consent")
    browser.page = names
    wrong = {"A": "B", "B": "C", "C": "A"}
    browser.send("/answers", {field: wrong[right] for field, right in exam_answers(browser).items()})
    assert "C0FFEE" not in browser.page.text
    assert ("There is no completion code for this" in browser.page.text) is (code is None)
    if code:
        assert f"screen-out code for participant number <strong>{PROLIFIC}</strong>" in browser.page.text
        assert f'href="https://panel.example/back?id={PROLIFIC}&amp;c=SORRY-2" rel="noreferrer"' in browser.page.text
    assert browser.ask("GET", f"/api{link}").json()["code"] == code


def test_who_places_too_few_names_is_thanked_and_asked_no_more(opened):
    browser = opened(UBE)
    browser.join()
    browser.send("/consent")
    wrong = {"A": "B", "B": "C", "C": "A"}
    browser.send("/answers", {field: wrong[right] for field, right in exam_answers(browser).items()})
    assert browser.heading() == "Thank you for trying"
    assert browser.store.overview().not_qualified == 1


def test_an_analogy_study_asks_both_questions_of_every_pair(opened):
    browser = opened(ANALOGY)
    browser.join()
    browser.send("/consent")
    for _ in range(3):
        sense, stereotype = browser.fields()
        browser.send("/answers", {sense: "yes", stereotype: "no"})
    assert browser.heading() == "Thank you"
    assert sorted(stored(browser).values()) == ["no"] * 3 + ["yes"] * 3


def test_an_offense_study_shows_the_words_with_the_names_and_takes_a_rating(opened):
    browser = opened(OFFENSE)
    browser.join()
    browser.send("/consent")
    for _ in range(2):
        assert "Aname0, Aname1" in browser.page.text
        browser.send("/answers", dict.fromkeys(browser.fields(), "7"))
    assert browser.heading() == "Thank you"
    assert [*stored(browser).values()] == ["7", "7"]


def test_suggested_words_are_taken_and_bad_ones_handed_back_with_the_reason(opened):
    browser = opened(SUGGESTION)
    browser.join()
    browser.send("/consent")
    (field,) = browser.fields()
    browser.send("/answers", {field: "nurse, 4711"})
    assert browser.page.status_code == 422
    assert "'4711' is not a word" in html.unescape(browser.page.text)
    assert "nurse, 4711</textarea>" in browser.page.text
    browser.send("/answers", {field: "Nurse\nhome maker"})
    assert browser.heading() == "Thank you"
    assert [*stored(browser).values()] == ["nurse, home maker"]


def test_what_the_embedding_says_is_not_on_the_page(opened):
    browser = opened(UBE)
    browser.join()
    browser.send("/consent")
    assert " checked" not in browser.page.text
    answers = exam_answers(browser)
    browser.send("/answers", answers)
    browser.send("/familiarised")
    assert " checked" not in browser.page.text
    parts = browser.page.text.split("<fieldset")[1:]
    orders = {tuple(re.findall(r'type="radio" name="[^"]+" value="(\w)"', part)) for part in parts}
    assert {len(order) for order in orders} == {3}
    assert len(orders) == 1, "every question offers the groups in one order"


def test_an_incomplete_page_comes_back_with_what_was_given(opened):
    browser = opened(UBE)
    browser.join()
    browser.send("/consent")
    first, *_ = browser.fields()
    browser.send("/answers", {first: "B"})
    assert browser.page.status_code == 422
    assert "answer all of them" in browser.page.text
    assert browser.page.text.count('value="B" required checked>') == 1
    assert stored(browser) == {}


def test_sending_a_form_again_changes_nothing_and_goes_on(opened):
    browser = opened(ANALOGY)
    browser.join()
    browser.send("/consent")
    page = browser.page
    answers = dict.fromkeys(browser.fields(), "yes")
    following = browser.send("/answers", answers)
    before = stored(browser)
    browser.page = page
    again = browser.send("/answers", answers)
    assert (again.status_code, again.url, again.text) == (200, following.url, following.text)
    assert stored(browser) == before


def test_another_answer_to_the_same_question_is_refused_with_the_way_on(opened):
    browser = opened(ANALOGY)
    link = browser.join()
    browser.send("/consent")
    page = browser.page
    answers = dict.fromkeys(browser.fields(), "yes")
    browser.send("/answers", answers)
    before = stored(browser)
    browser.page = page
    refused = browser.send("/answers", dict.fromkeys(answers, "no"))
    assert refused.status_code == 409
    assert "first answer" in refused.text
    assert f'href="{link}"' in refused.text
    assert stored(browser) == before


def test_a_page_that_somebody_else_was_given_meanwhile_is_refused_with_the_way_on(opened):
    clock = Clock()
    browser = opened(ANALOGY, clock=clock)
    link = browser.join()
    browser.send("/consent")
    late, fields = browser.page, browser.fields()
    clock.now += 31 * 60
    for _ in range(3):  # somebody else answers everything there is
        if browser.page is late:
            browser.join()
            browser.send("/consent")
        browser.send("/answers", dict.fromkeys(browser.fields(), "yes"))
    assert browser.heading() == "Thank you"
    browser.page = late
    refused = browser.send("/answers", dict.fromkeys(fields, "no"))
    assert refused.status_code == 410
    assert f'href="{link}"' in refused.text
    assert set(stored(browser).values()) == {"yes"}


def test_every_page_offers_to_stop_and_the_link_takes_it_up_again(opened):
    browser = opened(ANALOGY)
    link = browser.join()
    browser.send("/consent")
    browser.send("/answers", dict.fromkeys(browser.fields(), "yes"))
    browser.send("/leave")
    assert browser.heading() == "You have stopped"
    assert len(stored(browser)) == 2
    assert "You have stopped" in browser.ask("GET", link).text
    browser.send("/consent")
    assert browser.heading() == "What do you make of this analogy?"


def test_every_page_after_the_first_offers_to_delete_the_answers(opened):
    browser = opened(UBE)
    browser.join()
    seen = []
    while True:
        seen.append((browser.heading(), "/withdraw" in browser.page.text))
        if browser.heading() == "Thank you":
            break
        form = next(form for form in ("/consent", "/answers", "/familiarised") if form in browser.page.text)
        browser.send(form, {field: words[0] for field, words in browser.asked().items()})
    assert seen == [("Before you begin", False), *((heading, True) for heading, _ in seen[1:])]
    assert len(seen) == 6
    other = opened(UBE)
    come(other, "participant=7")
    assert "/withdraw" not in other.page.text, "nothing of theirs is stored yet"
    assert other.store.panel_ids() == {}


@pytest.mark.parametrize("form", ["/consent", "/leave", "/answers", "/withdraw"])
def test_a_form_sent_after_everything_was_deleted_shows_that_it_is(opened, monkeypatch, form):
    """Whether the answers are gone before the request comes, or while it is worked on."""
    browser = opened(ANALOGY)
    link = browser.join()
    stale = [browser.page, browser.send("/consent")][form != "/consent"]
    answers = dict.fromkeys(browser.fields(), "yes")
    number = browser.store.participant(link.removeprefix("/p/"))
    browser.store.withdraw(number)
    for gone in (None, number):
        monkeypatch.setattr(browser.store, "participant", lambda _token, gone=gone: gone)
        browser.page = stale
        browser.send(form, answers)
        assert (browser.page.status_code, browser.page.url.path) == (200, "/withdrawn")
        assert browser.heading() == "Your answers are deleted"
        assert browser.ask("POST", f"/api{link}/withdraw").status_code == 404
    assert browser.ask("GET", link).url.path == "/withdrawn", "deleted while the page was drawn"


def test_a_number_that_has_withdrawn_is_told_so_and_its_link_stays_dead(opened):
    browser = opened(ANALOGY)
    link = come(browser, f"participant={PROLIFIC}")
    browser.send("/consent")
    browser.send("/withdraw")
    assert browser.page.url.path == "/withdrawn"
    for field in ("participant", "PROLIFIC_PID"):
        refused = browser.ask("POST", "/join", data={field: PROLIFIC})
        assert refused.status_code == 403
        assert "The answers of this participant number were deleted" in html.unescape(refused.text)
    api = browser.ask("POST", "/api/join", json={"participant": PROLIFIC})
    assert (api.status_code, "cannot take part again" in api.json()["detail"]) == (403, True)
    assert browser.ask("GET", link).status_code == 404
    assert come(browser, "participant=another") != link


@pytest.mark.parametrize("pages", [0, 1, 2])
def test_who_deletes_their_answers_is_gone_and_the_others_stay(opened, pages):
    browser = opened(OFFENSE)
    links = []
    for count in (2, pages):
        links.append(browser.join())
        browser.send("/consent")
        for _ in range(count):
            browser.send("/answers", dict.fromkeys(browser.fields(), "3"))
    stale, before = browser.page, stored(browser)
    assert len(before) == 2 + pages
    browser.send("/withdraw")
    assert (browser.page.status_code, browser.page.url.path) == (200, "/withdrawn")
    assert browser.heading() == "Your answers are deleted"
    assert stored(browser) == {key: value for key, value in before.items() if key[0] == 1}
    assert len(stored(browser)) == 2
    assert browser.store.overview().participants == 1
    for path in (links[1], f"/api{links[1]}"):
        assert browser.ask("GET", path).status_code == 404
    browser.page = stale
    browser.send("/withdraw")
    assert (browser.page.url.path, len(stored(browser))) == ("/withdrawn", 2), "a window left open brings nothing back"
    assert browser.ask("GET", links[0]).status_code == 200


@pytest.mark.parametrize("path", ["consent", "familiarised", "leave", "answers", "withdraw"])
def test_a_form_without_this_persons_token_is_refused(opened, path):
    browser = opened(ANALOGY)
    browser.join()
    others = re.search(r'name="form" value="([^"]+)"', browser.page.text)[1]
    link = browser.join()
    browser.send("/consent")
    answers = dict.fromkeys(browser.fields(), "yes")
    for form in ({}, {"form": ""}, {"form": "x" * 64}, {"form": others}):
        refused = browser.ask("POST", f"{link}/{path}", data=answers | form)
        assert refused.status_code == 403
        assert "not from your own page" in refused.text
    assert stored(browser) == {}
    assert browser.store.overview().left == 0


def test_a_form_of_another_encoding_is_no_form(opened):
    browser = opened(ANALOGY)
    link = browser.join()
    hidden = re.search(r'name="form" value="([^"]+)"', browser.page.text)[1]
    plain = {"content": f"form={hidden}", "headers": {"content-type": "text/plain"}}
    for options in ({"json": {"form": hidden}}, {"files": {"form": (None, hidden)}}, plain):
        assert browser.ask("POST", f"{link}/consent", **options).status_code == 403


def test_thousands_of_fields_are_refused(opened):
    browser = opened(ANALOGY)
    browser.join()
    assert browser.send("/consent", {f"answer-{n}": "" for n in range(2_000)}).status_code == 413


@pytest.mark.parametrize("token", ["1", "", "x" * 32, "%00", "..%2f..", "é" * 20, "%ff%fe"])
def test_an_invented_link_shows_nothing(opened, token):
    browser = opened(ANALOGY)
    browser.join()
    for method, path in (("GET", f"/p/{token}"), ("POST", f"/p/{token}/answers"), ("GET", f"/api/p/{token}")):
        assert browser.ask(method, path).status_code == 404, path


def test_nobody_reads_what_others_answered(opened):
    browser = opened(SUGGESTION)
    browser.join()
    browser.send("/consent")
    browser.send("/answers", dict.fromkeys(browser.fields(), "secretword"))
    mine = browser.join()
    pages = [browser.page.text, browser.send("/consent").text]
    paths = ("/", mine, f"/api{mine}", "/admin", "/admin/answers.csv", "/admin/scores.jsonl", "/api/overview")
    pages += [browser.ask("GET", path).text for path in paths]
    assert not any("secretword" in page for page in pages)


def test_words_of_the_embedding_are_text_whatever_they_hold(opened):
    browser = opened(ANALOGY)
    browser.join()
    browser.send("/consent")
    pages = []
    for _ in range(3):
        pages.append(browser.page.text)
        browser.send("/answers", dict.fromkeys(browser.fields(), "yes"))
    text = "".join(pages)
    assert "&lt;script&gt;" in text
    assert "<script>" not in text
    assert "<img" not in text
    assert "{{7*7}}" in text
    assert re.findall(r"<script[^>]*>", text) == ['<script src="/static/study.js" defer>'] * 3


@pytest.mark.parametrize("unmask", [False, True])
def test_slurs_are_masked_unless_told(opened, unmask):
    browser = opened(UBE, unmask=unmask)
    browser.join()
    browser.send("/consent")
    browser.send("/answers", exam_answers(browser))
    browser.send("/familiarised")
    assert (SLUR in browser.page.text) is unmask
    assert ("r******" in browser.page.text) is not unmask


def test_who_sends_too_much_too_fast_is_slowed_down_alone(opened):
    browser = opened(ANALOGY)
    one, other = browser.join(), browser.join()
    # The bucket refills while this runs, so how many it takes depends on the machine.
    assert any(browser.ask("GET", "/p/none").status_code == 429 for _ in range(5_000))
    assert browser.ask("GET", one).status_code == browser.ask("GET", other).status_code == 200


@pytest.mark.parametrize("path", ["/api", "/api/", "/p", "/p/", "/admin/", "/api/p/", "/nowhere"])
def test_a_path_that_leads_nowhere_is_said_so(opened, path):
    browser = opened(ANALOGY)
    browser.client.follow_redirects = False
    assert browser.ask("GET", path).status_code in (307, 403, 404)


def test_without_joining_links_come_from_the_administrator_alone(opened):
    browser = opened(ANALOGY, join=False)
    assert "private link" in browser.ask("GET", "/").text
    assert browser.ask("POST", "/join").status_code == 403
    assert browser.ask("POST", "/api/join").status_code == 403
    assert browser.store.overview().participants == 0
    browser.page = browser.ask("POST", "/admin", data={"token": browser.admin})
    browser.send("/admin/links", {"links": "3"})
    links = re.findall(r"<code>(/p/[\w-]+)</code>", browser.page.text)
    assert len(set(links)) == 3
    assert all("Before you begin" in browser.ask("GET", link).text for link in links)
    for wrong in ("0", "101", "-1", "x", "1e2", "٣", "9" * 40):
        assert browser.ask("POST", "/admin/links", data={"links": wrong}).status_code == 403, "needs the form's token"
        browser.page = browser.ask("GET", "/admin")
        assert browser.send("/admin/links", {"links": wrong}).status_code == 422
    assert browser.store.overview().participants == 3


def test_the_administrator_enters_with_the_token_and_leaves_without_it(opened):
    browser = opened(ANALOGY, secure=False)
    assert "Token of the study" in html.unescape(browser.ask("GET", "/admin").text)
    wrong = browser.ask("POST", "/admin", data={"token": "wrong"})
    assert (wrong.status_code, "set-cookie" in wrong.headers) == (403, False)
    browser.client.follow_redirects = False
    entered = browser.ask("POST", "/admin", data={"token": f" {browser.admin} "})
    cookie = entered.headers["set-cookie"].lower()
    assert "httponly" in cookie
    assert "samesite=strict" in cookie
    assert "path=/admin" in cookie
    assert "secure" not in cookie
    browser.page = browser.ask("GET", "/admin")
    assert browser.heading() == "The study so far"
    browser.send("/admin/exit")
    assert "Token of the study" in html.unescape(browser.ask("GET", "/admin").text)


def test_request_loops_do_not_keep_the_administrator_out(opened):
    browser = opened(ANALOGY, secure=False)
    browser.ask("POST", "/admin", data={"token": browser.admin})
    guard = browser.client._transport.app
    guard._overall = guard._each = guard._pace = RateLimit(burst=1, per_second=0.001)
    assert browser.ask("GET", "/").status_code == 200
    assert [browser.ask("GET", path).status_code for path in ("/", "/withdrawn")] == [429, 429]
    assert [browser.ask("GET", "/admin").status_code for _ in range(3)] == [200, 200, 200]
    by_header = {"authorization": f"Bearer {browser.admin}"}
    assert browser.ask("GET", "/api/overview", headers=by_header).status_code == 200


def test_loops_of_one_address_keep_nobody_else_from_joining_or_entering(opened):
    browser = opened(ANALOGY)
    browser.client.follow_redirects = False
    for method, path, status in (("POST", "/join", 303), ("GET", "/admin", 200)):
        browser.client._transport.client = ("10.0.0.1", 1)
        assert any(browser.ask(method, path).status_code == 429 for _ in range(5_000))
        browser.client._transport.client = ("10.0.0.2", 1)
        assert browser.ask(method, path).status_code == status


def test_behind_a_proxy_one_visitor_keeps_nobody_else_from_joining(opened):
    browser = opened(ANALOGY, behind_proxy=True)
    browser.client.follow_redirects = False

    def join(forwarded):
        return browser.ask("POST", "/join", headers={"x-forwarded-for": forwarded}).status_code

    assert any(join(f"192.0.2.{number % 200}, 10.0.0.1") == 429 for number in range(5_000)), "the last hop counts"
    assert [join(f"10.0.0.{number}") for number in range(2, 22)] == [303] * 20


def test_behind_https_the_cookie_travels_no_other_way(opened):
    browser = opened(ANALOGY, secure=True)
    browser.client.follow_redirects = False
    assert "secure" in browser.ask("POST", "/admin", data={"token": browser.admin}).headers["set-cookie"].lower()


@pytest.mark.parametrize("name", ["answers.csv", "scores.jsonl"])
def test_answers_are_downloaded_with_the_token_in_a_header_only(opened, name):
    browser = opened(SUGGESTION)
    browser.join()
    browser.send("/consent")
    browser.send("/answers", dict.fromkeys(browser.fields(), "nurse"))
    for headers in ({}, {"authorization": "Bearer wrong"}, {"authorization": browser.admin}):
        refused = browser.ask("GET", f"/admin/{name}", headers=headers)
        assert (refused.status_code, "nurse" in refused.text) == (403, False)
    given = browser.ask("GET", f"/admin/{name}", headers={"authorization": f"Bearer {browser.admin}"})
    assert given.status_code == 200
    assert "nurse" in given.text
    assert "attachment" in given.headers["content-disposition"]
    missing = browser.ask("GET", "/admin/answers.db", headers={"authorization": f"Bearer {browser.admin}"})
    assert missing.status_code == 404


def test_forms_survive_a_restart_of_the_server(opened):
    browser = opened(ANALOGY)
    browser.join()
    again = Browser(browser.store)
    again.page = browser.page
    assert again.send("/consent").status_code == 200
    assert again.heading() == "What do you make of this analogy?"
    again.runner.run(again.client.aclose())
    again.runner.close()


def test_no_cookie_is_set_for_participants(opened):
    browser = opened(ANALOGY)
    browser.join()
    browser.send("/consent")
    assert dict(browser.client.cookies) == {}


def test_a_study_that_cannot_be_reached_is_a_page_that_does_not_say_where_it_was(opened, tmp_path, caplog):
    browser = opened(ANALOGY)
    link = browser.join()
    (tmp_path / "0.db").rename(tmp_path / "gone.db")
    for path in (link, f"/api{link}"):
        answer = browser.ask("GET", path)
        assert answer.status_code == 500
        assert "Your earlier answers are kept" in answer.text
        assert str(tmp_path) not in answer.text
    assert "cannot be reached" in caplog.text
    (tmp_path / "gone.db").rename(tmp_path / "0.db")


PREVIEWED = Terms(
    (f"Researcher: {HOSTILE}", "Duration: 5 min", "Contact: a@example.org"),
    "C0FFEE-1",
    "SORRY-2",
    "https://panel.example/{participant}/{code}",
)


@pytest.mark.parametrize("design", [UBE, ANALOGY, OFFENSE, SUGGESTION])
def test_the_preview_shows_every_page_with_its_buttons_and_stores_nothing(opened, tmp_path, design):
    browser = opened(design, terms=PREVIEWED)
    untouched = contents(tmp_path)
    browser.page = browser.ask("POST", "/admin", data={"token": browser.admin})
    browser.page = browser.ask("GET", re.search(r'href="(/admin/preview/1)"', browser.page.text)[1])
    total = int(re.search(r"Preview: page 1 of (\d+)", browser.page.text)[1])
    seen, words = [], ""
    for number in range(1, total + 1):
        assert browser.page.url.path == f"/admin/preview/{number}"
        assert f"Preview: page {number} of {total}. Nothing is stored." in browser.page.text
        assert "<title>Preview: " in browser.page.text
        assert not re.findall(r'action="/p/', browser.page.text)
        seen.append(browser.heading())
        words += browser.page.text
        suffix = next(
            (part for part in ("/consent", "/answers", "/familiarised") if f'{part}"' in browser.page.text), ""
        )
        if number < total:
            browser.page = browser.ask("GET", f"/admin/preview/{number + 1}") if not suffix else browser.send(suffix)
    assert seen[0] == "Before you begin"
    assert "You have stopped" in seen
    assert ("Thank you for trying" in seen) is (design is UBE)
    assert len(seen) == 1 + len(design.blocks) + (7 if design is UBE else 4)
    assert "C0FFEE-1" in words
    assert "https://panel.example/PREVIEW/C0FFEE-1" in words
    assert "<script>" not in words
    assert SLUR not in words
    browser.page = browser.ask("GET", "/admin/preview/2")
    assert browser.send("/leave").url.path == f"/admin/preview/{total}"
    browser.page = browser.ask("GET", "/admin/preview/2")
    assert "Nothing is stored" in browser.send("/withdraw").text
    told = browser.store.overview()
    assert (told.participants, told.answers) == (0, 0)
    assert contents(tmp_path) == untouched


def contents(folder):
    """The bytes of a study's file and of its log; the index beside the log is scratch space."""
    return {path.name: path.read_bytes() for path in folder.iterdir() if not path.name.endswith("-shm")}


def test_the_preview_is_for_the_administrator_alone(opened):
    browser = opened(UBE)
    browser.join()
    assert browser.ask("GET", "/admin/preview/1").status_code == 403
    assert browser.ask("GET", "/admin/preview/1", headers={"authorization": "Bearer wrong"}).status_code == 403
    assert browser.ask("POST", "/admin/preview/1/consent").status_code == 403
    browser.ask("POST", "/admin", data={"token": browser.admin})
    assert browser.ask("POST", "/admin/preview/1/consent", data={"form": "x" * 64}).status_code == 403
    for number in ("0", "-1", "99", "9" * 400):
        assert browser.ask("GET", f"/admin/preview/{number}").status_code == 404
    assert browser.ask("GET", "/admin/preview/x").status_code == 422
    assert browser.ask("GET", "/admin/preview/" + "9" * 5000).status_code == 422


def test_no_page_of_a_participant_is_marked_as_a_preview(opened):
    browser = opened(ANALOGY)
    browser.join()
    assert "Preview" not in browser.page.text + browser.send("/consent").text
