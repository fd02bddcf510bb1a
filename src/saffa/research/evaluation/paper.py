"""Numbers that the paper reports (TPAMI 2022, Tables 1 and 2, supplement §4): facts to stand beside ours.

Its videos, encoder and machine are others than those at hand; docs/results/paper.md says in what.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class PaperRow:
    """Percent, except the speed `os`."""

    precision: float
    recall: float
    f1: float
    os: float
    op: float


YOUCOOK2 = {
    "ffnet": PaperRow(58.83, 11.70, 18.86, 11.90, 31.71),
    "sas": PaperRow(49.22, 8.61, 14.44, 11.64, 25.02),
    "sasv2": PaperRow(49.69, 9.87, 16.20, 10.32, 19.60),
    "bot": PaperRow(48.66, 8.37, 14.04, 12.13, 24.40),
    "non-rl": PaperRow(52.00, 9.33, 15.56, 11.48, 26.42),
    "sff-rl": PaperRow(53.78, 42.07, 41.55, 6.09, 0.00),
    "saffa-published": PaperRow(53.20, 12.81, 17.86, 11.68, 30.07),
}
"""Table 1, S* = 12; `non-rl` and `sff-rl` (with VDAN) are from Table 2."""

COIN = {
    "ffnet": PaperRow(45.06, 14.08, 17.66, 16.45, 29.75),
    "sas": PaperRow(40.17, 9.07, 13.20, 16.10, 23.32),
    "sasv2": PaperRow(41.29, 9.79, 13.90, 14.09, 20.07),
    "bot": PaperRow(39.80, 9.21, 13.01, 16.07, 23.02),
    "saffa-published": PaperRow(42.58, 15.94, 17.18, 14.99, 27.98),
}
"""Table 1, S* = 16 on average over ten domains."""

MILLISECONDS = {"ffnet": 8.65, "sas": 344.15, "sasv2": 344.43, "bot": 1048.01, "saffa-published": 75.58}
"""Table 1: whole method per frame, on an i7-3770K with a Titan RTX."""

STAGES = {
    "saffa-published": "VDAN+ 75, agent .58",
    "ffnet": "AlexNet 8, agent .65",
    "sas": "sampling 1.4",
    "sasv2": "sampling 1.4",
}
"""Supplement §4: stages, milliseconds per frame."""

ABLATION = {
    ("VDAN", False, False): PaperRow(49.17, 4.00, 7.34, 24.87, 0.0),
    ("VDAN", False, True): PaperRow(49.68, 4.26, 7.77, 23.67, 0.0),
    ("VDAN", True, False): PaperRow(49.32, 8.37, 14.09, 11.93, 24.69),
    ("VDAN", True, True): PaperRow(51.84, 8.45, 14.33, 12.42, 24.79),
    ("VDAN+", False, False): PaperRow(59.11, 79.08, 64.96, 1.94, 0.0),
    ("VDAN+", False, True): PaperRow(59.63, 47.67, 50.98, 3.02, 0.0),
    ("VDAN+", True, False): PaperRow(52.39, 9.03, 15.18, 11.86, 26.33),
    ("VDAN+", True, True): PaperRow(53.20, 12.81, 17.86, 11.68, 30.07),
}
"""Table 2 by encoder, skip-aware state (SA) and position (NRPE)."""

PRODUCTS = {"VDAN": (0.175, 0.812), "VDAN+": (0.833, 0.358)}
"""Mean and deviation of e_D·e_v."""

AUC = {"VDAN+": 0.65, "VDAN": 0.61}
"""Figure of ROC curves, YouCook2 training videos."""

LARGEST_SPEED_ERROR = 1.75
"""|OS − S*| of SAFFA for S* from 2 to 20 is "no higher"."""
