"""The structure that Apple's documents give to FCPXML 1.10 and to xmeml 5, as far as the exports use it.

Facts are from the FCPXML reference (document type definition of 1.10) and from the elements catalog of the Final Cut
Pro XML interchange format. FCPXML prescribes the order of children; xmeml only which there may and must be.
"""

import re
from collections import Counter
from dataclasses import dataclass, field
from fractions import Fraction
from xml.etree.ElementTree import Element, fromstring

TIME = r"-?\d+(/[1-9]\d*)?s"
WHOLE, REFERENCE, WORDS, FLAG = r"\d+", "IDREF", r"[\s\S]*", "[01]"
TIMECODE = "DF|NDF"
SAMPLING = "floor|nearest-neighbor|frame-blending|optical-flow-classic|optical-flow"
CLIP_RATES = r"32k|44\.1k|48k|88\.2k|96k|176\.4k|192k"


@dataclass(frozen=True)
class Rule:
    """What may stand in an element: children in order (`a b? c*`), attributes by pattern, those that must be there."""

    children: str = ""
    attributes: dict[str, str] = field(default_factory=dict)
    required: tuple[str, ...] = ()


FCPXML = {
    "fcpxml": Rule("import-options? resources? library", {"version": r"1\.10"}, ("version",)),
    "resources": Rule("(asset|effect|format|media|locator)*"),
    "format": Rule("", {"id": "ID", "name": WORDS, "frameDuration": TIME, "width": WHOLE, "height": WHOLE}, ("id",)),
    "asset": Rule(
        "media-rep+ metadata?",
        {
            **{"id": "ID", "name": WORDS, "start": TIME, "duration": TIME, "format": REFERENCE},
            **{"hasVideo": FLAG, "hasAudio": FLAG, "videoSources": WHOLE, "audioSources": WHOLE},
            **{"audioChannels": WHOLE, "audioRate": WHOLE},
        },
        ("id",),
    ),
    "media-rep": Rule("bookmark?", {"kind": "original-media|proxy-media", "src": r"\S+"}, ("src",)),
    "library": Rule("(event|smart-collection)*", {"location": WORDS}),
    "event": Rule("(asset-clip|project)*", {"name": WORDS}),
    "project": Rule("sequence", {"name": WORDS}),
    "sequence": Rule(
        "note? spine metadata?",
        {
            **{"format": REFERENCE, "duration": TIME, "tcStart": TIME, "tcFormat": TIMECODE},
            **{"audioLayout": "mono|stereo|surround", "audioRate": CLIP_RATES},
        },
        ("format",),
    ),
    "spine": Rule("(asset-clip|gap|transition)*", {"lane": WHOLE, "offset": TIME, "name": WORDS, "format": REFERENCE}),
    "asset-clip": Rule(
        "note? conform-rate? timeMap? adjust-volume? (asset-clip|spine)* (marker|chapter-marker|keyword)* metadata?",
        {
            **{"ref": REFERENCE, "offset": TIME, "name": WORDS, "start": TIME, "duration": TIME, "enabled": FLAG},
            **{"format": REFERENCE, "tcFormat": TIMECODE, "srcEnable": "all|audio|video"},
        },
        ("ref",),
    ),
    "timeMap": Rule("timept*", {"frameSampling": SAMPLING, "preservesPitch": FLAG}),
    "timept": Rule("", {"time": TIME, "value": TIME, "interp": "smooth2|linear|smooth"}, ("time", "value")),
    "marker": Rule(
        "", {"start": TIME, "duration": TIME, "value": WORDS, "completed": FLAG, "note": WORDS}, ("start", "value")
    ),
}

_CLIPITEM = "name! duration! rate! start! end! in! out! enabled file sourcetrack filter* link* marker* masterclipid"
_EFFECT = "name! effectid! effectcategory effecttype! mediatype! parameter*"
_KEYFRAME = "when! value! speedvirtualkf speedkfstart speedkfin speedkfout speedkfend"
XMEML = {
    "xmeml": "sequence* project* clip* bin*",
    "sequence": "name! duration! rate! timecode media marker* in out uuid",
    "media": "video audio",
    "video": "format track* samplecharacteristics duration",
    "audio": "format track* samplecharacteristics channelcount outputs",
    "format": "samplecharacteristics",
    "samplecharacteristics": "rate width height pixelaspectratio fielddominance depth samplerate anamorphic codec",
    "track": "clipitem* enabled locked outputchannelindex",
    "clipitem": _CLIPITEM,
    "file": "name pathurl rate duration timecode media",
    "sourcetrack": "mediatype! trackindex",
    "filter": "effect! enabled start end",
    "effect": _EFFECT,
    "parameter": "parameterid! name! value valuemin valuemax keyframe* interpolation",
    "keyframe": _KEYFRAME,
    "interpolation": "name!",
    "link": "linkclipref! mediatype trackindex clipindex groupindex",
    "marker": "name! comment in! out! color",
    "rate": "timebase! ntsc!",
    "timecode": "rate! string frame displayformat reel source",
}
"""Children of each element, `!` where one must be there, `*` where there may be several; all others hold text."""
XMEML_TEXT = {
    **dict.fromkeys(("duration", "start", "in", "end", "out", "frame", "when", "trackindex", "clipindex"), r"-?\d+"),
    **dict.fromkeys(("timebase", "width", "height", "depth", "samplerate", "channelcount"), r"[1-9]\d*"),
    **dict.fromkeys(("ntsc", "enabled"), "TRUE|FALSE"),
    **dict.fromkeys(("speedvirtualkf", "speedkfstart", "speedkfin", "speedkfout", "speedkfend"), "TRUE|FALSE"),
    "mediatype": "video|audio",
    "displayformat": TIMECODE,
    "string": r"\d\d:\d\d:\d\d[:;]\d\d\d?",
    "pathurl": r"\S+",
}


def fcpxml_faults(text: str) -> list[str]:
    """What the document type definition does not allow in a file, each in a few words."""
    root = fromstring(text)
    faults = [] if root.tag == "fcpxml" and "<!DOCTYPE fcpxml>" in text else ["the document is no fcpxml"]
    names = [element.get("id") for element in root.iter() if "id" in element.attrib]
    faults += [f"id {name} twice" for name, times in Counter(names).items() if times > 1]
    for element in root.iter():
        rule = FCPXML.get(element.tag)
        if rule is None:
            faults.append(f"{element.tag} is no element")
            continue
        inside = "".join(f"<{child.tag}>" for child in element)
        if not re.fullmatch(_content(rule.children), inside):
            faults.append(f"{element.tag} holds {inside}")
        faults += [f"{element.tag} without {name}" for name in rule.required if name not in element.attrib]
        for name, value in element.items():
            faults += _attribute_faults(element.tag, name, value, rule.attributes.get(name), names)
    return faults


def _content(children: str) -> str:
    """`a? (b|c)*` as a pattern over `<a><b>…`."""
    return re.sub(r"[a-zA-Z][\w-]*", lambda tag: f"(?:<{tag[0]}>)", children).replace(" ", "")


def _attribute_faults(tag: str, name: str, value: str, pattern: str | None, names: list[str | None]) -> list[str]:
    if pattern is None:
        return [f"{tag} has no {name}"]
    if pattern == REFERENCE:
        return [] if value in names else [f"{tag} {name}={value} leads nowhere"]
    if pattern == "ID":
        return [] if re.fullmatch(r"[A-Za-z_][\w.-]*", value) else [f"{tag} {name}={value}"]
    if not re.fullmatch(pattern, value):
        return [f"{tag} {name}={value}"]
    if pattern == TIME:  # a 64-bit numerator and a 32-bit denominator
        time = Fraction(value[:-1])
        return [] if abs(time.numerator) < 2**63 and time.denominator < 2**31 else [f"{tag} {name}={value} is too fine"]
    return []


def xmeml_faults(text: str) -> list[str]:
    """What the elements catalog does not allow in a file, each in a few words."""
    root = fromstring(text)
    faults = [] if root.tag == "xmeml" and root.get("version") == "5" and "<!DOCTYPE xmeml>" in text else ["no xmeml 5"]
    described = {file.get("id") for file in root.iter("file") if len(file)}
    clips = {item.get("id") for item in root.iter("clipitem")}
    for element in root.iter():
        faults += _xmeml_children(element)
        if not len(element) and not re.fullmatch(XMEML_TEXT.get(element.tag, WORDS), element.text or ""):
            faults.append(f"{element.tag} is {element.text}")
        if element.tag == "file" and element.get("id") not in described:
            faults.append(f"file {element.get('id')} is never described")
        if element.tag == "linkclipref" and element.text not in clips:
            faults.append(f"link to {element.text} leads nowhere")
    return faults


def _xmeml_children(element: Element) -> list[str]:
    there = Counter(child.tag for child in element)
    if element.tag == "file" and not there:  # a file that is described elsewhere
        return []
    rules = {name.rstrip("!*"): name[-1] for name in XMEML.get(element.tag, "").split()}
    faults = [f"{element.tag} holds {tag}" for tag in there if tag not in rules]
    faults += [f"{element.tag} without {tag}" for tag, mark in rules.items() if mark == "!" and not there[tag]]
    return faults + [f"{element.tag} holds {n} {tag}" for tag, n in there.items() if n > 1 and rules.get(tag) != "*"]
