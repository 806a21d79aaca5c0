"""Print how the committed records are compared, and what that does to their numbers."""

from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Sequence
from itertools import permutations, product
from statistics import median

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.planning.configuration import project_configuration
from retrace.records.record import Trial
from retrace.records.repeatability import FALSE_ALARMS, LEAST_PAIRS, compute_margins, repetitions
from retrace.records.statistics import ENOUGH, LEAST_TRIALS
from retrace.reports.frame import Frame, GraphRow, Measured, read_frames, speed_up
from retrace.reports.like_for_like import CHOICE, FIRST, SHOWN_TODAY, Cost, break_even, is_ours
from retrace.reports.measures import Measure
from retrace.reports.report import Report, report_paths
from retrace.reports.wording import EMPTY, ratio, three_digits
from retrace.system.errors import RetraceError
from retrace.system.models import Many
from retrace.system.project import ROOT
from retrace.system.stage import Stage
from retrace_audit.few_trials import ranked_by_few, with_few_trials
from retrace_audit.host_per_level import host_per_level
from retrace_audit.judged_otherwise import JUDGED, LOOPS, Verdicts, by_loop, by_machine, by_phase
from retrace_audit.preparation import PEER, Preparation, is_on_one_core
from retrace_audit.repeated_work import (
    BY_QUARTILES,
    EARLY_MS,
    Repeatability,
    early_beside_full,
    ended_early,
)
from retrace_audit.same_measure import Today, fewest_trials, overtaken, today, turned, warm_over_cold

COMPARED: tuple[Measure, ...] = (*SHOWN_TODAY, *JUDGED)
"""Of what ratios are printed: what the pages show, and the same phase on both sides."""
PLACE = ("machine", "table", "graph")
"""The columns that say where a row is from."""
STALL_MS = 10.0
"""How much longer than the least a trial takes that was held up, whatever held it."""
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
            "Page-locking": locking_tables(frame),
            "Several GPUs": several_gpus_tables(frame),
            "The host's time per level": level_tables(frame),
            "Verdicts by machine": verdict_tables(by_machine(reports, frame)),
            "Verdicts by phase": phase_tables(reports, frame),
            "Verdicts by loop": loop_tables(reports, frame),
            "Few trials": few_trials_tables(frame),
            "Stalls": stall_tables(frame),
            "What trials record": trial_tables(frame),
            "No record": absent_tables(frame),
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
        "By each measure the fastest by it are compared; a dash where what solves fastest lacks it. Warm "
        "beside cold, which no page shows, takes further searches of some and the first solve of others. "
        "Trials are the fewest of what is compared by the first search."
    )
    rows = []
    for one in places:
        by_measure = [one.by(measure) for measure in COMPARED]
        there = [compared for compared in by_measure if compared]
        names = " / ".join(dict.fromkeys(compared.ours.name for compared in there))
        published = [
            factor(compared.over(compared.published) if compared else None) for compared in by_measure
        ]
        library = [factor(compared.over(compared.library) if compared else None) for compared in by_measure]
        warm_beside_cold = map(factor, one.mixed)
        cells = [*published, *library, *warm_beside_cold]
        rows.append([*place_cells(one), names, *cells, fewest_trials(there[0])])
    columns = [f"{who}, {measure}" for who in ("published", "library") for measure in COMPARED] + [
        "published, warm beside cold",
        "library, warm beside cold",
    ]
    yield markdown([*PLACE, "ours", *columns, "trials"], rows)


def total_tables(frame: Frame) -> Iterator[str]:
    """List what is fastest by the solve, but not in total."""
    yield "The fastest by the solve, where another takes less in total, beside the published; all in ms."
    rows = []
    for one in overtaken(frame):
        cells = [one.machine, one.shown.experiment, one.graph]
        for entry in (one.shown, one.in_total, one.published):
            times = [entry.times[measure].median for measure in JUDGED] if entry else []
            cells += [entry.name if entry else EMPTY, *map(three_digits, times), *[EMPTY] * (2 - len(times))]
        rows.append(cells)
    columns = [f"{who}{what}" for who in ("fastest by solve", "fastest in total", "published")
               for what in ("", ", solve", ", total")]  # fmt: skip
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
        "ms per source: (first search + (n - 1) (resident + download)) / n. ≤: no further search was timed, "
        "and each is taken to be as the first solve. The first search of a library has its set-up; one "
        "column is without it."
    )
    rows, ends = [], []
    for one in filter(None, map(Preparation.of, places)):
        for n in SOURCES_ASKED:
            best, core = one.cheapest(n, is_ours), one.cheapest(n, is_on_one_core)
            costs = [cost_cell(entry, n) for entry in (one.shown, best, one.choice, one.peer)]
            costs += [cost_cell(one.peer, n, "total"), cost_cell(core, n)]
            names = [entry.name if entry else EMPTY for entry in (one.shown, best, core)]
            rows.append([*place_cells(one.today), n, *costs, *names])
        if one.peer:
            ahead = [break_even(one.shown, one.peer, by) for by in (FIRST, "total")]
            ends.append([*place_cells(one.today), one.shown.name, *(text or EMPTY for text in ahead)])
    columns = ["shown", "best of ours", CHOICE, PEER, f"{PEER} without set-up", "one core"]
    yield markdown([*PLACE, "n", *columns, "shown is", "best is", "one core is"], rows)
    yield f"Break-even: the least number of sources that cost less in all than those of {PEER}; ≥ as for ≤."
    yield markdown([*PLACE, "shown", "ahead from", f"ahead from, {PEER} without set-up"], ends)


def locking_tables(frame: Frame) -> Iterator[str]:
    """List the pairs of solvers that page-locking turns round."""
    yield "Pairs of which one page-locks, where the one that takes less in total takes more with it; in ms."
    rows = []
    for row, machine, name in places(frame):
        for pair in turned(row.here(machine), "total", FIRST):
            both = (pair.first, pair.second)
            if any(CATALOGUE.find(entry.solver).page_locks for entry in both):
                times = [three_digits(e.times[by].median) for e in both for by in ("total", FIRST)]
                rows.append([machine, name, row.title, both[0].name, *times[:2], both[1].name, *times[2:]])
    columns = ["less in total", "total", FIRST, "less with page-locking", "total", FIRST]
    yield markdown([*PLACE, *columns], rows)


def several_gpus_tables(frame: Frame) -> Iterator[str]:
    """Say how many times as long several GPUs take as one, by the solve and in all."""
    rows = []
    for row, machine, name in places(frame):
        for one, some in permutations((e for e in row.here(machine) if "devices" in e.record.parameters), 2):
            (a, b) = ({**e.record.parameters} for e in (one, some))
            if a.pop("devices") == 1 and (devices := b.pop("devices")) != 1 and a == b:
                compared = [speed_up(some, one, measure) for measure in (*JUDGED, FIRST)]
                factors = [factor(pair[0] if pair else None) for pair in compared]
                rows.append([machine, name, row.title, one.solver, a.get("kernel", EMPTY), devices, *factors])
    yield markdown([*PLACE, "solver", "kernel", "GPUs", *JUDGED, FIRST], rows)


def level_tables(frame: Frame) -> Iterator[str]:
    """Say what the host takes per level of a published search, and what it may take."""
    yield (
        "Microseconds per level outside its kernels; break-even is what they may be for the fastest on one "
        "core to take the same in total."
    )
    rows = [
        [one.kernel.machine, one.kernel.experiment, one.kernel.title, one.kernel.solver, one.core.solver,
         f"{one.measured_us:.1f}", f"{one.break_even_us:.1f}"]
        for one in host_per_level(frame)
        if one.kernel.record.graph.origin != "report"
    ]  # fmt: skip
    yield markdown([*PLACE, "kernel", "one core", "measured", "break-even"], rows)


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


def loop_tables(reports: Sequence[Report], frame: Frame) -> Iterator[str]:
    """Say of each claim that may depend on it whether its verdict is another where Python launches."""
    yield "Claims of which some records have a like whose launches Python repeats, or C++, judged with each."
    rows = [
        [machine, one.report, one.claim, *(f.sentence for f in one.findings.values()), one.differ]
        for machine in frame.on_gpu
        for one in by_loop(reports, frame, machine)
    ]
    yield markdown(["machine", "report", "claim", *LOOPS, "differs"], rows)


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


def stall_tables(frame: Frame) -> Iterator[str]:
    """Count the trials of the library on all cores that took much longer than its least."""
    yield f"Trials of {PEER} in tables of today that solve in {STALL_MS:.0f} ms more than the record's least."
    counts: dict[tuple[str, str], list[bool]] = defaultdict(list)
    experiments = {place.experiment for place in today(frame)}
    for entry in frame.measured:
        if entry.solver.endswith(f"/{PEER}") and entry.experiment in experiments and entry.total:
            solves = [trial.solve for trial in entry.record.trials]
            counts[entry.machine, entry.experiment] += [ms > min(solves) + STALL_MS for ms in solves]
    rows = [[*place, len(stalled), sum(stalled)] for place, stalled in counts.items()]
    yield markdown(["machine", "table", "trials", "stalled"], rows)


def trial_tables(frame: Frame) -> Iterator[str]:
    """Count the trials that have each of what a trial may record, and the sources that were searched."""
    questions_asked = ("source", "target", "iterations", "digest", "round")
    optional = (name for name, field in Trial.model_fields.items() if not field.is_required())
    names = [name for name in optional if name not in questions_asked]
    rows, questions = [], []
    for machine in frame.machines:
        records = [entry.record for entry in frame.measured if entry.machine == machine]
        trials = [trial for record in records for trial in record.trials]
        for name in names:
            values = [value for trial in trials if (value := getattr(trial, name)) is not None]
            ends = [three_digits(end(values)) for end in (min, max)] if values else [EMPTY] * 2
            rows.append([machine, name, len(trials), len(values), *ends])
        searches = [r for r in records if r.timed and r.problem not in ("betweenness", "limits", "generate")]
        several = sum(record.drawn is not None for record in searches)
        vertices = {record.source for record in searches if record.source is not None}
        questions.append([machine, len(searches), several, ", ".join(map(str, sorted(vertices))) or EMPTY])
    yield markdown(["machine", "of a trial", "trials", "that have it", "least", "most"], rows)
    yield "Records of searches, those of several sources, and the source of the others."
    yield markdown(["machine", "records", "of several sources", "vertices"], questions)


def absent_tables(frame: Frame) -> Iterator[str]:
    """List the experiments that a machine has no records of: what they would say is not in this audit."""
    configuration, _ = project_configuration()
    there = {(entry.machine, entry.experiment) for entry in frame.measured}
    lacking = {
        m: [name for name in configuration.experiments if (m, name) not in there] for m in frame.machines
    }
    yield markdown(
        ["machine", "experiments"], [[m, ", ".join(names)] for m, names in lacking.items() if names]
    )


def places(frame: Frame) -> Iterator[tuple[GraphRow, str, str]]:
    """Yield each graph of each experiment with each machine: row, machine, experiment."""
    for name in dict.fromkeys(entry.experiment for entry in frame.measured):
        yield from ((row, machine, name) for row, machine in product(frame.of(name).rows, frame.machines))


def cost_cell(entry: Measured | None, sources: int, by: Measure = FIRST) -> str:
    """Write what each of some sources costs in ms; a dash of no entry."""
    cost = Cost.of(entry, by) if entry else None
    if cost is None:
        return EMPTY
    bound = "≤ " if cost.is_bound and sources > 1 else ""
    return f"{bound}{three_digits(cost.per_source(sources))}"


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
