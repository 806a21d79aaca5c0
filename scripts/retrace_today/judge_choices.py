"""Judges the choices: `…/auto` beside every other solver, on generated graphs that none was fitted to."""

import shutil
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from math import inf
from pathlib import Path
from statistics import median
from typing import Literal

from pydantic import Field

from retrace.graphs import csr
from retrace.graphs.csr import CSRGraph
from retrace.measure import environment
from retrace.measure.experiment import MeasuringJob, Task
from retrace.records.record import Record, read_records
from retrace.solvers import REGISTRY, DeviceSolver, find
from retrace.solvers.peer import Peer
from retrace.system.errors import RetraceError
from retrace.system.models import Some
from retrace.system.stage import Stage
from retrace_today.choice import Choice
from retrace_today.cost import costs, microseconds, of_search
from retrace_today.features import Features
from retrace_today.judged_graphs import judged_graphs

Problem = Literal["bfs", "stcon", "sssp", "betweenness"]
GOOD_FACTOR, GOOD_MS, FAR_FACTOR = 1.1, 0.02, 2.0
"""A choice is good if it is at most 10 % or 20 µs slower than the best; never may it take twice as long."""
SOURCE_COUNTS: tuple[int | None, ...] = (1, 4, 64, None)
"""Sources of betweenness; None for all."""
MOST_OF_ALL = 10**8
"""Arcs times vertices of a graph up to which all vertices are sources."""
LEVEL_US = 14.0
"""Of a published kernel, which the host launches for each level, at least."""
LONGER = 3.0
"""A search that is expected to take so many times the longest is none to judge by; expectations are rough."""
SECONDS_TO_KEEP = 10.0
"""From one writing of a graph's trials to the next."""


class JudgeChoices(Stage):
    """Measure auto and every other solver but libraries on generated graphs; print how good the choices are.

    Each answer is checked; the stage fails if one is wrong. On the emulator only answers are judged.
    """

    seed: int
    """Of sizes, ids, weights and sources: give one that nobody has used before."""
    backend: Literal["cuda", "emulator"]
    """Where CUDA kernels run."""
    output: Path
    """Folder of the records, a folder for each question; graphs are only there while they are measured.

    A run that is stopped goes on after its trials, which are there until the last graph is judged."""
    problems: Some[Problem] = ("bfs", "stcon", "sssp", "betweenness")
    """Those to judge."""
    graphs: int = Field(40, ge=1)
    """How many."""
    most_arcs: int = Field(1_000_000, ge=10, le=100_000_000)
    """Of the largest graph, about."""
    sources: int = Field(4, ge=1)
    """Searches of each graph, but of betweenness, which is from 1, 4, 64 and all sources."""
    budget_s: float = Field(1.0, gt=0)
    """Seconds for the trials of a solver on a graph."""
    longest_s: float = Field(10.0, gt=0)
    """A solver predicted to need more seconds for one trial is skipped."""

    def run(self) -> None:
        """Measure each question on each graph, and print a line for each question and measure."""
        software = environment.software(None)
        records = defaultdict[str, list[Record]](list)
        for graph in judged_graphs(self.graphs, self.most_arcs, self.seed):
            for question, asked, job in self.questions(graph):
                folder = self.output / "graphs" / graph.name
                csr.save(asked, folder)
                output = self.output / question / f"{graph.name}.jsonl"
                keeping = job.kept_in(self.output / "trials" / question, SECONDS_TO_KEEP, software)
                task = Task(job, folder, output, update=False, keeping=keeping)
                task.output.parent.mkdir(parents=True, exist_ok=True)
                task.measure(software, {}, self.output)
                records[question] += read_records([task.output])
                shutil.rmtree(folder)
        shutil.rmtree(self.output / "trials")
        wrong = [record for several in records.values() for record in several if record.verified is False]
        for question, several in records.items():
            print(*lines(question, several), sep="\n")
        if wrong:
            first = wrong[0]
            raise RetraceError(
                f"{len(wrong)} answers are wrong, first {first.solver} on {first.graph.name}: {first.reason}"
            )

    def questions(self, graph: CSRGraph) -> Iterator[tuple[str, CSRGraph, MeasuringJob]]:
        """Yield what is asked of a graph: its name, the graph that says what is asked, and the job."""
        for problem in self.problems:
            if problem != "betweenness":
                yield problem, graph, self.job(problem, self.sources, graph)
                continue
            for count in SOURCE_COUNTS:
                is_too_much = count is None and graph.vertices * graph.arcs > MOST_OF_ALL
                if is_too_much or (count or 0) > graph.vertices:
                    continue
                sample = {} if count is None else {"sources": {"count": count, "seed": self.seed}}
                asked = replace(graph, info={**graph.info, **sample})
                yield f"betweenness-{count or 'all'}", asked, self.job(problem, None, graph)

    def job(self, problem: str, sources: int | None, graph: CSRGraph) -> MeasuringJob:
        """Return how a problem is measured."""
        solvers = judged_solvers(problem)
        if problem != "betweenness":  # whose solvers predict what they take
            features = Features.of(graph)
            solvers = tuple(name for name in solvers if expected_s(name, features) < LONGER * self.longest_s)
        values = {
            "experiment": "judge-choices", "solvers": solvers, "backend": self.backend,
            "seed": self.seed, "sources": sources, "trials": 5, "budget_s": self.budget_s,
            "longest_s": self.longest_s,
        }  # fmt: skip
        return MeasuringJob.model_validate(values)


def judged_solvers(problem: str) -> tuple[str, ...]:
    """List the solvers of a problem, with their default settings, but libraries."""
    return tuple(
        kind.name
        for kind in REGISTRY.of_problem(problem)
        if not issubclass(kind, Peer) and kind.unavailable() is None
    )


def expected_s(name: str, graph: Features) -> float:
    """Return the seconds that a search by a solver takes, or less; 0 if nothing tells."""
    if name in costs():
        return 1e-6 * microseconds(name, of_search(graph))
    kind = find(name)
    on_device = issubclass(kind, DeviceSolver) and not issubclass(kind, Choice)
    return 1e-6 * LEVEL_US * graph.levels if on_device else 0.0


@dataclass(frozen=True)
class Judgement:
    """How `auto` did on a graph."""

    graph: str
    chosen_ms: float
    """Infinite where it gave no answer and others did."""
    best_ms: float
    best: str
    """The fastest of the other solvers."""

    @property
    def factor(self) -> float:
        """How many times as long as the best solver it took."""
        return self.chosen_ms / self.best_ms

    @property
    def is_good(self) -> bool:
        """Whether it is as near to the best as is asked for."""
        return self.factor <= GOOD_FACTOR or self.chosen_ms - self.best_ms <= GOOD_MS


def resident_ms(record: Record) -> float:
    """Return the median time of a search on the resident graph."""
    return median(trial.solve if trial.again is None else trial.again for trial in record.trials)


def first_ms(record: Record) -> float:
    """Return the median time of a first search, from arrays on the host to the answer there."""
    return median(trial.total for trial in record.trials)


JUDGED_BY: Mapping[str, Callable[[Record], float]] = {"resident": resident_ms, "first search": first_ms}


def judgements(records: Iterable[Record], measure: Callable[[Record], float]) -> list[Judgement]:
    """Judge the choice on each graph that a solver was timed on beside it; emulated times are none."""
    of_graphs = defaultdict[str, list[Record]](list)
    for record in records:
        of_graphs[record.graph.name].append(record)
    judged = []
    for graph, several in of_graphs.items():
        auto = next(record for record in several if record.solver.endswith("/auto"))
        others = [record for record in several if record.timed and record is not auto]
        if auto.backend == "emulator" or not others:
            continue
        best = min(others, key=measure)
        chosen_ms = measure(auto) if auto.timed else inf
        judged.append(Judgement(graph, chosen_ms, measure(best), best.solver))
    return judged


def lines(question: str, records: list[Record]) -> Iterator[str]:
    """Yield how good the choices for a question are, by each measure, and which are not good."""
    answers = [record for record in records if record.status == "ok"]
    agree = sum(record.agreed for record in answers)
    yield f"{question}: {agree} of {len(answers)} answers agree, {len(records) - len(answers)} have none"
    for name, measure in JUDGED_BY.items():
        judged = judgements(records, measure)
        if not judged:
            yield f"  {name}: not judged, as nothing but the emulator ran the choice"
            continue
        share = sum(judgement.is_good for judgement in judged) / len(judged)
        twice = sum(judgement.factor > FAR_FACTOR and not judgement.is_good for judgement in judged)
        worst = max(judgement.factor for judgement in judged if not judgement.is_good or share == 1)
        near = f"within {GOOD_FACTOR - 1:.0%} or {1e3 * GOOD_MS:.0f} µs of the best on {share:.0%}"
        far = f"more than {FAR_FACTOR:g} times as long on {twice}, at worst {worst:.2f} times"
        yield f"  {name}: {near} of {len(judged)} graphs, {far}"
        for judgement in sorted(judged, key=lambda one: -one.factor):
            if not judgement.is_good:
                times = f"{judgement.chosen_ms:.3f} ms, {judgement.best} {judgement.best_ms:.3f} ms"
                yield f"    {judgement.graph}: {judgement.factor:.2f} times, {times}"
