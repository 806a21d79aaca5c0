"""What a solver runs with on a machine, and where each of its settings is from."""

from dataclasses import dataclass

from retrace.catalogue.known_solvers import CATALOGUE
from retrace.planning.configuration import SETTINGS, Configuration, tuned_file, with_settings

EMULATED_THREADS = 256
"""Most threads in a block on the emulator, which switches stacks for each thread at each barrier."""


@dataclass(frozen=True)
class Effective:
    """The value of a setting, and where it is from, in words."""

    value: object
    origin: str
    laid: bool
    """Whether it is laid over the solver's own: from the machine, what was tuned for it, or the emulator."""


def effective_settings(spec: str, config: Configuration, backend: str) -> dict[str, Effective]:
    """Return the settings that a solver runs with, by name, and where they are from.

    `spec` is a solver as an experiment or a command names it. The first of these decides:

    1. the name itself, such as `bfs/bsp:block_size=64`;
    2. the machine's block in config.yaml, or `--config`: `block_size`, `blocks` and `mdeg`;
    3. `results/tune/<machine>.yaml`, which `snakemake tune` writes;
    4. the emulator, which gives a block at most `EMULATED_THREADS` threads;
    5. the solver's own value.

    What 2 to 4 say is at most what the solver takes (`at_most`). A GPU's limits may cut it further in
    `setup`, which a record tells in `observed`. Raise RetraceError for an unknown solver or setting.
    """
    solver, values = CATALOGUE.parse(spec)
    named = {part.partition("=")[0] for part in spec.partition(":")[2].split(",")}
    machine = {
        key: (value, tuned_file(config.machine) if key in config.tuned else f"machines.{config.machine}")
        for key, value in config.this.settings.items()
    }
    own_threads = int(solver.defaults.get("block_size", 0))
    if backend == "emulator" and own_threads > EMULATED_THREADS:
        machine = {"block_size": (EMULATED_THREADS, "the emulator's limit")} | machine
    settings = {}
    for key, value in values.items():
        if key in named:
            settings[key] = Effective(value, "its name", laid=False)
        elif key in machine:
            wanted, origin = machine[key]
            most = solver.at_most.get(key, wanted)
            cut = f", cut from {wanted} to the most it takes" if most < wanted else ""
            settings[key] = Effective(min(wanted, most), origin + cut, laid=True)
        else:
            settings[key] = Effective(value, "the solver's own", laid=False)
    return settings


def set_for_machine(spec: str, config: Configuration, backend: str) -> str:
    """Return a solver's name with the settings that the machine, or the emulator, lays over its own."""
    settings = effective_settings(spec, config, backend)
    return with_settings(
        spec, {key: settings[key].value for key in SETTINGS if key in settings and settings[key].laid}
    )
