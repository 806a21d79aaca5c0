"""The base of our variants of Brandes' algorithm: their graph is copied in the fastest way."""

from collections.abc import Callable, Sequence
from typing import Any, ClassVar

from numpy.typing import NDArray

from cuda_device.interface import Buffer
from retrace.catalogue.setting import Settings
from retrace.solvers.betweenness.block_per_source import Brandes


class GraphOnDevice(Brandes):
    """Searches of a block at a time, without the streams of the report's variants."""

    settings: ClassVar[Settings] = {k: setting for k, setting in Brandes.settings.items() if k != "streams"}
    former_settings: ClassVar[tuple[str, ...]] = ("streams",)
    page_locks = False

    def copier(self) -> Callable[[Sequence[NDArray[Any]]], list[Buffer]]:
        return self.device.upload_all
