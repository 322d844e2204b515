"""The digests tell every value of every row of Method apart, so that none can change unseen."""

import digests
import pytest
from marks import slow_but

from vorton import _core

ROWS = _core.DEFINITIONS["method"]


@pytest.mark.filterwarnings("ignore:invalid value")  # of numbers that are not known
@pytest.mark.parametrize("name", slow_but(["merge", "rounding"], ROWS))
def test_every_value_of_a_row_has_a_flow_of_its_own(name):
    record = digests.Record()
    digests.run_row_of(record, ROWS[name], 1)
    assert record.missing == []
