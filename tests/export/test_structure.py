"""XML exports against the structure in Apple's documents, and files that do not keep to it."""

from dataclasses import replace
from fractions import Fraction

import pytest

from saffa.core.source_file import SourceFile
from saffa.export import FORMATS
from saffa.export.edit import Edit
from tests.export.structure import fcpxml_faults, xmeml_faults
from tests.export.test_formats import RATES, golden_edit, source, timeline


@pytest.mark.parametrize("rate", RATES)
@pytest.mark.parametrize("handles", [False, True])
def test_xml_is_what_the_documents_of_the_formats_say(rate: Fraction, handles: bool) -> None:
    plan = timeline([12] * 200 + [1] * 300 + list(range(1, 26)) * 8, rate, cut=(230, 777))
    mute = SourceFile(plan.source.path, plan.source.frames, rate)
    for file in (source(plan, "10:59:58:00"), mute):
        edit = Edit.of(plan, file, "kurz & <gut>", segments=12, handles=handles)
        assert fcpxml_faults(FORMATS["fcpxml"].text(edit)) == []
        assert xmeml_faults(FORMATS["premiere"].text(edit)) == []


def test_hostile_texts_keep_the_structure() -> None:
    plan = replace(timeline([2] * 90, Fraction(25)), document=("]]>", 'a\x00b\ud800\n"]]></name>\\'))
    edit = Edit.of(plan, source(plan), "x\n</fcpxml>")
    assert fcpxml_faults(FORMATS["fcpxml"].text(edit)) == []
    assert xmeml_faults(FORMATS["premiere"].text(edit)) == []


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ('version="1.10"', 'version="2"', "fcpxml version=2"),
        ('ref="r2"', 'ref="r7"', "asset-clip ref=r7 leads nowhere"),
        ('frameSampling="floor"', 'frameSampling="best"', "timeMap frameSampling=best"),
        (' value="1. Wasser kochen"', "", "marker without value"),
        ('tcStart="0s"', 'tcStart="0.5"', "sequence tcStart=0.5"),
        ('audioRate="48k"', 'audioRate="48000"', "sequence audioRate=48000"),
        ("<spine>", "<spine><timept time='0s' value='0s' />", "spine holds <timept>"),
        ('hasVideo="1"', 'hasPicture="1"', "asset has no hasPicture"),
    ],
)
def test_fcpxml_with_a_fault_is_told(old: str, new: str, fault: str) -> None:
    text = FORMATS["fcpxml"].text(golden_edit())
    assert old in text
    assert any(found.startswith(fault) for found in fcpxml_faults(text.replace(old, new, 1)))


def test_fcpxml_wants_its_children_in_order() -> None:
    text = FORMATS["fcpxml"].text(golden_edit())
    marker = text[text.index("<marker") : text.index("/>", text.index("<marker")) + 2]
    early = text.replace(marker, "", 1).replace("<timeMap", marker + "<timeMap", 1)
    assert fcpxml_faults(early) == ["asset-clip holds <marker><timeMap>"]


@pytest.mark.parametrize(
    ("old", "new", "fault"),
    [
        ("<effectid>timeremap</effectid>", "", "effect without effectid"),
        ("<ntsc>TRUE</ntsc>", "<ntsc>yes</ntsc>", "ntsc is yes"),
        ("<linkclipref>audio-1<", "<linkclipref>audio-99<", "link to audio-99 leads nowhere"),
        ("<start>0</start>", "<start>0</start><start>1</start>", "clipitem holds 2 start"),
        ("<enabled>", "<speed>3</speed><enabled>", "clipitem holds speed"),
        ("<when>0</when>", "<when>0.5</when>", "when is 0.5"),
    ],
)
def test_xmeml_with_a_fault_is_told(old: str, new: str, fault: str) -> None:
    text = FORMATS["premiere"].text(golden_edit())
    assert old in text
    assert fault in xmeml_faults(text.replace(old, new, 1))
