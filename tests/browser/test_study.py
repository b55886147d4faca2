"""Whole journeys through a study in a real browser, against the real server on loopback."""

from pathlib import Path

import pytest

from imprint.study.design import CANNOT_TELL, Design, Item, ItemBlock, NameGroup
from imprint.study.records import create_study
from imprint.study.settings import Terms
from imprint.study.store import Store

pytest.importorskip("fastapi", reason="the study's server needs fastapi")

SCREENS = {"desktop": {"width": 1280, "height": 900}, "phone": {"width": 360, "height": 740}}
HOSTILE = ("<script>window.broken = true</script>", '"><img src=x onerror="window.broken = true">')
LETTERS = "ABCDEFGHIJKL"
GROUPS = tuple(
    NameGroup(
        letter, tuple(f"{letter}name{n}" for n in range(5)), tuple(f"{letter}cue{n}" for n in range(2) if letter < "E")
    )
    for letter in LETTERS
)


def triples(number):
    return tuple(
        Item("triple", (f"{letter}-word-{number}", "registered nurse", HOSTILE[number % 2]), letter)
        for letter in LETTERS[:8]
    )


def analogy(first, second):
    return ItemBlock(("he", "she"), (Item("sense", (first, second)), Item("stereotype", (first, second))))


SHARED = {"embedding": "tiny", "embedding_sha256": "0" * 64, "quota": 50, "least": 1}
DESIGNS = {
    "ube": Design(
        "ube",
        blocks=tuple(ItemBlock((f"category {n}",), triples(n), (*LETTERS[:8], CANNOT_TELL)) for n in range(2)),
        groups=GROUPS,
        exam=tuple(Item("name", (f"{letter}-asked{n}",), letter) for letter in LETTERS[:4] for n in range(3)),
        **SHARED,
    ),
    "few": Design(
        "ube",
        blocks=(ItemBlock(("c",), (Item("triple", ("law", "act", "rules"), "A"),), (*LETTERS[:4], CANNOT_TELL)),),
        groups=GROUPS[:4],
        exam=tuple(Item("name", (f"{letter}-asked{n}",), letter) for letter in LETTERS[:4] for n in range(3)),
        **SHARED,
    ),
    "offense": Design(
        "offense",
        blocks=tuple(ItemBlock(("c",), (Item("rating", (word,), "A"),), ("A",)) for word in ("nurse", *HOSTILE)),
        groups=GROUPS[:1],
        **SHARED,
    ),
    "analogy": Design("analogy", blocks=(analogy("surgeon", "nurse"), analogy(*HOSTILE)), **SHARED),
    "suggestion": Design("suggestion", blocks=(ItemBlock(("gender",), (Item("words", ("gender",)),)),), **SHARED),
}


# One of the studies is a paid one, with a text of its own.
TERMS = {"offense": Terms(("Approved by the board.", f"{HOSTILE[0]} {'x' * 300}"), "C0FFEE-2024_completion-code")}


@pytest.fixture(scope="module")
def servers(tmp_path_factory, serve_study):
    """A server a protocol, started when first asked for."""
    folder, started = tmp_path_factory.mktemp("studies"), {}

    def served(protocol):
        if protocol not in started:
            path = folder / f"{protocol}.db"
            token = create_study(path, DESIGNS[protocol], terms=TERMS.get(protocol))
            started[protocol] = serve_study(path)
            started[protocol].token = token
        return started[protocol]

    return served


@pytest.fixture
def visit(windows, servers):
    """Open a study's first page in a window of its own; whatever goes wrong in the page, or leaves it, is kept."""

    def open_page(protocol, screen="desktop", path="/", **options):
        server = servers(protocol)
        phone = {"has_touch": True, "is_mobile": True} if screen == "phone" else {}
        page = windows(lambda url: url.startswith(server.address), viewport=SCREENS[screen], **phone, **options)
        page.goto(f"{server.address}{path}")
        return page

    open_page.troubles = windows.troubles
    yield open_page
    windows.close()
    assert windows.troubles == []


def heading(page):
    return page.locator("h1").inner_text()


def join(page):
    """Ask for a link, and wait for the page behind it: before its style has come, nothing can be measured there."""
    page.get_by_role("button", name="Get my link").click()
    page.wait_for_url("**/p/*")


def click_through(page, *, check=lambda page: None):
    """Take part with the mouse or a finger, until there is nothing more to do; return the headings seen."""
    seen = []
    check(page)
    join(page)
    while not heading(page).startswith("Thank you"):
        seen.append(heading(page))
        check(page)
        for fieldset in page.locator("fieldset").all():
            fieldset.get_by_role("radio").first.check()
            if (own := fieldset.locator(f"[value={fieldset.locator('legend').inner_text()[0]}]")).count():
                own.check()
        if page.locator("textarea").count():
            page.locator("textarea").fill("nurse, home maker")
        before = page.locator("main").element_handle()
        page.locator("button.main").click()
        before.wait_for_element_state("hidden")
        page.locator("h1").wait_for()
    check(page)
    return seen


HEADINGS = {
    "ube": ["Which group fits each line?", "The groups of names"] + ["Which group would society think of?"] * 2,
    "few": ["Which group fits each line?", "The groups of names", "Which group would society think of?"],
    "offense": ["How offensive is this association?"] * 3,
    "analogy": ["What do you make of this analogy?"] * 2,
    "suggestion": ["Which words carry a stereotype?"],
}


@pytest.mark.parametrize(("screen", "theme"), [("desktop", "light"), ("phone", "dark")])
@pytest.mark.parametrize("protocol", DESIGNS)
def test_a_person_gets_from_the_link_to_the_thanks(visit, protocol, screen, theme):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked by axe")
    checked = set()

    def check(page):
        wide = page.evaluate("document.documentElement.scrollWidth - document.documentElement.clientWidth")
        assert wide <= 0, f"{heading(page)} scrolls sideways"
        assert page.get_by_text("Content note").first.is_visible()
        assert page.evaluate("window.broken") is None
        if heading(page) not in checked:
            found = axe.Axe().run(page).response["violations"]
            assert [(one["id"], one["nodes"][0]["html"]) for one in found] == []
            checked.add(heading(page))

    page = visit(protocol, screen, color_scheme=theme)
    assert click_through(page, check=check) == ["Before you begin", *HEADINGS[protocol]]


def test_a_person_who_cannot_tell_says_so_and_sees_every_name_on_a_phone(visit, servers):
    page = visit("few", "phone")
    join(page)
    page.get_by_role("button", name="I have read").click()
    page.get_by_role("heading", name="Which group fits").wait_for()
    for fieldset in page.locator("fieldset").all():
        fieldset.locator(f"[value={fieldset.locator('legend').inner_text()[0]}]").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("button", name="Continue").click()
    page.get_by_role("heading", name="Which group would society").wait_for()
    clipped = "labels => labels.filter(label => label.scrollWidth > label.clientWidth).length"
    assert page.locator("fieldset label").evaluate_all(clipped) == 0
    shown = {*page.locator("fieldset label").all_inner_texts()}
    assert {", ".join(group.names) for group in GROUPS[:4]} | {"I cannot tell"} == shown
    page.get_by_label("I cannot tell").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    token = page.url.rsplit("/", 1)[1]
    with Store.open(servers("few").study) as store:
        number = store.participant(token)
        assert [one.value for one in store.answers() if one.participant == number][-1] == CANNOT_TELL


def press_to(page, role, name):
    """Press Tab until the focus is on this control."""
    wanted = page.get_by_role(role, name=name).first
    for _ in range(60):
        if wanted.evaluate("control => control === document.activeElement"):
            return
        page.keyboard.press("Tab")
    raise AssertionError(f"Tab never came to {name}")


def press_through(page):
    """Take part with the keyboard alone."""
    press_to(page, "button", "Get my link")
    page.keyboard.press("Enter")
    page.wait_for_url("**/p/*")
    while not heading(page).startswith("Thank you"):
        if page.locator("fieldset[data-keys='1 2 3 4 5 6 7']").count():
            page.keyboard.press("6")
        else:
            for fieldset in page.locator("fieldset").all():
                while not fieldset.evaluate("set => set.contains(document.activeElement)"):
                    page.keyboard.press("Tab")
                page.keyboard.press("Space")
                own = fieldset.locator(f"[value={fieldset.locator('legend').inner_text()[0]}]")
                while own.count() and not own.is_checked():
                    page.keyboard.press("ArrowDown")
        if page.locator("textarea").count():
            while not page.locator("textarea").evaluate("control => control === document.activeElement"):
                page.keyboard.press("Tab")
            page.keyboard.type("nurse, home maker")
        main = page.locator("main").element_handle()
        press_to(page, "button", page.locator("button.main").inner_text())
        page.keyboard.press("Enter")
        main.wait_for_element_state("hidden")
        page.locator("h1").wait_for()


@pytest.mark.parametrize("protocol", DESIGNS)
def test_the_keyboard_alone_is_enough(visit, servers, protocol):
    page = visit(protocol)
    press_through(page)
    token = page.url.rsplit("/", 1)[1]
    with Store.open(servers(protocol).study) as store:
        number = store.participant(token)
        given = {answer.item: answer.value for answer in store.answers() if answer.participant == number}
        items = {item.number: item for item in store.items()}
    assert len(given) == {"ube": 8 + 16, "few": 8 + 1, "offense": 3, "analogy": 4, "suggestion": 1}[protocol]
    if protocol == "ube":
        assert all(items[item].expected == value for item, value in given.items())
    if protocol == "offense":
        assert set(given.values()) == {"6"}


def test_without_scripts_everything_works(visit):
    page = visit("analogy", java_script_enabled=False)
    join(page)
    page.get_by_role("button", name="I have read").click()
    for count in range(2):
        page.get_by_text(f"Pages: {count} of 2").wait_for()
        for fieldset in page.locator("fieldset").all():
            fieldset.get_by_label("No").check()
        page.get_by_role("button", name="Next").click()
    page.get_by_role("heading", name="Thank you").wait_for()


def test_with_scripts_a_page_follows_without_a_jump_and_with_the_focus_on_it(visit):
    page = visit("offense")
    join(page)
    page.evaluate("window.same = true")
    page.get_by_role("button", name="I have read").click()
    page.get_by_role("heading", name="How offensive").wait_for()
    page.keyboard.press("3")
    assert page.get_by_role("radio", name="3").is_checked()
    page.keyboard.press("8")
    assert page.get_by_role("radio", name="3").is_checked()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Pages: 1 of 3").wait_for()
    assert page.evaluate("window.same")
    assert page.evaluate("document.activeElement.tagName") == "H1"
    assert page.get_by_role("radio", checked=True).count() == 0
    page.reload()
    assert page.get_by_text("Pages: 1 of 3").is_visible()


def test_stopping_keeps_the_answers_and_the_link_goes_on(visit):
    page = visit("analogy")
    join(page)
    page.get_by_role("button", name="I have read").click()
    page.get_by_role("button", name="Stop here").click()
    page.get_by_role("heading", name="You have stopped").wait_for()
    page.goto(page.url)
    page.get_by_role("button", name="Continue the study").click()
    page.get_by_role("heading", name="What do you make").wait_for()


@pytest.mark.parametrize("script", [True, False])
def test_a_panels_participant_copies_the_code_and_comes_back_to_it(visit, script):
    page = visit("offense", "phone", path=f"/?PROLIFIC_PID=5f2c1e9ab0d34{script:d}", java_script_enabled=script)
    join(page)
    assert page.get_by_text(f"participant number is 5f2c1e9ab0d34{script:d}").is_visible()
    page.get_by_role("button", name="I have read").click()
    for count in range(1, 4):
        page.get_by_role("radio", name="4").check()
        page.get_by_role("button", name="Next").click()
        page.get_by_text(f"Pages: {count} of 3").wait_for()
    page.get_by_role("heading", name="Thank you").wait_for()
    code = page.get_by_text("C0FFEE-2024_completion-code", exact=True)
    if script:
        code.click()
        assert page.evaluate("getSelection().toString()") == "C0FFEE-2024_completion-code"
    link = page.url
    page.goto(f"{link.split('/p/')[0]}/?participant=5f2c1e9ab0d34{script:d}")
    join(page)
    assert heading(page) == "Thank you"
    assert page.url == link
    assert code.is_visible()


@pytest.mark.parametrize("script", [True, False])
def test_a_person_deletes_their_answers_after_a_second_question(visit, servers, script):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked by axe")
    page = visit("analogy", "phone", java_script_enabled=script)
    join(page)
    page.get_by_role("button", name="I have read").click()
    page.get_by_role("heading", name="What do you make").wait_for()
    for fieldset in page.locator("fieldset").all():
        fieldset.get_by_label("No").check()
    page.get_by_role("button", name="Next").click()
    page.get_by_text("Pages: 1 of 2").wait_for()
    token = page.url.rsplit("/", 1)[1]
    with Store.open(servers("analogy").study) as store:
        number = store.participant(token)
        assert sum(answer.participant == number for answer in store.answers()) == 2
        confirm = page.get_by_role("button", name="Yes, delete my answers")
        assert not confirm.is_visible()
        page.get_by_text("Delete my answers", exact=True).click()
        if script:
            assert axe.Axe().run(page).response["violations"] == []
        confirm.click()
        page.get_by_role("heading", name="Your answers are deleted").wait_for()
        page.wait_for_url("**/withdrawn")
        page.reload()
        assert heading(page) == "Your answers are deleted"
        assert store.participant(token) is None
        assert number not in {answer.participant for answer in store.answers()}


def test_answers_stay_on_the_page_while_the_server_is_away(visit, servers):
    server = servers("suggestion")
    page = visit("suggestion")
    join(page)
    page.get_by_role("button", name="I have read").click()
    page.locator("textarea").fill("nurse")
    server.kill()
    page.get_by_role("button", name="Send").click()
    page.get_by_text("Your answers could not be sent").wait_for()
    assert page.locator("textarea").input_value() == "nurse"
    server.start()
    gone = server.study.rename(server.study.with_name("gone.db"))
    with page.expect_response("**/answers") as failed:
        page.get_by_role("button", name="Send").click()
    assert failed.value.status == 500
    page.get_by_text("Your answers could not be sent").wait_for()
    assert page.locator("textarea").input_value() == "nurse"
    gone.rename(server.study)
    page.get_by_role("button", name="Send").click()
    page.get_by_role("heading", name="Thank you").wait_for()
    for expected in ("500", "ERR_CONNECTION"):
        assert any(expected in trouble for trouble in visit.troubles)
        visit.troubles[:] = [trouble for trouble in visit.troubles if expected not in trouble]


def test_a_refused_answer_is_told_where_it_was_given(visit):
    page = visit("suggestion")
    join(page)
    page.get_by_role("button", name="I have read").click()
    page.locator("textarea").fill("nurse, 4711")
    page.get_by_role("button", name="Send").click()
    page.get_by_text("'4711' is not a word").wait_for()
    assert page.locator("textarea").input_value() == "nurse, 4711"
    assert "422" in visit.troubles.pop()


def test_the_administrator_sees_the_study_and_takes_the_answers(visit, servers):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked by axe")
    page = visit("analogy", "phone", path="/admin")
    page.get_by_label("token").fill(servers("analogy").token)
    page.keyboard.press("Enter")
    page.get_by_role("heading", name="The study so far").wait_for()
    page.wait_for_load_state()
    assert axe.Axe().run(page).response["violations"] == []
    assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
    with page.expect_download() as download:
        page.get_by_role("link", name="answers.csv").click()
    assert "stereotype" in Path(download.value.path()).read_text()
    page.get_by_label("Number of links").fill("2")
    page.get_by_role("button", name="Create").click()
    page.get_by_text("The links are shown only once").wait_for()
    assert page.locator("code").count() == 2
    assert page.evaluate("document.cookie") == "", "no script can read the token"
    page.get_by_role("button", name="Sign out").click()
    page.get_by_label("token").wait_for()


@pytest.mark.parametrize("screen", SCREENS)
def test_the_administrator_walks_through_the_preview_and_nothing_is_stored(visit, servers, screen):
    axe = pytest.importorskip("axe_playwright_python.sync_playwright", reason="accessibility is checked by axe")
    with Store.open(servers("ube").study) as store:
        before = store.overview()
        page = visit("ube", screen, path="/admin")
        page.get_by_label("token").fill(servers("ube").token)
        page.keyboard.press("Enter")
        page.get_by_role("link", name="Preview every page").click()
        seen = []
        for number in range(1, 7):
            page.get_by_text(f"Preview: page {number} of 10. Nothing is stored.").wait_for()
            assert page.evaluate("document.documentElement.scrollWidth <= document.documentElement.clientWidth")
            assert page.evaluate("window.broken") is None
            if heading(page) not in seen:
                assert axe.Axe().run(page).response["violations"] == []
            seen.append(heading(page))
            for fieldset in page.locator("fieldset").all():
                fieldset.get_by_role("radio").first.check()
            page.locator("button.main, nav a:has-text('Next')").last.click()
        assert seen == ["Before you begin", *HEADINGS["ube"], "Thank you"]
        assert store.overview() == before
