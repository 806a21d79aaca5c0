# ruff: noqa: RUF001
"""What figures say: titles with numbers of the records, one direction of ratios, and short captions."""

from __future__ import annotations

import re
from collections.abc import Sequence
from typing import Any

import pytest

from drawn_figures import content_of, made, title
from fabricated import changed, fast, graph_info, measured, phases, trial, warm
from retrace.publish.chart_words import MOST_WORDS, caption, described, heading
from retrace.publish.panels import FigureContent
from retrace.publish.plain_names import plain_label
from retrace.records.record import Record
from retrace.reports.report import Drawing, load_reports
from retrace.reports.wording import comparative, speed

COPY = Drawing(
    experiment="bellman-ford-transfer",
    title="The copy",
    finding="pageable memory is {pageable over pinned as pinned}",
    y="upload",
    series={"pageable": "dense", "pinned": "pinned"},
)


def copies(ratios: Sequence[float], **changes: Any) -> list[Record]:
    """Fabricate copies from pinned memory, and from pageable memory that take as many times as long."""
    return [
        measured(f"bellman-ford/{name}", "bellman-ford-transfer", graph_info(f"dense-{size}", vertices=size),
                 [trial(1.0, upload=ms * f) for f in (1, 1.001, 1.002)], **changes)
        for size, times in zip((256, 512, 1024, 2048, 4096), ratios, strict=False)
        for name, ms in (("pinned", 1.0), ("dense", times))
    ]  # fmt: skip


def said(records: Sequence[Record], finding: str = COPY.finding) -> str:
    return title("an-bellman-ford", COPY.model_copy(update={"finding": finding}), records)


@pytest.mark.parametrize(
    ("over", "words"),
    [(2, "2.0 × slower"), (0.5, "2.0 × faster"), (1.16, "16 % slower"), (0.125, "8.0 × faster"),
     (1.001, "as fast"), (1234, "1,200 × slower"), (1 / 15.3, "15 × faster")],
)  # fmt: skip
def test_a_ratio_has_two_digits_and_a_direction(over: float, words: str) -> None:
    assert comparative(over).replace("\N{NO-BREAK SPACE}", " ") == words
    joined = "as" if words == "as fast" else "than"
    assert comparative(over, "that") == f"{speed(1 / over)} {joined} that"


def test_a_title_says_the_ratio_on_the_largest_graph_and_where_it_is_the_other_way_round() -> None:
    assert said(copies([2, 3, 4])) == "Pageable memory is 4.0 × slower than pinned at 2¹⁰ vertices"
    turned = said(copies([1.5, 0.5, 2, 4]))
    assert turned == "Pageable memory is 4.0 × slower than pinned at 2¹¹ vertices, 2.0 × faster at 2⁹"
    second = copies([7, 7, 7], machine="h300")
    assert said(copies([2, 3, 4]) + second) == said(copies([2, 3, 4]))  # of the first machine
    assert said([]) == COPY.title


def test_a_title_calls_nothing_faster_that_cannot_be_told_apart() -> None:
    wide = [
        changed(one, trials=[trial(1.0, upload=ms) for ms in (1.0, 1.1 + 0.01 * number, 1.5)])
        for number, one in enumerate(copies([1.0]))
    ]
    words = "Pageable memory is 1 % slower than pinned (within run-to-run noise)"
    assert said(wide).startswith(words)


def test_a_title_says_a_great_difference_and_why_it_cannot_be_told() -> None:
    wide = [
        changed(one, trials=[trial(1.0, upload=ms) for ms in (0.1, 1.0 + 4.0 * number, 9.0)])
        for number, one in enumerate(copies([1.0]))
    ]
    assert re.search("× (faster|slower) than pinned .within run-to-run noise", said(wide))
    few = [changed(one, trials=one.trials[:1]) for one in copies([2.0])]
    assert "2.0 × slower than pinned (too few trials to tell)" in said(few)


def test_a_title_compares_nothing_of_two_commits() -> None:
    first, *others = copies([2, 3, 4])
    other = changed(first, software=first.software.model_copy(update={"git_commit": "9" * 40}))
    assert said([other, *others]) == said(copies([2, 3, 4]))
    later = others[-1].software.model_copy(update={"git_commit": "9" * 40})
    assert "3.0 × slower" in said([first, *others[:-1], changed(others[-1], software=later)])


def test_a_share_is_said_at_both_ends() -> None:
    shares = title("an-bellman-ford", "bellman-ford-share", copies([1, 3, 9]))
    assert re.findall(r"(\d+ %).*? (?:at) (2\S+)", shares) == [("90 %", "2¹⁰"), ("50 %", "2⁸")]


def test_a_title_says_where_a_line_is_the_lowest() -> None:
    records = [made("hong-bfs-queue", "bfs/block-queue", "NY", ms, parameters={"block_queue_size": size})
               for size, ms in ((8, 3.0), (64, 1.0), (512, 1.4))]  # fmt: skip
    told = title("hong-bfs", "hong-bfs-queue", records)
    assert told.endswith("fastest at 64 (1.00 ms), 3.0 × slower at 8, 40 % slower at 512")
    few = [changed(records[0], trials=records[0].trials[:1]), *records[1:]]
    told = title("hong-bfs", "hong-bfs-queue", few)
    assert told.endswith("3.0 × slower (too few trials to tell) at 8, 40 % slower at 512")
    alike = [changed(one, trials=[trial(ms) for ms in (1.0, 1.5 + number / 10, 2.0)])
             for number, one in enumerate(records)]  # fmt: skip
    assert title("hong-bfs", "hong-bfs-queue", alike).endswith(
        "alike, 1.50 ms to 1.70 ms: no difference can be told"
    )


def test_a_title_of_graphs_says_the_first_and_one_that_is_the_other_way_round() -> None:
    times = {("bsp", "NY"): 6, ("queue", "NY"): 3, ("bsp", "NW"): 1, ("queue", "NW"): 4}
    records = [made("table-3.3", f"bfs/{name}", graph, ms) for (name, graph), ms in times.items()]
    told = title("bsp-suite", "figure-3.3", records)
    assert told.startswith(
        "The GPU is 4.0 × faster than one core on the roads of the Northwest, 2.0 × slower on "
    )
    assert told.endswith("in print: 10 × faster")  # 10.6 s over 1.06 s, on the same graph
    told = title("bsp-suite", "figure-3.3", [one for one in records if one.graph.name == "NY"])
    assert told.endswith("in print: 10 × faster")  # 3.52 s over 341 ms


def test_of_equal_graphs_the_one_that_others_are_named_after_is_in_the_title() -> None:
    own = made("weights", "sssp/bsp", "NY", 3)
    unit = changed(
        made("weights", "sssp/bsp", "NY", 2),
        graph=own.graph.model_copy(update={"name": "NY-unit", "sha256": "1" * 64}),
    )
    ranked = Drawing(experiment="weights", title="Weights", kind="bars")
    assert "roads of New York" in title("bsp-suite", ranked, [unit, own])


def test_a_graph_of_a_sample_names_its_sources_once() -> None:
    assert plain_label("NY-1056, 1056 sources") == "the roads of New York, 1056 sources"
    assert plain_label("NW (weights generated)") == "the roads of the Northwest (weights generated)"
    assert plain_label("random-20-5") == "random-20-5"


def test_medians_rank_and_are_quoted_not_minima() -> None:
    often = {"bsp": [1.0, *[20.0] * 8], "queue": [8.0, *[9.0] * 8]}
    records = [
        measured(f"bfs/{name}", "table-3.3", "NY", [trial(ms) for ms in times])
        for name, times in often.items()
    ]
    told = title("bsp-suite", "table-3.3", records)
    assert "queue" in told.split("(9.00 ms)")[0]
    assert told.endswith("2.2 × faster than bsp")


def test_what_cannot_be_ranked_is_not_called_the_fastest() -> None:
    times = {"bsp": [9.0, 10.0, 12.0], "queue": [8.0, 11.0, 13.0]}
    records = [measured(f"bfs/{name}", "table-3.3", "NY", [trial(ms) for ms in some])
               for name, some in times.items()]  # fmt: skip
    assert title("bsp-suite", "table-3.3", records).endswith("bsp (10.0 ms) and queue cannot be told apart")
    few = measured("bfs/queue", "table-3.3", "NY", [trial(110.0), trial(110.0)])
    told = title("bsp-suite", "table-3.3", [records[0], few])
    assert not re.search("faster|slower", told)


def test_what_was_measured_elsewhere_is_not_ranked_with_the_fastest() -> None:
    first, second, third = (made("table-3.3", f"bfs/{name}", "NY", ms)
                            for name, ms in (("bsp", 3), ("block-queue", 6), ("queue", 4)))  # fmt: skip
    later = third.software.model_copy(update={"git_commit": "9" * 40})
    told = title("bsp-suite", "table-3.3", [first, second, changed(third, software=later)])
    assert told.endswith("bsp (3.00 ms) is 2.0 × faster than block-queue")
    told = title("bsp-suite", "table-3.3", [first, changed(third, software=later)])
    assert told.endswith("bsp takes 3.00 ms")


# ----- what is fast today


def test_the_title_of_today_compares_ours_with_kernels_and_libraries_by_each_measure() -> None:
    """NY's first search takes ours 1.11 ms, the kernel 15.4 and the library 96.3 times as long."""
    york = [one for one in warm(fast("h200", True)) if one.graph.name == "NY"]
    told = title("today", "fast-bfs", york)
    assert told == (
        "BFS on the roads of New York: our first search is 15 × faster than published kernels and "
        "96 × faster than libraries, a further one is 28 × faster than published kernels and "
        "11 × faster than libraries"
    )
    few = [changed(one, trials=one.trials[:1]) if one.solver == "bfs/gapbs" else one for one in york]
    assert "96 × faster than libraries (too few trials to tell)" in title("today", "fast-bfs", few)
    few = [
        changed(one, trials=one.trials[:1]) if one.graph.name == "NY" and one.solver == "bfs/gapbs" else one
        for one in warm(fast("h200", True))
    ]
    assert " × faster than libraries (1 cannot be told)" in title("today", "fast-bfs", few)
    every = title("today", "fast-bfs", warm(fast("h200", True)))
    assert "told" not in every
    assert re.match(r"BFS on 4 graphs: our first search is [\d.]+ to \d+ × faster than published", every)
    alone = title("today", "fast-bfs", warm(fast("h200", True), "bfs/cluster", "bfs/direction"))
    assert "further" not in alone  # of which no other has a time
    assert title("today", "fast-bfs", fast("local", False)) == "Breadth-first search today"


def test_what_is_of_another_commit_or_precision_is_not_compared() -> None:
    today = warm(fast("h200", True))
    other = [
        changed(one, software=one.software.model_copy(update={"git_commit": "f" * 40}))
        if one.solver == "bfs/gapbs"
        else one
        for one in today
    ]
    assert "libraries" not in title("today", "fast-bfs", other)
    times = {
        ("vert-comp-virt", "double"): 90.0,
        ("lane-queues", "double"): 9.0,
        ("lane-queues", "float"): 1.0,
    }
    records = [
        changed(measured(f"betweenness/{name}", "fast-betweenness", "Gowalla", phases(0.0, ms)),
                parameters={"precision": precision}, observed={"allocation_ms": 0.0})
        for (name, precision), ms in times.items()
    ]  # fmt: skip
    assert "10 × faster" in title("today", "fast-betweenness", records)


def test_the_titles_of_distances_and_printed_times_are_counted() -> None:
    today = title("today", "limit-distance", warm(fast("h200", True)))
    assert len(re.findall(r"[\d.]+ ×", today)) == 2
    told = title("today", "rates", warm(fast("h200", True)))
    rate = 5 * 2**20 / (0.8 * 0.12e-3)
    assert f"{100 * rate * 1e-5 / (5 * 2**20):.0f} % (BFS, random-20-5)" in told  # a launch binds
    beside = title(
        "tuwien-sssp", "printed-and-measured", [made("table-2", "sssp/standard", "random-20-50", 18.8)]
    )
    assert re.match("1 of 1 printed times .* 10 × faster", beside)


# ----- what is below the title, and captions


def test_what_is_drawn_names_its_machines_and_what_was_not_timed() -> None:
    records = directions("h200", 2, 4, 8) + directions("h300", 2, 4, 8)
    content = content_of("an-bellman-ford", "bellman-ford-direction", records)
    assert described(content).endswith("on h200 and h300")
    assert "docs/adding-a-gpu.md" in described(content_of("an-bellman-ford", COPY, []))


def directions(machine: str, *times: float) -> list[Record]:
    return [
        made("bellman-ford-direction", f"bellman-ford/{name}", "random-14-5", ms, machine=machine)
        for name, ms in zip(("dense", "incoming", "outgoing"), times, strict=True)
    ]


def flat(content: FigureContent) -> list[str]:
    return [" ".join(paragraph.split()) for paragraph in caption(content).split("\n\n")]


def test_a_caption_has_few_words_and_then_what_few_ask_for() -> None:
    records = directions("h200", 2, 4, 8) + directions("h100", 2, 5, 8)
    short, details = flat(content_of("an-bellman-ford", "bellman-ford-direction", records))
    assert len(short.split()) <= MOST_WORDS
    assert short.endswith("Holds on h200 and h100.")
    assert "The claim is judged by:" in details
    records = directions("h200", 2, 4, 8) + directions("h100", 2, 1, 1)
    short, _ = flat(content_of("an-bellman-ford", "bellman-ford-direction", records))
    assert short.endswith("Holds on h200. Does not hold on h100.")


def test_a_caption_repeats_neither_the_title_nor_what_is_drawn() -> None:
    content = content_of("an-bellman-ford", "bellman-ford-direction", directions("h200", 2, 4, 8))
    text = " ".join(caption(content).split())
    assert heading(content) not in text
    assert described(content) not in text


def test_a_claim_of_many_words_is_left_to_its_page() -> None:
    claims = load_reports()["an-bellman-ford"].claims
    content = content_of("an-bellman-ford", "bellman-ford-direction", directions("h200", 2, 4, 8))
    assert content.report
    long = claims | {
        "edges-beat-vertices": claims["edges-beat-vertices"].model_copy(update={"says": "word " * 60})
    }
    told = FigureContent(content.drawing, content.frame, content.report.model_copy(update={"claims": long}))
    assert "word word" not in caption(told)


def test_a_caption_says_which_commits_it_mixes_and_what_names_stand_for() -> None:
    one, other = made("table-3.3", "bfs/bsp", "NY", 3), made("table-3.3", "bfs/queue", "NY", 4)
    assert "Mixed" not in caption(content_of("bsp-suite", "figure-3.3", [one, other]))
    later = changed(other, software=other.software.model_copy(update={"git_commit": "9" * 40}))
    text = " ".join(caption(content_of("bsp-suite", "figure-3.3", [one, later])).split())
    assert re.search(r"Mixed, of 2 commits: (\w+ \(1 record\),? ?){2}; times are", text)
    text = " ".join(caption(content_of("an-bellman-ford", "bellman-ford-share", copies([1, 3]))).split())
    assert "Shown are pageable (dense)." in text


def test_doubts_and_limits_are_explained_in_the_caption() -> None:
    text = " ".join(
        caption(content_of("tuwien-sssp", "figure-2", [made("table-2", "sssp/bsp", "NY", 1)])).split()
    )
    assert "Too fast to be what the head says" in text
    text = " ".join(caption(content_of("today", "fast-bfs", warm(fast("h200", True)))).split())
    assert "Limit of NY on h200: a launch (10.0 µs) and 620 levels" in text
    bare = [one for one in fast("h200", True) if one.problem != "limits"]
    text = " ".join(caption(content_of("today", "fast-bfs", bare)).split())
    assert "Limit of NY on h200: h200 has no record of limits/launch." in text
