"""Charts as specifications: what is drawn is what was given, names stand on nothing, and words stay values."""

import json
import math
from itertools import combinations, cycle

import altair
import jsonschema
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from imprint.render.charts.axis import plant_flags, strip, swarm
from imprint.render.charts.forest import ForestRow, forest
from imprint.render.charts.plane import arrows, curve, scatter
from imprint.render.charts.points import Anchor, Box, Point, dot, place_labels, scale_for, text_width, trail
from imprint.significance.outcomes import OUTCOMES

TITLES = {"x_title": "before", "y_title": "after"}
PLACES = st.tuples(st.floats(0, 600), st.floats(0, 400))
WORDS = st.text("abcmwiX字 ", min_size=1, max_size=14)
NOWHERE = (math.nan, math.inf, -math.inf, 1e308)


def spread(count, group=""):
    """Words at places that look random and are not."""
    return [Point(f"word{i}", math.sin(i * 12.9), math.cos(i * 78.2), group) for i in range(count)]


def data(layer, spec):
    return layer["data"].get("values") or spec["datasets"][layer["data"]["name"]]


def layers(spec, mark):
    """The rows of every layer with this mark."""
    found = [layer for layer in spec["layer"] if layer["mark"]["type"] == mark]
    return [data(layer, spec) if "data" in layer else spec["data"]["values"] for layer in found]


def encodings(spec, mark):
    return [layer["encoding"] for layer in spec["layer"] if layer["mark"]["type"] == mark]


def words(spec):
    """The names written beside dots."""
    return [row["word"] for rows in layers(spec, "text") for row in rows if "word" in row]


def every(spec):
    return [row for mark in ("point", "text", "rule", "line") for rows in layers(spec, mark) for row in rows]


def overlap(one, other):
    return one.left < other.right and other.left < one.right and one.top < other.bottom and other.top < one.bottom


def overlapping(boxes):
    return [pair for pair in combinations(boxes, 2) if overlap(*pair)]


# Names


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(PLACES, WORDS), max_size=40), st.integers(0, 15))
def test_names_meet_neither_each_other_nor_any_dot_or_line_and_stay_inside(placed, most):
    anchors = [Anchor(x, y, word) for (x, y), word in placed]
    taken = [dot(anchor.x, anchor.y) for anchor in anchors] + list(trail((0, 0), (600, 400)))
    frame = Box(0, 0, 600, 400)
    labels = place_labels(anchors, [(box, 1) for box in taken], frame, most=most, middle=(300, 200))
    assert len(labels) <= most
    assert overlapping([label.box for label in labels]) == []
    for label in labels:
        assert 0 <= label.box.left < label.box.right <= 600
        assert 0 <= label.box.top < label.box.bottom <= 400
        assert not any(overlap(label.box, box) for box in taken)
        assert label.box.right - label.box.left == pytest.approx(text_width(anchors[label.anchor].text))


@settings(max_examples=30, deadline=None)
@given(st.lists(st.tuples(PLACES, WORDS), max_size=25))
def test_without_a_limit_every_name_is_placed(placed):
    anchors = [Anchor(x, y, word) for (x, y), word in placed]
    labels = place_labels(anchors, [], Box(0, 0, 600, 400), middle=(300, 200))
    assert sorted(label.anchor for label in labels) == list(range(len(anchors)))


def test_a_lonely_name_stands_away_from_the_middle():
    frame = Box(0, 0, 600, 400)
    for x, align in ((200, "right"), (400, "left")):
        (label,) = place_labels([Anchor(x, 200, "word")], [(dot(x, 200), 1)], frame, most=1, middle=(300, 200))
        assert label.align == align


def test_wide_letters_are_counted_wider():
    assert text_width("ill") < text_width("nun") < text_width("mow") < text_width("字字字")
    assert text_width("e\N{COMBINING ACUTE ACCENT}") == text_width("e")


# The swarm along an axis


@settings(max_examples=60, deadline=None)
@given(st.lists(st.floats(0, 600), max_size=60).map(sorted))
def test_dots_of_a_swarm_do_not_meet(places):
    heights = swarm(places)
    if max(map(abs, heights), default=0) < 59:  # one that fits; the others are pressed together
        apart = [math.dist(one, other) for one, other in combinations(zip(places, heights, strict=True), 2)]
        assert all(distance >= 8 - 1e-6 for distance in apart)


def test_a_swarm_of_any_size_keeps_its_height_and_lonely_dots_their_axis():
    assert max(map(abs, swarm([300.0] * 400))) <= 60
    assert swarm([0.0, 20.0, 40.0]) == [0, 0, 0]


@settings(max_examples=60, deadline=None)
@given(st.lists(st.tuples(st.floats(0, 656), WORDS), max_size=40).map(sorted), st.integers(0, 10))
def test_flags_do_not_meet_and_no_pole_crosses_a_name(placed, most):
    places, names = [x for x, _ in placed], [word for _, word in placed]
    flags = plant_flags(places, swarm(places), names, most)
    boxes = [Box(flag.left, flag.tip - 7, flag.right, flag.tip + 7) for flag in flags]
    assert overlapping([box._replace(left=box.left + 1e-6, right=box.right - 1e-6) for box in boxes]) == []
    for flag in flags:
        low, high = sorted((flag.foot, flag.tip))
        for other, box in zip(flags, boxes, strict=True):
            assert other is flag or not (box.left < flag.x < box.right and low < box.bottom and box.top < high)
    assert len(flags) <= 2 * most
    assert len({flag.dot for flag in flags}) == len(flags)


def test_the_outermost_of_both_ends_are_named():
    points = [Point(f"w{i}", float(i)) for i in range(100)]
    named = words(strip(points, x_title="axis", ends=("she", "he")))
    assert sorted(named) == sorted(f"w{i}" for i in [*range(10), *range(90, 100)])


def test_the_strip_does_not_depend_on_the_order_of_its_words():
    points = [*spread(40), Point("same", 0.5), Point("place", 0.5)]
    drawn = [strip(list(order), x_title="axis", ends=("she", "he")) for order in (points, points[::-1])]
    assert drawn[0] == drawn[1]


# The plane


@pytest.mark.parametrize(("slope", "intercept"), [(0.5, 0.1), (-40.0, 3.0), (0.0, 0.5), (1e-9, 0.0), (3.0, -3.5)])
def test_the_line_lies_on_its_equation_and_inside_the_frame(slope, intercept):
    spec = scatter(spread(20), **TITLES, line=(slope, intercept))
    axes = encodings(spec, "point")[0]
    ((first, last),) = layers(spec, "line")
    assert first["x"] < last["x"]
    for end in (first, last):
        assert end["y"] == pytest.approx(slope * end["x"] + intercept)
        edges = []
        for channel in ("x", "y"):
            low, high = axes[channel]["scale"]["domain"]
            assert low - 1e-6 <= end[channel] <= high + 1e-6
            edges += [abs(end[channel] - low), abs(end[channel] - high)]
        assert min(edges) < 1e-6, "it goes to the edge"


def test_a_line_that_passes_is_drawn_and_one_that_does_not_is_left_out():
    assert len(layers(scatter(spread(20), **TITLES, line=(0.5, 0.1)), "line")) == 1
    assert layers(scatter(spread(20), **TITLES, line=(0.0, 99.0)), "line") == []
    assert layers(scatter(spread(20), **TITLES, line=(math.nan, 0.0)), "line") == []


def test_the_diagonal_gives_both_axes_one_range():
    points = [Point("a", 0, 5), Point("b", 100, 7)]
    for line, same in (("diagonal", True), (None, False)):
        axes = encodings(scatter(points, **TITLES, line=line), "point")[0]
        assert (axes["x"]["scale"]["domain"] == axes["y"]["scale"]["domain"]) is same


def test_zero_is_marked_where_it_parts_the_words():
    for points, rules in ((spread(20), 2), ([Point("a", 1, 1), Point("b", 0, -1)], 1), ([Point("a", 1, 1)], 0)):
        assert len(layers(scatter(points, **TITLES), "rule")) == rules


def test_the_group_that_comes_first_lies_on_top_and_is_named():
    spec = scatter([*spread(30, "held out"), *spread(400, "background")], **TITLES)
    groups = [{row["group"] for row in rows} for rows in layers(spec, "point")]
    assert groups == [{"background"}, {"held out"}]
    assert {row["group"] for row in layers(spec, "text")[0]} == {"held out"}


def test_the_farthest_words_are_named_first():
    points = [*(Point(f"inner{i}", i / 100, 0) for i in range(30)), Point("far", 9, 9), Point("away", -9, -9)]
    assert set(words(scatter(points, **TITLES, labels=2))) == {"far", "away"}


def test_every_word_of_a_pair_is_named_once_even_where_all_lie_in_one_place():
    pairs = [("he", "she"), ("man", "woman"), ("he", "woman")]
    points = [Point(word, 0.1, 0.1) for word in ("he", "she", "man", "woman", "alone")]
    spec = arrows(pairs, points, **TITLES)
    assert sorted(words(spec)) == ["he", "man", "she", "woman"]
    assert len(layers(spec, "rule")[0]) == 3


def test_a_pair_without_both_places_is_left_out():
    spec = arrows([("he", "she"), ("man", "nobody")], [Point(word, 0, 1) for word in ("he", "she", "man")], **TITLES)
    assert sorted(words(spec)) == ["he", "she"]


def test_a_curve_joins_its_points_in_the_order_given_and_fills_the_chosen():
    points = [Point("10", 3, 1), Point("1", 1, 2), Point("5", 2, 3)]
    rows = layers(curve(points, **TITLES, chosen="1"), "point")[0]
    assert [(row["word"], row["order"], row["chosen"]) for row in rows] == [
        ("10", 0, False),
        ("1", 1, True),
        ("5", 2, False),
    ]


@given(st.lists(st.floats(-1e99, 1e99), max_size=8))
def test_a_scale_shows_every_value_with_room_to_spare(values):
    scale = scale_for(values, 0, 600)
    assert scale.low < scale.high
    assert all(0 <= scale(value) <= 600 for value in values)


# The forest

ROWS = (
    ForestRow("Flowers and insects, pleasant and unpleasant", 1.2, 0.6, 1.5, "substantial", hints={"p": "0.001"}),
    ForestRow("Science and arts", 0.4, None, 1.0, hints={"p": "0.2"}),
    ForestRow("Cisgender and transgender", -1.5, -1.7, 1.7, "small", hints={"p": "0.5"}),
)
AXES = {"x_title": "difference", "band": "interval"}


def test_the_forest_holds_every_number_in_the_order_given():
    spec = forest(ROWS, **AXES)
    drawn = layers(spec, "point")
    assert [(row["label"], row["estimate"], row["hint0"]) for row in drawn[0]] == [
        (row.label, row.estimate, row.hints["p"]) for row in ROWS
    ]
    assert [(row["low"], row["high"]) for row in drawn[0]] == [(0.6, 1.5), (None, None), (-1.7, 1.7)]
    assert [row["outcome"] for row in drawn[0]] == ["substantial", "cannot tell", "small"]


def explained(spec):
    return encodings(spec, "point")[0]["shape"]["scale"]["domain"]


def test_the_legend_explains_what_is_drawn_and_nothing_else():
    assert explained(forest(ROWS, **AXES)) == ["substantial", "small", "cannot tell", "interval"]
    assert explained(forest([ForestRow("a", 1.0)], **AXES)) == ["cannot tell"]
    assert explained(forest([ForestRow("a", 1.0, 0.5, 2.0, "present")], **AXES)) == ["present", "interval"]


@pytest.mark.parametrize("width", [340, 860, 1000])
def test_no_line_of_a_label_is_wider_than_its_room(width):
    labels = ["word" * times for times in (1, 10, 40)]
    spec = forest([ForestRow(label, 1.0, below=label) for label in labels], **AXES, width=width)
    room = spec["width"] if width == 340 else width - spec["width"]
    for row, label in zip(layers(spec, "point")[0], labels, strict=True):
        for line in (row["label"], row["below"]):
            assert line == label or (line.endswith("…") and label.startswith(line[:-1]))
            assert text_width(line) <= room
        assert row["title"] == f"{label}, {label}"  # on hover it is whole


def test_every_chart_is_as_wide_as_it_is_told():
    points = spread(12)
    for width in (340, 860):
        for name, spec in all_charts(points, width=width).items():
            assert width - 380 < spec["width"] < width, name


# Any chart


def all_charts(points, **width):
    """The same words drawn in every way."""
    pairs = [(one.word, other.word) for one, other in zip(points[::2], points[1::2], strict=False)]
    name = points[0].word if points else ""
    tests = [
        ForestRow(p.word, p.x, p.y - 1, p.y, outcome, hints=p.hints)
        for p, outcome in zip(points, cycle(OUTCOMES), strict=False)
    ]
    return {
        "scatter": scatter(points, x_title=name, y_title=name, line="diagonal", labels=len(points), **width),
        "strip": strip(points, x_title=name, ends=(name, name), labels=len(points), **width),
        "arrows": arrows(pairs, points, x_title=name, y_title=name, ends=(f"{name} first", f"{name} second"), **width),
        "curve": curve(points, x_title=name, y_title=name, chosen=name, **width),
        "forest": forest(tests, x_title=name, band=f"{name} band", **width),
    }


@pytest.mark.parametrize("name", ["scatter", "strip", "arrows", "curve"])
def test_the_data_are_the_points_given(name):
    points = [*spread(9, "one"), Point("last", 0.25, 0.125, "two", {"births": "12"})]
    spec = all_charts(points)[name]
    drawn = [row for rows in layers(spec, "point") for row in rows]
    assert {(row["word"], row["x"]) for row in drawn} == {(point.word, point.x) for point in points}
    if name != "strip":
        assert {row["word"]: row["y"] for row in drawn} == {point.word: point.y for point in points}
    assert [row["hint0"] for row in drawn if row["word"] == "last"] == ["12"]


@pytest.mark.parametrize("value", NOWHERE)
def test_what_has_no_place_is_left_out_and_the_rest_drawn(value):
    points = [*spread(6), Point("nowhere", value, 0.0), Point("nowhere", 0.0, value)]
    for name, spec in all_charts(points).items():
        json.dumps(spec, allow_nan=False)
        found = [row for row in every(spec) if "nowhere" in (row.get("word"), row.get("label"))]
        # A test has a place by its effect alone.
        assert all(row["estimate"] == 0 and row["low"] is None for row in found if "estimate" in row), name
        assert name in ("forest", "strip") or not found


@pytest.mark.parametrize("points", [[], [Point("a", 0, 0)], [Point("b", 5e-324, 1), Point("c", 0, 1)]])
def test_few_points_and_points_in_one_place_are_drawn(points):
    for spec in all_charts(points).values():
        for encoding in encodings(spec, "point"):
            low, high = encoding["x"].get("scale", {"domain": (0, 1)})["domain"]
            assert low < high


def test_no_meaning_is_told_by_colour_alone():
    points = [point for group in "abc" for point in spread(5, group)]
    for name, spec in all_charts(points).items():
        for encoding in encodings(spec, "point"):
            if "shape" in encoding:
                shapes, fills = (encoding[channel]["scale"]["range"] for channel in ("shape", "fill"))
                looks = [(shape, fill == "var(--paper)") for shape, fill in zip(shapes, fills, strict=True)]
                assert len(set(looks)) == len(looks), name


def test_words_never_become_part_of_an_expression():
    name = '\\", alert(1), "\n'
    for spec in all_charts([Point(name, 0, 1, hints={name: name}), *spread(3)]).values():
        for encoding in (layer["encoding"] for layer in spec["layer"]):
            for hint in encoding.get("tooltip", []):
                assert not set(hint["title"]) & set("\\\n\u2028")
                assert hint["field"] in {"word", "title", "x", "y", "estimate", "low", "high", "published", "hint0"}
        assert "alert" not in json.dumps([(layer["mark"], layer.get("transform")) for layer in spec["layer"]])


def test_a_key_on_hover_is_never_taken_for_a_picture():
    spec = scatter(spread(3), x_title="image", y_title="title")
    assert [hint["title"] for hint in encodings(spec, "point")[0]["tooltip"]] == ["title", "Image", "Title"]


@pytest.mark.parametrize(
    "spec",
    [
        forest([ForestRow("a test", 0.5, 0.1, 0.9, "strong"), ForestRow("other", -0.2)], **AXES),
        scatter(spread(30, "one") + spread(20, "two"), **TITLES, line="diagonal"),
        strip(spread(30), x_title="place", ends=("she", "he")),
        arrows([("word0", "word1"), ("word2", "word3")], spread(4), **TITLES, ends=("first", "second")),
        curve(spread(5), **TITLES, chosen="word1"),
    ],
    ids=("forest", "scatter", "strip", "arrows", "curve"),
)
def test_a_specification_follows_the_schema_that_building_it_does_not_check(spec):
    altair.LayerChart.from_dict(spec, validate=True)
    with pytest.raises(jsonschema.ValidationError, match="wide"):
        altair.LayerChart.from_dict(spec | {"width": "wide"}, validate=True)
