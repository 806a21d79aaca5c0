"""Which GPU runs what: a table of generations and solvers, made from what the solvers declare."""

from collections import defaultdict

from cuda_device.gpu_limits import GPULimits
from retrace.catalogue.known_solvers import CATALOGUE, KnownSolver
from retrace.publish.page import number_table
from retrace.reports.report import load_reports
from retrace_generated.generated_parts import made_from, with_part

GENERATIONS = {
    "5.0": "GTX 750 Ti (Maxwell)",
    "5.2": "GTX TITAN X (Maxwell)",
    "6.1": "GTX 1060 (Pascal)",
    "7.0": "V100 (Volta)",
    "7.5": "T4, RTX 20 (Turing)",
    "8.0": "A100 (Ampere)",
    "8.6": "RTX 30, A10 (Ampere)",
    "8.9": "RTX 40, L4 (Ada)",
    "9.0": "H100, H200 (Hopper)",
    "10.0": "B200 (Blackwell)",
    "12.0": "RTX 50 (Blackwell)",
}
"""Some cards, by compute capability."""
TODAY, LIMITS_OF_MACHINE = "today", "limits"
"""What is no report's: our kernels, and those that measure the machine."""
FROM_SOLVERS = made_from("what solvers declare")


def make_gpu_table() -> str:
    """Return the table in Markdown, with a note for what some GPUs lack."""
    columns: dict[str, list[KnownSolver]] = {report: [] for report in load_reports()}
    columns |= {TODAY: [], LIMITS_OF_MACHINE: []}
    for solver in CATALOGUE.listed.values():  # the project's alone, whatever is installed
        if "cuda" in solver.backends and not solver.calls_library:
            columns[column_of(solver)].append(solver)
    rows: list[list[str]] = []
    lacking: dict[str, dict[str, None]] = defaultdict(dict)
    for capability, cards in GENERATIONS.items():
        limits, cells = GPULimits.by_capability(capability), []
        for solvers in columns.values():
            missing = {
                one.name: told for one in solvers if (told := one.needs.missing_from(limits)) is not None
            }
            able = len(solvers) - len(missing)
            cells.append(f"{able} of {len(solvers)}" if missing else f"all {len(solvers)}")
            for name, told in missing.items():
                lacking[told.partition("; ")[0].removeprefix("needs ")][name] = None
        rows.append([capability, cards, *cells])
    notes = [f"- {', '.join(f'`{name}`' for name in names)} need {what}." for what, names in lacking.items()]
    table = number_table(["compute capability", "such as", *columns], rows, left=(0, 1))
    return "\n".join([table, "", *notes])


def column_of(solver: KnownSolver) -> str:
    """Return the report whose kernel it is, or that it is one of today's, or measures the machine."""
    if solver.problem == "limits":
        return LIMITS_OF_MACHINE
    named = solver.implements.partition(",")[0]
    return named if named in load_reports() else TODAY


def with_table(text: str) -> str:
    """Return a page with the table in place of the one between its two marks."""
    return with_part(text, FROM_SOLVERS, make_gpu_table())
