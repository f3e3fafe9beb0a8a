"""The floors on real novels and critics."""

import pytest

from tests.retrieval import real_texts
from tests.retrieval.real_texts import findings

pytestmark = real_texts.needed


@pytest.mark.parametrize("novel", ["pride_and_prejudice", "persuasion"])
def test_helm_quotes_it_twelve_times_at_least(novel):
    found = findings("helm_1909_country_house_comedy", novel).found
    assert len(found) >= 12
    assert all(each.left or each.right for each in found)
    assert all(each.score >= 80 for each in found)


def test_borders_are_those_the_critic_drew():
    pride, sense = (
        [each.printed for each in findings("helm_1909_country_house_comedy", novel).found]
        for novel in ("pride_and_prejudice", "sense_and_sensibility")
    )
    assert any(each.startswith("Dear ma'am,") for each in pride), "two words before the interruption"
    assert any(each.startswith("You are very wrong") for each in sense), "who speaks is left out"
    assert any(each.startswith("Thomas and the table-cloth") for each in sense), "a word left out"


def test_no_context_takes_a_phrase_of_the_quotation_up_again():
    found = findings("helm_1909_country_house_comedy", "persuasion").found
    [sighs] = [each for each in found if each.printed.startswith("Personal size")]
    assert "“[…]”" in sighs.right[1].replace('"[', "“[").replace(']"', "]”")
    assert not any("bulky figure" in each for each in sighs.right)


def test_no_page_number_is_left_in_a_context():
    for novel in ("pride_and_prejudice", "persuasion"):
        for each in findings("helm_1909_country_house_comedy", novel).found:
            assert "{" not in " ".join((*each.left, *each.right))


@pytest.mark.parametrize("novel", ["frankenstein", "heart_of_darkness"])
def test_nothing_is_found_of_books_helm_does_not_quote(novel):
    assert findings("helm_1909_country_house_comedy", novel).found == []


def test_a_cancelled_chapter_printed_in_full_is_no_quotation():
    memoir = findings("austen_leigh_1871_memoir", "persuasion")
    assert memoir.found == []
    assert {"reprint", "unmarked"} <= {dropped.reason for dropped in memoir.dropped}
