"""A library on several cores, with the number of threads that is fastest on the graph."""

from abc import abstractmethod
from collections.abc import Mapping
from math import inf
from statistics import median
from typing import ClassVar

from retrace.catalogue.setting import CORES, THREADS, Settings
from retrace.graphs.query import Query
from retrace.solvers.peer import Peer
from retrace.solvers.solver import seconds_of


class ThreadedPeer(Peer):
    """A library that uses several cores, and is given the number of threads with which it is fastest.

    More are not always faster: the waiting threads of a search of many short levels cost time. `tune` tries
    all cores, three, two and one quarter of them, and one; what a record observes has the choice as `threads`
    and `bound`, and the median of each that was tried, as `ms_of_4` and `ms_of_4_bound`.
    """

    settings: ClassVar[Settings] = THREADS
    bindings: ClassVar[tuple[int, ...]] = (0,)
    """Whether each thread stays on a core of its own: 1 if so, or both if that is tried."""
    TRIES, SLOWER, LONG_S = 5, 1.25, 0.25
    """Searches for each number; how many times as slow one is after which no fewer threads are tried; and
    the seconds of a search that counts alone."""

    @abstractmethod
    def use(self, threads: int, bound: int) -> None:
        """Use so many threads from now on; `bound`, each on a core of its own."""

    @abstractmethod
    def sample(self, query: Query) -> None:
        """Make a search, or a few of many, by which numbers of threads are compared."""

    def begin_with(self, threads: int, bound: int = 0) -> None:
        """Use so many threads, and let records observe it."""
        self.use(threads, bound)
        self.in_use = {"threads": threads, "bound": bound}

    def begin_with_given(self) -> None:
        """Use as many threads as the setting says, or one on each core, as the last step of `setup`."""
        self.tried: dict[str, float] = {}
        self.begin_with(self.number("threads") or CORES)

    def tune(self, query: Query, chosen: Mapping[str, float]) -> None:
        if self.number("threads"):
            return
        if "threads" in chosen:
            self.tried = {key: ms for key, ms in chosen.items() if key.startswith("ms_of_")}
            self.begin_with(int(chosen["threads"]), int(chosen["bound"]))
            return
        numbers = sorted({max(1, CORES * quarters // 4) for quarters in range(5)}, reverse=True)
        fastest: dict[float, tuple[int, int]] = {}
        for bound in self.bindings:
            least = inf
            for threads in numbers:
                self.use(threads, bound)
                taken = self.median_seconds(query)
                self.tried[f"ms_of_{threads}{'_bound' * bound}"] = taken * 1e3
                fastest[taken] = threads, bound
                if taken > self.SLOWER * least:
                    break
                least = min(least, taken)
        self.begin_with(*fastest[min(fastest)])

    def median_seconds(self, query: Query) -> float:
        """Return the median of some searches after the first, or the time of that if it is long."""
        first = seconds_of(lambda: self.sample(query))
        if first >= self.LONG_S:
            return first
        return median(seconds_of(lambda: self.sample(query)) for _ in range(self.TRIES))

    def observed(self) -> dict[str, float]:
        return {**super().observed(), **self.in_use, **self.tried}
