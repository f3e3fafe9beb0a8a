"""One table, many writers: what a reader of each format gets back is what the cells held."""

import csv
import io
import json
import re
from html.parser import HTMLParser

import pytest
from django.template import Context, Template
from hypothesis import given
from hypothesis import strategies as st

from common.tables import csv as csv_writer
from common.tables import json as json_writer
from common.tables.formats import download, formats
from common.tables.latex import Paper, latex
from common.tables.markdown import markdown
from common.tables.table import (
    Cell,
    Column,
    Document,
    Paragraph,
    Points,
    Records,
    Row,
    Section,
    Table,
    counts,
    one_line,
    table,
)
from common.tables.tex.letters import escaped
from common.tables.text import Style, text

COLUMNS = (Column("name", "Name", numeric=False, short=""), Column("value", "Value", main=True))
HOSTILE = [
    'a "quoted" word', "two\nlines", "a | pipe", "a\\b", "*bold* _it_ `code` <b> $x$ ~~s~~", "[a](b)",
    "&amp;", "100 % of #1 & {x}_y^2~z", "\x00nul\x1b[31m",
    "=1+1", "@sum", "- item", "# head", "κ ≥ 0", "", "x" * 400,
    "tail #", "a\r\nb",
]  # fmt: skip


def of(*rows, **more):
    """A table of (name, words, value)."""
    return table(
        COLUMNS, [Row((Cell(name, name), Cell(words, value))) for name, words, value in rows], **more
    )


def records(*rows):
    """The same for scripts, without the words."""
    return Records(("name", "value"), [{"name": name, "value": value} for name, _, value in rows])


def document(found):
    return Document("", (found,))


class TestText:
    def test_columns_stand_under_each_other_and_sentences_are_wrapped(self):
        found = Document(
            "A report",
            (
                Paragraph("No person.", loud=True),
                of(("one", "1.0", 1.0), ("three", "12.5", 12.5), title="By size", beneath="95 % intervals"),
                Points(("word " * 30, "short"), heading="Notes:"),
            ),
        )
        assert text(found, Style(width=40)) == (
            "A report\n\nNO PERSON.\n\n"
            "By size (95 % intervals below the\nvalues)\n"
            "       Value\none      1.0\nthree   12.5\n\n"
            "Notes:\n"
            "- word word word word word word word\n  word word word word word word word\n"
            "  word word word word word word word\n  word word word word word word word\n"
            "  word word\n- short\n"
        )

    def test_small_print_has_a_line_of_its_own_and_footnotes_have_letters(self):
        rows = [
            Row((Cell("Kappa", short="kappa"), Cell("0.5", 0.5, below="[0.1, 0.9]"))),
            Row((Cell("Alpha"), Cell("—", note="Too few items."))),
            Row((Cell("ada", badge="simulated"), Cell("—", note="Nobody."))),
        ]
        assert text(document(table(COLUMNS, rows))).splitlines() == [
            "                      Value",
            "kappa                   0.5",
            "                 [0.1, 0.9]",
            "Alpha                 — (a)",
            "ada (simulated)       — (b)",
            "(a) Alpha: Too few items.",
            "(b) ada: Nobody.",
        ]

    @pytest.mark.parametrize("words", HOSTILE)
    def test_a_row_is_a_line_whatever_it_holds(self, words):
        lines = text(document(of((words, "1", 1), ("next", "2", 2)))).splitlines()
        assert len(lines) == 3
        assert not re.search(r"[\x00-\x1f]", "".join(lines))

    def test_without_rows(self):
        assert text(document(of())) == "  Value\n"
        assert text(document(of()), Style(heads=False, indent=2, empty="none")) == "  none\n"
        assert text(Document("Only", ())) == "Only\n"


def cells_of(line):
    """The cells of a line of a Markdown table, read as CommonMark and GFM do."""
    cells = re.split(r"(?<!\\)\|", re.sub(r"\\\\", "\x01", line))[1:-1]
    return [re.sub(r"\\([!-/:-@\[-`{-~])", r"\1", cell.strip()).replace("\x01", "\\") for cell in cells]


class TestMarkdown:
    @pytest.mark.parametrize("words", HOSTILE)
    def test_cells_come_back(self, words):
        head, rule, line, after = markdown(document(of((words, "1", 1), ("next", "2", 2)))).splitlines()
        assert cells_of(head) == ["Name", "Value"]
        assert rule == "| :-- | --: |"
        assert cells_of(line) == [one_line(words).strip(), "1"]
        assert cells_of(after) == ["next", "2"]

    @given(st.text(), st.text())
    def test_any_words_come_back(self, name, words):
        lines = markdown(document(of((name, words, 1)))).split("\n")
        assert cells_of(lines[2]) == [one_line(name).strip(), one_line(words).strip()]

    @pytest.mark.parametrize("sign", ["\\", "`", "*", "_", "<", "$", "~", "|", "^"])
    def test_no_sign_of_markdown_stands_bare(self, sign):
        assert f"a \\{sign} b" in markdown(document(of((f"a {sign} b", "1", 1))))

    def test_nobody_is_cited(self):
        """Pandoc takes @ before a name for a citation, and inside a word, as in recall@5, for itself."""
        line = markdown(document(of(("(@smith) -@{smith 1} recall@5 a @ b", "1", 1)))).splitlines()[2]
        assert line == r"| (\@smith) -\@{smith 1} recall@5 a @ b | 1 |"

    def test_a_sentence_makes_no_list_or_heading(self):
        found = markdown(
            Document("# 1", (Paragraph("1. first"), Paragraph("- x"), Points(("# y", "2) z", "+ a"))))
        )
        assert found == "# # 1\n\n1\\. first\n\n\\- x\n\n- \\# y\n- 2\\) z\n- \\+ a\n"

    def test_everything_of_a_table(self):
        found = Table(
            COLUMNS,
            (
                Section((Row((Cell("a"), Cell("1", below="[0, 2]"))),)),
                Section((Row((Cell("b", link="/b/"), Cell("—", note="None."))),), heading="More"),
            ),
            title="T",
            caption="How to read it.",
            beneath="95 % intervals",
        )
        assert markdown(document(found)) == (
            "### T\n\nHow to read it.\n\n95 % intervals stand beside the values.\n\n"
            "| Name | Value |\n| :-- | --: |\n| a | 1 [0, 2] |\n| *More* |  |\n| [b](</b/>) | — (a) |\n\n"
            "- (a) b: None.\n"
        )


class TestCsvAndJson:
    @pytest.mark.parametrize("words", [each for each in HOSTILE if not csv_writer.is_formula(each)])
    def test_text_comes_back(self, words):
        written = csv_writer.written(records((words, "x", None)))
        assert list(csv.reader(io.StringIO(written, newline=""))) == [["name", "value"], [words, ""]]

    @pytest.mark.parametrize(
        "words", ["=1+1", "+1", "-1", "@a", "\t=1", " \u200b=1", "\uff1d1", "\u22121", "\r\n="]
    )
    def test_no_text_is_calculated(self, words):
        assert csv_writer.cell(words) == "'" + words

    @pytest.mark.parametrize("sign", list("=+-@\t\r\n"))
    @pytest.mark.parametrize(
        "unseen",
        ["\u202e", "\u2066", "\u00ad", "\u180e", "\x00", "\u061c", "\ufe0f", "\U000e0041", "\x1b\u00ad"],
    )
    def test_X05_nothing_is_calculated_behind_what_does_not_show(self, unseen, sign):
        assert csv_writer.cell(f"{unseen}{sign}1") == f"'{unseen}{sign}1"
        assert csv_writer.cell(f"{unseen}lamp") == f"{unseen}lamp"

    def test_X05_the_name_of_a_column_is_not_calculated_either(self):
        assert csv_writer.written(Records(("=a", "b"), [{"=a": 1, "b": 2}])) == "'=a,b\n1,2\n"
        assert list(csv_writer.lines([{"\u202e=a": 1}])) == ["'\u202e=a\n", "1\n"]

    def test_values_have_full_precision_and_numbers_no_apostrophe(self):
        found = Records(("a", "b", "c", "d", "e"), [{"a": -0.1, "b": True, "c": [1, "ü"], "d": 1 / 3}])
        assert csv_writer.written(found) == f'a,b,c,d,e\n-0.1,true,"[1, ""ü""]",{1 / 3!r},\n'

    @pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
    def test_what_is_no_number_is_refused(self, number):
        for write in (csv_writer.cell, json_writer.written, json_writer.line, json_writer.compact):
            with pytest.raises(ValueError, match="not JSON compliant"):
                write(number)

    @given(st.recursive(st.none() | st.booleans() | st.integers() | st.text(), st.lists, max_leaves=5))
    def test_json_comes_back_on_one_line(self, data):
        assert json.loads(json_writer.line(data)) == json.loads(json_writer.written(data)) == data
        assert len(json_writer.line(data).splitlines()) == 1

    def test_named_tuples_are_objects(self):
        found = {"rows": (Section((), "a"),), "n": 1}
        assert json_writer.plain(found) == {"rows": [{"rows": [], "heading": "a"}], "n": 1}

    def test_without_rows_the_header_stays(self):
        assert csv_writer.written(records()) == "name,value\n"


class TestLatex:
    @pytest.mark.parametrize("words", HOSTILE)
    def test_a_cell_is_a_cell(self, words):
        [line] = [
            each for each in latex(Paper(of((words, "1", 1)), "x")).splitlines() if each.endswith(r"& 1 \\")
        ]
        cell = re.sub(r"\\[&%#_{}$,]|\$[^$]*\$", "", line.removesuffix(r" & 1 \\").replace(r"\{}", ""))
        cell = re.sub(r"\\(?:text[a-z]+|allowbreak)\{\}", "", cell)
        assert not re.search(r"[\\$&#%_~^<>\x00-\x1f]", cell)

    def test_every_part(self):
        found = Table(
            (Column("name", "Name", numeric=False), Column("n", "n", latex="$n$")),
            (
                Section((Row((Cell("a_b"), Cell("1,200", 1200, below="[1, 2]"))),)),
                Section((Row((Cell("c"), Cell("—", note="Too few."))),), heading="More"),
            ),
            caption="50 % of all",
        )
        paper = Paper(found, "t", "Programs!", ("Last.", ""), wide=True)
        expected = (
            "% \\usepackage{booktabs}\n% PROGRAMS!\n\\begin{table}\n\\centering\\sloppy\n\\caption"
            "{\\textbf{Programs!} 50\\,\\% of all}\n\\label{tab:t}\n\\begin{tabular}{@{}lr@{}}\n\\toprule\n"
            "Name & $n$ \\\\\n\\midrule\na\\_b & 1200 \\\\\n & {\\scriptsize [1, 2]} \\\\\n\\midrule\n"
            "\\multicolumn{2}{@{}l@{}}{\\emph{More}} \\\\\nc & ---$^{a}$ \\\\\n\\bottomrule\n\\end{tabular}\n"
            "\\par\\smallskip{\\footnotesize $^{a}$~Too few.}\n\\par\\smallskip{\\footnotesize Last.}\n"
            "\\end{table}\n"
        )
        assert latex(paper) == expected
        assert latex(paper, columns=2) == expected.replace("{table}", "{table*}")
        assert latex(paper._replace(wide=False), columns=2) == expected

    def test_a_problem_is_a_comment_on_one_line(self):
        assert latex(Paper(of(), "t", problem="No\nnumbers % yet")) == "% No numbers\\,\\% yet\n"

    def test_words_without_signs_stay(self):
        assert escaped("Brontë") == "Brontë"


class Page(HTMLParser):
    """The texts of a table's cells, and its tags."""

    def __init__(self, html):
        super().__init__()
        self.rows, self.tags = [], []
        self.feed(html)

    def handle_starttag(self, tag, attrs):
        self.tags.append((tag, dict(attrs)))
        if tag == "tr":
            self.rows.append([])
        if tag in ("th", "td"):
            self.rows[-1].append("")

    def handle_data(self, data):
        if self.rows and self.rows[-1]:
            self.rows[-1][-1] += data


def html(found, arguments="id='x' css='few'"):
    return Template(f"{{% load tables %}}{{% table found {arguments} %}}").render(Context({"found": found}))


class TestHtml:
    @pytest.mark.parametrize("words", [each for each in HOSTILE if "\x00" not in each])
    def test_cells_come_back(self, words):
        page = Page(html(of((words, "1", 1))))
        assert [[cell.strip() for cell in row] for row in page.rows] == [
            ["Name", "Value"],
            [words.strip(), "1"],
        ]

    def test_scopes_and_classes(self):
        page = Page(html(of(("a", "1", 1), title="T", totals=Row((Cell("All"), Cell(""))))))
        assert ("th", {"scope": "row"}) in page.tags
        assert ("td", {"class": "num value"}) in page.tags
        assert (
            "div",
            {"class": "table-wrap", "role": "region", "aria-labelledby": "x", "tabindex": "0"},
        ) in page.tags
        assert ("tr", {"class": "total"}) in page.tags
        assert ("div", {"class": "table-wrap", "role": "region", "aria-label": "T", "tabindex": "0"}) in Page(
            html(of(title="T"), "")
        ).tags

    def test_counts_have_a_bar_each(self):
        found = counts(Column("size", "Size"), "Items", {3: 4, 0: 1, 1: 0}, "Five items.")
        page = Page(html(found))
        assert [row[:2] for row in page.rows] == [["Size", "Items"], ["0", "1"], ["1", "0"], ["3", "4"]]
        bars = [attributes["width"] for tag, attributes in page.tags if tag == "rect"]
        assert bars == ["25.00%", "0.00%", "100.00%"]
        assert counts(Column("size", "Size"), "Items", {0: 0}, "").rows[0].cells[2].bar == 0

    def test_nothing_is_a_dash_in_a_result_and_blank_beside_it(self):
        rows = [Row((Cell("a"), Cell(""))), Row((Cell("random", spoken=", a"), Cell("")), aside=True)]
        page = Page(html(table(COLUMNS, rows, totals=Row((Cell("All"), Cell(""))))))
        assert [row[1].strip() for row in page.rows[1:]] == ["—", "", ""]
        assert page.rows[2][0].strip() == "random, a"


FORMATS = formats(
    lambda found: Document("T", (of(*found),)),
    lambda found: found,
    lambda found: records(*found),
    lambda found: Paper(of(*found), "t"),
)


class TestFormats:
    def test_each_is_a_file_with_its_name_and_type(self):
        for name, form in FORMATS.items():
            reply = download(FORMATS, name, [("a", "1", 1)], "it")
            assert reply["Content-Disposition"] == f'attachment; filename="it.{form.extension}"'
            assert "a" in reply.content.decode()
        assert list(FORMATS) == ["table", "json", "csv", "latex", "latex-twocolumn", "markdown"]

    def test_another_one_is_refused_in_a_sentence(self):
        reply = download(FORMATS, "xlsx", [], "it")
        assert (reply.status_code, reply.content.decode()) == (
            400,
            "A report comes as table, json, csv, latex, latex-twocolumn, markdown, "
            "and not in the format asked for.\n",
        )

    def test_the_page_links_to_all(self):
        links = Template("{% load tables %}{% downloads found %}").render(Context({"found": FORMATS}))
        assert re.findall(r'href="\?format=([\w-]+)">([^<]+)', links) == [
            ("csv", "CSV"),
            ("json", "JSON"),
            ("latex", "LaTeX, one column"),
            ("latex-twocolumn", "LaTeX, two columns"),
            ("markdown", "Markdown"),
            ("table", "Plain text"),
        ]


class TestGroups:
    """Columns under a common heading."""

    COLUMNS = (
        Column("name", "Name", numeric=False),
        Column("a", "A", group="Early"),
        Column("b", "B", group="Early"),
        Column("c", "C", group="Late"),
    )

    def found(self):
        cells = (Cell("x", "x"), *(Cell(str(n), n, below=f"[{n}]") for n in range(3)))
        return table(self.COLUMNS, [Row(cells)], title="Numbers", caption="Some.")

    def test_neighbours_of_one_group_are_counted(self):
        assert self.found().groups == (("", 1), ("Early", 2), ("Late", 1))
        assert of(("x", "1", 1)).groups == ()

    def test_text_has_a_line_of_groups_above_the_headings(self):
        lines = text(document(self.found())).splitlines()
        assert [each.split() for each in lines[1:3]] == [["Early", "Late"], ["Name", "A", "B", "C"]]

    def test_markdown_names_the_group_with_each_column(self):
        assert "| Name | Early: A | Early: B | Late: C |" in markdown(document(self.found()))

    def test_latex_sets_groups_over_their_columns_with_a_rule(self):
        written = latex(Paper(self.found(), "numbers"))
        assert " & \\multicolumn{2}{c}{Early} & \\multicolumn{1}{c}{Late} \\\\" in written
        assert "\\cmidrule(lr){2-3} \\cmidrule(lr){4-4}" in written

    def test_pages_say_which_columns_a_group_heads(self):
        shown = Template("{% load tables %}{% table found %}").render(Context({"found": self.found()}))
        assert '<th scope="colgroup" colspan="2">Early</th>' in shown
        plain = Template("{% load tables %}{% table found %}").render(Context({"found": of(("x", "1", 1))}))
        assert "colgroup" not in plain
