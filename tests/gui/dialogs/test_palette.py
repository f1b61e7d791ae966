"""Fuzzy matching: letters in order; together and at the beginnings of words are better."""

from __future__ import annotations

from gui.dialogs.palette import rank, score

TEXTS = ["File: Export picture…", "Edit: Copy picture", "Run: Play or pause", "File: Export timing CSVs…"]


def found(pattern: str) -> list[str]:
    return rank(pattern, TEXTS, str)


def test_all_letters_must_be_there_in_order() -> None:
    assert score("xz", "Export") is None
    assert score("trop", "Export") is None
    assert score("eprt", "Export") is not None


def test_an_empty_pattern_keeps_everything_in_order() -> None:
    assert found("") == TEXTS


def test_beginnings_of_words_win() -> None:
    assert found("filepic")[0] == "File: Export picture…"
    assert found("csv") == ["File: Export timing CSVs…"]
    assert found("pp")[0] in ("Run: Play or pause", "Edit: Copy picture")


def test_a_word_beats_its_letters_begun_in_an_earlier_word() -> None:
    """Menus come first: the letters of "race" are also in "Run: All sources", from the R of the menu on."""
    menu = ["Run: All sources…", "Run: Show the data race…", "Run: Trace selected variant", "Run: Race"]
    assert rank("race", menu, str)[0] == "Run: Race"
    assert rank("sources", menu, str) == ["Run: All sources…"]


def test_a_word_beats_its_letters_at_the_beginnings_of_two_words() -> None:
    """The letters of "trace" also begin "the" and "race"."""
    menu = ["Run: Show the data race…", "Run: Trace selected variant"]
    assert rank("trace", menu, str)[0] == "Run: Trace selected variant"


def test_case_and_spaces_do_not_matter() -> None:
    assert found("COPY PIC") == ["Edit: Copy picture"]


def test_letters_strewn_over_a_long_text_are_no_match() -> None:
    assert score("trial", "Tick Bellman-Ford: strided + flag, all edges") is not None
    assert rank("trial", ["Tick Bellman-Ford: strided + flag, all edges"], str) == []
    assert rank("trial", ["Run: Trials, warm-ups and time limit…"], str) != []


def test_words_of_text_and_keywords_match_in_any_order_after_better_matches() -> None:
    keywords = {"Set delta of near-far": "sssp-near-far.delta width of a bucket", "Run: Bucket list": ""}
    items = list(keywords)
    assert rank("far bucket", items, str, keywords.__getitem__) == ["Set delta of near-far"]
    assert rank("sssp-near", items, str, keywords.__getitem__) == ["Set delta of near-far"]
    assert rank("bucket", items, str, keywords.__getitem__) == ["Run: Bucket list", "Set delta of near-far"]
    assert rank("no such thing", items, str, keywords.__getitem__) == []
