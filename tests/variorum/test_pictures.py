"""Pictures: one value, placed on a page and drawn for print."""

import io
import xml.etree.ElementTree as ET

import pytest
from django.template import Context, Template

from common.pictures import page, squares
from common.pictures.marks import (
    SHARES,
    Bar,
    Chart,
    Curve,
    Dot,
    Dots,
    Grid,
    Scale,
    Shade,
    Tick,
    Upright,
    coefficients,
    counts,
)

DOTS = Dots(
    "found",
    "What was <found>",
    "Kappa 0.5; alpha −0.2.",
    (Dot("Kappa", "0.500 [0.1, 0.9]", 0.5, 0.1, 0.9, 0.0), Dot("Alpha & more", "−0.200", -0.2)),
    coefficients([0.1, -0.2]),
)
CHART = Chart(
    "chart",
    "Columns",
    "One, two and none.",
    Scale(0, 4, (Tick(0, "0"), Tick(2, "2"), Tick(4, "4"))),
    counts(4),
    bars=(Bar(0, 1, 4, "4"), Bar(1, 3, 2), Bar(3, 4, 0)),
    curves=(Curve("climbs", ((0, 0), (2, 1), (4, 4)), stepped=True),),
    upright=Upright(2),
    heading="Pairs",
    words="mean 2",
)


GRID = Grid(
    ("0 low", "1 high"),
    ("0", "1"),
    ((Shade("9", 0.9), Shade("1", 0.1)), (Shade("0", 0.0), Shade("4", 1.0))),
    "Gold",
    "Given",
    "grid",
    "Grades by gold",
    "0 low: 9, 1. 1 high: 0, 4.",
)


def svg(found):
    drawn = Template("{% load pictures %}{% picture found %}").render(Context({"found": found})).strip()
    return ET.fromstring(drawn)


class TestScales:
    @pytest.mark.parametrize(
        ("values", "low", "labels"),
        [
            ([0.2, 0.7], 0.0, ["0.00", "0.25", "0.50", "0.75", "1.00"]),
            ([-0.2], -0.5, ["−0.50", "0.00", "0.50", "1.00"]),
            ([-3.1], -3.5, ["−3.00", "−1.00", "1.00"]),
            ([], 0.0, ["0.00", "0.25", "0.50", "0.75", "1.00"]),
        ],
    )
    def test_coefficients_begin_where_they_must(self, values, low, labels):
        found = coefficients(values)
        assert (found.low, found.high) == (low, 1.0)
        assert [tick.label for tick in found.ticks] == labels

    def test_what_is_lower_stands_at_the_beginning(self):
        assert [SHARES.share(value) for value in (-1.0, 0.0, 0.5, 1.0)] == [0, 0, 0.5, 1]

    def test_counts_have_round_ticks_also_where_nothing_was_counted(self):
        assert [tick.label for tick in counts(2500).ticks] == ["0", "1,000", "2,000"]
        assert (counts(0).high, len(counts(0).ticks)) == (1, 1)


class TestPage:
    def test_values_stand_on_their_scale(self):
        first, second = page.dots(DOTS).dots
        # From -0.5 to 1 between the edges at 1.5 and 98.5 %.
        assert first.at == f"{1.5 + 97 * 1 / 1.5:.2f}%"
        assert (first.low, first.high) == (f"{1.5 + 97 * 0.6 / 1.5:.2f}%", f"{1.5 + 97 * 1.4 / 1.5:.2f}%")
        assert (second.low, second.high, second.chance) == ("", "", "")
        assert second.y_label > first.y

    def test_columns_stand_on_the_foot_and_nothing_is_not_drawn(self):
        placed = page.chart(CHART)
        assert [(bar.y, bar.height) for bar in placed.bars] == [("32.0", "180.0"), ("122.0", "90.0")]
        assert placed.bars[1].x == f"{1.5 + 97 / 4 + 0.2:.2f}%"
        assert placed.bars[1].width == f"{97 / 2 - 0.4:.2f}%"
        assert [tick.anchor for tick in placed.ticks] == ["start", "middle", "end"]
        assert placed.upright == ("50.00%", "32", "212")

    def test_a_stepped_curve_has_a_corner_before_each_point(self):
        [curve] = page.chart(CHART).curves
        assert curve.points == "0.00,100.00 50.00,100.00 50.00,75.00 100.00,75.00 100.00,0.00"

    def test_squares_stand_under_the_name_of_their_row_and_are_as_dark_as_their_share(self):
        placed = squares.grid(GRID)
        first, second = placed.lines
        assert (first.name, second.name) == ("0 low", "1 high")
        assert first.y_name < first.y < first.y_words < first.y + placed.tall < second.y_name
        assert second.y + placed.tall == placed.height
        assert [each.x for each in first.squares] == ["0.25%", "50.25%"]
        dark = [float(each.dark) for line in placed.lines for each in line.squares]
        assert sorted(dark) == [dark[2], dark[1], dark[0], dark[3]]
        drawn = svg(GRID)
        assert len(list(drawn.iter("rect"))) == 4
        assert {"Gold", "Given", "0 low", "9"} <= {each.text for each in drawn.iter("text")}

    @pytest.mark.parametrize("found", [DOTS, GRID, page.chart(CHART)], ids=["dots", "grid", "chart"])
    def test_whoever_does_not_see_it_hears_it(self, found):
        drawn = svg(found)
        picture = found if found in (DOTS, GRID) else CHART
        assert drawn.get("role") == "img"
        for attribute, part, words in (
            ("aria-labelledby", "title", picture.title),
            ("aria-describedby", "desc", picture.described),
        ):
            [named] = [each for each in drawn if each.get("id") == drawn.get(attribute)]
            assert (named.tag, named.text) == (part, words)

    def test_every_mark_is_drawn(self):
        drawn = svg(DOTS)
        assert [each.get("class") for each in drawn.iter("circle")] == ["dot", "dot"]
        assert sum(each.get("class") == "interval" for each in drawn.iter("line")) == 1
        assert sum(each.get("class") == "chance" for each in drawn.iter("line")) == 1
        assert {"Kappa", "Alpha & more", "0.500 [0.1, 0.9]"} <= {each.text for each in drawn.iter("text")}
        chart = svg(page.chart(CHART))
        assert len(list(chart.iter("rect"))) == 2
        assert len(list(chart.iter("polyline"))) == 1
        assert {"Pairs", "mean 2", "4", "climbs"} <= {each.text for each in chart.iter("text")}


class TestPaper:
    @pytest.fixture
    def paper(self):
        pytest.importorskip("matplotlib")
        from common.pictures import paper

        return paper

    def test_the_same_picture_is_the_same_bytes_and_says_what_is_written_over_it(self, paper):
        one, two = ([each.data for each in paper.draw([("dots", DOTS)], "svg", "Programs")] for _ in range(2))
        assert one == two
        assert one != [each.data for each in paper.draw([("dots", DOTS)], "svg")]

    def test_it_shows_the_values_of_the_page(self, paper):
        axes = paper.dots(DOTS).axes[0]
        assert [label.get_text() for label in axes.get_yticklabels()] == ["Kappa", "Alpha & more"]
        dots = [line.get_xdata()[0] for line in axes.lines if line.get_marker() == "o"]
        assert dots == [0.5, -0.2]

    def test_charts_beside_each_other_have_their_bars_strokes_curves_and_scales(self, paper):
        left, right = paper.drawn((CHART, CHART._replace(bars=(), upright=None))).axes
        assert [(each.get_x(), each.get_height()) for each in left.patches] == [(0, 4), (1, 2), (3, 0)]
        assert [each.get_width() for each in left.patches] == pytest.approx([0.92, 1.84, 0.92])
        assert [list(line.get_xdata()) for line in left.lines] == [[2, 2], [0, 2, 4]]
        (curve,) = right.lines
        assert (list(curve.get_ydata()), curve.get_drawstyle()) == ([0, 1, 4], "steps-post")
        assert left.get_title(loc="left") == "(a) Pairs, mean 2"
        assert [each.get_text() for each in left.get_xticklabels()] == ["0", "2", "4"]

    def test_series_of_bars_have_a_legend(self, paper):
        two = CHART._replace(bars=(Bar(0, 1, 4), Bar(1, 2, 3, series=1)), names=("Tokens", "Lemmata"))
        (axes,) = paper.drawn((two,)).axes
        assert [each.get_text() for each in axes.get_legend().get_texts()] == ["Tokens", "Lemmata"]
        assert len({each.get_facecolor() for each in axes.patches}) == 2

    def test_four_series_are_told_apart_and_a_fifth_is_refused_in_words(self, paper):
        names = ("Tokens", "Lemmata", "Stems", "Lines")
        four = CHART._replace(bars=tuple(Bar(at, at + 1, 4, series=at) for at in range(4)), names=names)
        (axes,) = paper.drawn((four,)).axes
        assert len({each.get_facecolor() for each in axes.patches}) == 4
        assert len({each.get_hatch() for each in axes.patches}) == 4
        with pytest.raises(ValueError, match="has 5 series of bars; at most 4 are drawn"):
            paper.drawn((four._replace(names=(*names, "Pages")),))

    def test_seven_charts_beside_each_other_are_all_drawn(self, paper):
        titles = [each.get_title(loc="left")[:3] for each in paper.drawn((CHART,) * 7).axes]
        assert titles == [f"({letter})" for letter in "abcdefg"]

    def test_a_grid_has_its_words_in_its_squares(self, paper):
        cells = ((Shade("1", 0.25), Shade("3", 0.75)), (Shade("0", 0.0), Shade("2", 1.0)))
        (axes,) = paper.drawn(Grid(("low $", "high $"), ("0", "1"), cells, "Gold", "Given")).axes
        assert [each.get_text() for each in axes.texts] == ["1", "3", "0", "2"]
        assert axes.texts[1].get_color() == "white"
        assert axes.images[0].get_array().tolist() == [[0.25, 0.75], [0.0, 1.0]]
        assert [each.get_text() for each in axes.get_yticklabels()] == ["low $", "high $"]
        assert (axes.get_ylabel(), axes.get_xlabel()) == ("Gold", "Given")

    @pytest.mark.parametrize("name", ["0", "1 a faint echo of it"])
    def test_names_of_rows_cut_nothing_off(self, paper, name):
        from matplotlib.image import imread

        cells = ((Shade("1", 1.0),) * 2,) * 2
        (found,) = paper.draw([("grid", Grid((name,) * 2, ("0", "1"), cells, "Gold", "Given"))], "png")
        whole = imread(io.BytesIO(found.data), format="png")
        assert whole[:, 0].min() == whole[-1].min() == 1, "white to the left and below"
