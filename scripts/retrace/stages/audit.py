"""Print how the committed records are compared, and what that does to their numbers."""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from statistics import median

from retrace.planning.configuration import project_configuration
from retrace.records.repeatability import (
    BY_QUARTILES,
    EARLY_MS,
    FALSE_ALARMS,
    LEAST_PAIRS,
    Repeatability,
    compute_margins,
    early_beside_full,
    ended_early,
    repetitions,
)
from retrace.records.statistics import ENOUGH, LEAST_TRIALS
from retrace.reports.few_trials import ranked_by_few, with_few_trials
from retrace.reports.frame import Frame, Measured, read_frames
from retrace.reports.like_for_like import (
    CHOICE,
    PEER,
    SHOWN_TODAY,
    Cost,
    Preparation,
    Today,
    is_on_one_core,
    is_ours,
    overtaken,
    today,
    warm_over_cold,
)
from retrace.reports.measures import Measure
from retrace.reports.report import Report, report_paths
from retrace.reports.verdict_changes import JUDGED, Verdicts, by_machine, by_phase
from retrace.reports.wording import EMPTY, ratio, three_digits
from retrace.system.errors import RetraceError
from retrace.system.models import Many
from retrace.system.project import ROOT
from retrace.system.stage import Stage

COMPARED: tuple[Measure, ...] = (SHOWN_TODAY, *JUDGED)
"""Of what ratios are printed: what the pages show, and the same phase on both sides."""
PLACE = ("machine", "table", "graph")
"""The columns that say where a row is from."""
SOURCES_ASKED = (1, 10, 100)
"""After how many sources the cost of each is printed: a question, a few, and a study."""


class Audit(Stage):
    """Print how far records can be compared: repeated, like for like, from the first source on, by trials."""

    machines: Many[str] = ()
    """Machines whose records are read; all of config.yaml if not given."""

    def run(self) -> None:
        """Compute all tables from the records, and print them in Markdown."""
        reports, frame = read_machines(self.machines)
        sections = {
            "Repeatability": repeatability_tables(frame),
            "The same measure on both sides": like_for_like_tables(today(frame)),
            "Fastest without copies, and in total": total_tables(frame),
            "Warm over cold": warm_tables(frame),
            "Preparation": preparation_tables(today(frame)),
            "Verdicts by machine": verdict_tables(by_machine(reports, frame)),
            "Verdicts by phase": phase_tables(reports, frame),
            "Few trials": few_trials_tables(frame),
        }
        print("\n\n".join(text for title, texts in sections.items() for text in (f"## {title}", *texts)))


def read_machines(machines: Sequence[str]) -> tuple[list[Report], Frame]:
    """Read all reports, and the records of some machines of config.yaml; RetraceError of another machine."""
    configuration, _ = project_configuration()
    for name in machines:
        if name not in configuration.machines:
            known = ", ".join(configuration.machines)
            raise RetraceError(f"--machines: {name}: expected machines of config.yaml: {known}")
    folders = [ROOT / configuration.records(name) for name in machines or configuration.machines]
    files = [path for folder in folders for path in sorted(folder.glob("*/*.jsonl"))]
    return read_frames(report_paths(), files)


def repeatability_tables(frame: Frame) -> Iterator[str]:
    """Say of each machine how far records of the same work in two experiments are apart."""
    yield (
        "Pairs of records of two experiments: the same solver, settings, source, pair, graph (sha256), host "
        f"and commit, at least {LEAST_TRIALS} trials each. Ratios are of the larger median over the smaller. "
        "By quartiles alone, a pair is called different if those of its trials lie apart, and the medians by "
        f"{BY_QUARTILES - 1:.0%}; by the rule, if the interval lies beyond the margin."
    )
    rows, early = [], []
    for machine in frame.machines:
        records = [entry.record for entry in frame.measured if entry.machine == machine]
        for phase in JUDGED:
            pairs = repetitions(records, phase)
            if said := Repeatability.of(pairs):
                ratios = [ratio(value) for value in (said.middle, said.p90, said.p95)]
                rows.append([machine, phase, said.pairs, said.by_quartiles, said.different, *ratios])
            inside = early_beside_full(pairs)
            early.append([machine, phase, len(ended_early(records, phase)), len(inside), inside.count(False)])
    columns = ["pairs", "different by quartiles", "called different"]
    yield markdown(["machine", "phase", *columns, "median", "90th percentile", "95th percentile"], rows)
    yield (
        f"Margins, which no more than {FALSE_ALARMS:.0%} of the pairs exceed with the nearer end of their "
        f"interval, by solve or by total. A machine with fewer than {LEAST_PAIRS} pairs has the greatest of "
        "other machines, else that of one round for several, else that of shorter times."
    )
    known = compute_margins(entry.record for entry in frame.measured)
    rows = [
        [name, *work, margin.pairs, ratio(margin.ratio)] for (name, work), margin in sorted(known.items())
    ]
    yield markdown(["machine", "processor", "from ms", "rounds", "pairs", "margin"], rows)
    yield (
        f"Records whose trials ended after {LEAST_TRIALS}, although these are shorter than {EARLY_MS:.0f} "
        "ms; those of them in a pair with a record of the most trials; medians outside the quartiles of that."
    )
    yield markdown(["machine", "phase", "ended early", "in a pair", "outside"], early)


def like_for_like_tables(places: Sequence[Today]) -> Iterator[str]:
    """Say how many times as long the published kernel and the best library take, by each measure."""
    yield (
        "How many times as long as ours the fastest published kernel and the fastest library take. "
        f"`{SHOWN_TODAY}`, which pages show, compares warm solves of some with one cold solve of others. By "
        "each measure the fastest by it are compared. Trials are the fewest of what is compared on pages."
    )
    rows = []
    for one in places:
        fastest = [compared for measure in COMPARED if (compared := one.by(measure))]
        names = " / ".join(dict.fromkeys(compared.ours.name for compared in fastest))
        published = [factor(compared.over(compared.published)) for compared in fastest]
        library = [factor(compared.over(compared.library)) for compared in fastest]
        rows.append([*place_cells(one), names, *published, *library, fastest[0].fewest_trials])
    columns = [f"{who}, {measure}" for who in ("published", "library") for measure in COMPARED]
    yield markdown([*PLACE, "ours", *columns, "trials"], rows)


def total_tables(frame: Frame) -> Iterator[str]:
    """List what is fastest by the time that its table shows, but not in total."""
    yield "The fastest by the time that a table shows, where another takes less in total; all in ms."
    rows = []
    for one in overtaken(frame):
        by = one.shown.layout.by
        cells = [one.machine, one.shown.experiment, one.graph, by]
        for entry in (one.shown, one.in_total):
            cells += [entry.name, *(three_digits(entry.times[measure].median) for measure in (by, "total"))]
        rows.append(cells)
    columns = ["shown", "fastest", "shown time", "its total", "fastest in total", "shown time", "its total"]
    yield markdown([*PLACE, *columns], rows)


def warm_tables(frame: Frame) -> Iterator[str]:
    """Say how much less a further solve takes than the first."""
    ratios = {
        machine: warm_over_cold(e for e in frame.measured if e.machine == machine)
        for machine in frame.machines
    }
    ratios["all"] = warm_over_cold(frame.measured)
    rows = [[name, len(r), f"{median(r):.2f}", f"{min(r):.2f}"] for name, r in ratios.items() if r]
    yield markdown(["machine", "records", "median of again / solve", "least"], rows)


def preparation_tables(places: Sequence[Today]) -> Iterator[str]:
    """Say what each of some sources costs, and from which number on the kernel that pages show is ahead."""
    yield (
        "ms per source: (upload + solve + (n - 1) resident + n downloads) / n. `setup`, in which a library "
        "makes its graph object, is in the column that names it alone."
    )
    rows, ends = [], []
    for one in filter(None, map(Preparation.of, places)):
        for n in SOURCES_ASKED:
            best, core = one.cheapest(n, is_ours), one.cheapest(n, is_on_one_core)
            costs = [cost_cell(entry, n) for entry in (one.shown, best, one.choice, one.peer)]
            costs += [cost_cell(one.peer, n, with_setup=True), cost_cell(core, n)]
            names = [entry.name if entry else EMPTY for entry in (one.shown, best, core)]
            rows.append([*place_cells(one.today), n, *costs, *names])
        if one.peer:
            ahead = [one.ahead_from(with_setup) or "never" for with_setup in (False, True)]
            ends.append([*place_cells(one.today), one.shown.name, *ahead])
    columns = ["shown", "best of ours", CHOICE, PEER, f"{PEER} with setup", "one core"]
    yield markdown([*PLACE, "n", *columns, "shown is", "best is", "one core is"], rows)
    yield f"Break-even: the least number of sources that cost less in all than those of {PEER}."
    yield markdown([*PLACE, "shown", "ahead from", f"ahead from, {PEER} with setup"], ends)


def verdict_tables(judged: Iterable[Verdicts]) -> Iterator[str]:
    """Count the claims with one verdict, and list the others with what was found."""
    every = list(judged)
    moved = [one for one in every if one.differ]
    yield f"{len(every)} claims: {len(every) - len(moved)} have one verdict, {len(moved)} have several."
    rows = [
        [one.report, one.claim, name, finding.sentence, finding.measured or EMPTY]
        for one in moved
        for name, finding in one.findings.items()
    ]
    yield markdown(["report", "claim", "by", "verdict", "measured"], rows)


def phase_tables(reports: Sequence[Report], frame: Frame) -> Iterator[str]:
    """List, by machine, the claims with another verdict by the total than by the solve."""
    yield "Claims that compare the solve or the total of variants, judged by each of both."
    for machine in frame.on_gpu:
        yield f"### {machine}"
        yield from verdict_tables(by_phase(reports, frame, machine))


def few_trials_tables(frame: Frame) -> Iterator[str]:
    """Count the records of few trials, and list those that rankings rest on."""
    yield f"Records with an answer and fewer than {ENOUGH} trials, by their number."
    few = with_few_trials(entry.record for entry in frame.measured)
    counts = Counter((record.machine.name, len(record.trials)) for record in few)
    numbers = range(1, ENOUGH)
    rows = [[m, *(counts[m, n] for n in numbers), sum(counts[m, n] for n in numbers)] for m in frame.machines]
    yield markdown(["machine", *map(str, numbers), "in all"], rows)
    yield (
        f"Records of fewer than {LEAST_TRIALS} trials, by what their tables show, and how many pairs with "
        "one of them the rule tells apart."
    )
    ranked = [
        [one.machine, one.experiment, one.graph, one.rankings, ", ".join(entry.name for entry in one.few)]
        for one in ranked_by_few(frame)
    ]
    yield markdown([*PLACE, "rankings", "records"], ranked)


def cost_cell(entry: Measured | None, sources: int, with_setup: bool = False) -> str:
    """Write what each of some sources costs in ms; a dash of no entry."""
    return three_digits(Cost.of(entry, with_setup).per_source(sources)) if entry else EMPTY


def place_cells(one: Today) -> list[str]:
    """Return the cells under `PLACE`."""
    return [one.machine, one.experiment, one.row.title]


def factor(value: float | None) -> str:
    """Write how many times as long something takes; a dash if there is nothing to compare with."""
    return EMPTY if value is None else ratio(value)


def markdown(head: Sequence[str], rows: Iterable[Sequence[object]]) -> str:
    """Write a table in Markdown."""
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join(f"| {' | '.join(str(cell).replace('|', '/') for cell in cells)} |" for cells in lines)
