from fractions import Fraction

import pytest

from saffa.core.timeline import Splice, united

CUTS = Splice(((Fraction(0), Fraction(2)), (Fraction(5), Fraction(6))))


@pytest.mark.parametrize(
    ("source", "spliced"), [(0, 0), (1, 0), (2, 0), (3, 1), (5, 3), (Fraction(11, 2), 3), (6, 3), (7, 4)]
)
def test_time_runs_on_where_a_part_is_missing(source: Fraction, spliced: Fraction) -> None:
    assert CUTS.to_spliced(Fraction(source)) == spliced


@pytest.mark.parametrize(("spliced", "source"), [(0, 2), (1, 3), (3, 6), (4, 7)])
def test_and_back(spliced: int, source: int) -> None:
    assert CUTS.to_source(Fraction(spliced)) == source


def test_what_is_cut() -> None:
    assert CUTS.is_cut(Fraction(5), Fraction(6))
    assert not CUTS.is_cut(Fraction(5), Fraction(7))
    assert not Splice()


def test_overlapping_and_touching_cuts_are_one() -> None:
    assert united(
        [
            (Fraction(4), Fraction(5)),
            (Fraction(0), Fraction(2)),
            (Fraction(1), Fraction(3)),
            (Fraction(3), Fraction(7, 2)),
        ]
    ) == ((Fraction(0), Fraction(7, 2)), (Fraction(4), Fraction(5)))
    with pytest.raises(ValueError, match="must not touch"):
        Splice(((Fraction(0), Fraction(1)), (Fraction(1), Fraction(2))))
    with pytest.raises(ValueError, match="must have a length"):
        Splice(((Fraction(1), Fraction(1)),))
    assert united([]) == ()
    assert united([(Fraction(0), Fraction(9)), (Fraction(1), Fraction(2)), (Fraction(8), Fraction(10))]) == (
        (Fraction(0), Fraction(10)),
    )


def test_inside_a_cut_is_cut() -> None:
    assert CUTS.is_cut(Fraction(1), Fraction(3, 2))
    assert not CUTS.is_cut(Fraction(4), Fraction(6))
    assert not CUTS.is_cut(Fraction(1), Fraction(11, 2))
