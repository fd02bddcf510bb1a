from dataclasses import replace

import numpy as np
import pytest

pytest.importorskip("torch")

from saffa.evaluation.labelled import labelled
from tests.samplers.made import alignment


def test_neighbours_that_look_the_same_share_a_row() -> None:
    video = alignment(60, grid=10, width=4)
    held = video.e_v.copy()
    held[1] = held[0]
    held[4] = held[2]  # the same again, but later: a row of its own
    truth = np.arange(60) >= 30
    made = labelled(replace(video, e_v=held), truth)
    assert made.rows.shape == (5, 4)
    np.testing.assert_array_equal(made.rows[made.row_of_frame], held[video.row_of_frame()])
    np.testing.assert_array_equal(made.labels, truth)
