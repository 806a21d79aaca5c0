"""The ways in which solvers of today search, under the address sanitizer."""

import pytest
from test_host_arcs import BETWEENNESS
from test_search_ways import WAYS

from test_out_of_bounds import assert_within_bounds

SPECS = [*WAYS, *BETWEENNESS]
PROBLEMS = sorted({spec.partition("/")[0] for spec in SPECS})


@pytest.mark.long
@pytest.mark.parametrize("problem", PROBLEMS)
def test_no_access_is_out_of_bounds_in_any_way(problem: str) -> None:
    assert_within_bounds(problem, [spec for spec in SPECS if spec.startswith(f"{problem}/")])
