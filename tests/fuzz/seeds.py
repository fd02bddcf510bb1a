"""Good files of every kind that is read, small, from which the hostile ones are made."""

from __future__ import annotations

from fractions import Fraction
from pathlib import Path

from saffa.api import accelerate, align
from saffa.encoders.replay import NoEncoder
from saffa.sample import RECIPE
from saffa.storage.models import shipped
from tests.core.texts.test_formats import STEPS, paragraph, pdf_file, word_file
from tests.media.movies import Movie, Sound, make

FRAMES = 20
TEXT = ("Chop the onions.", "Fry them in oil.", "Add the tomatoes.")
SUBTITLES = {
    "a.srt": """1
00:00:00,000 --> 00:00:00,300
Now <i>chop</i> the onions

2
00:00:00,400 --> 00:00:00,700
and fry
""",
    "a.vtt": """WEBVTT

NOTE x

00:00.000 --> 00:00.300 line:0
Now <c.b>chop</c>

00:00.400 --> 00:00.700
and fry
""",
    "a.ass": """[Script Info]
ScriptType: v4.00+

[V4+ Styles]
Format: Name, Fontname
Style: Default,Arial

[Events]
Format: Layer, Start, End, Style, Name, MarginL, MarginR, MarginV, Effect, Text
Dialogue: 0,0:00:00.00,0:00:00.30,Default,,0,0,0,,{\\b1}Now chop
Dialogue: 0,0:00:00.40,0:00:00.70,Default,,0,0,0,,fry
""",
    "a.sub": "{0}{10}Now chop the onions\n{11}{18}and fry|them\n",
}
PAGE = """<html><head>
<script type='application/ld+json'>{"@type":"Recipe","recipeInstructions":["Chop.","Fry."]}</script>
</head><body><h2>Method</h2><ol><li>Chop the onions.</li><li>Fry them.</li></ol></body></html>
"""
DOCUMENTS = {
    "t.txt": "Onion soup\n\n1. Chop the onions.\n2. Fry them in oil.\n\nTips: use a sharp knife.\n",
    "t.md": """# Soup

## Ingredients
- 2 onions

## Method
1. Chop *the* onions.
2. Fry [them](x) in oil.

| a | b |
|---|---|
""",
    "t.html": PAGE,
    "t.json": '["Chop the onions.", "Fry them in oil."]',
    "t.mhtml": f"MIME-Version: 1.0\nContent-Type: text/html\n\n{PAGE}",
}
_SOUND = (Sound(rate=32000, layout="mono"),)
_UNEVEN = tuple(i * 40 + i % 7 * 5 for i in range(FRAMES))
_VIDEOS: dict[str, tuple[str, dict[str, object]]] = {
    "h264.mp4": ("libx264", {"sounds": _SOUND, "cues": ((0, 300, "chop"),), "b_frames": 2}),
    "h264.mkv": ("libx264", {"sounds": _SOUND, "cues": ((0, 300, "chop"),), "chapters": ((0, 400, "One"),)}),
    "h264.mov": ("libx264", {"faststart": False, "rotation": 90}),
    "h264.ts": ("libx264", {"sounds": _SOUND}),
    "h264.flv": ("libx264", {"sounds": _SOUND}),
    "variable.mkv": ("libx264", {"stamps": _UNEVEN, "time_base": Fraction(1, 1000)}),
    "hevc.mp4": ("libx265", {}),
    "hevc.mkv": ("libx265", {}),
    "vp9.webm": ("libvpx-vp9", {}),
    "vp8.webm": ("libvpx", {"options": {"deadline": "realtime"}}),
    "av1.mp4": ("libsvtav1", {}),
    "mpeg4.avi": ("mpeg4", {"sounds": (Sound(rate=32000, layout="mono", codec="mp2"),)}),
    "mpeg4.3gp": ("mpeg4", {}),
    "mjpeg.avi": ("mjpeg", {"pix_fmt": "yuvj420p"}),
    "mpeg2.mpg": ("mpeg2video", {}),
    "mpeg2.ts": ("mpeg2video", {}),
    "wmv.asf": ("wmv2", {}),
    "ffv1.nut": ("ffv1", {}),
    "prores.mov": ("prores_ks", {"pix_fmt": "yuv422p10le"}),
    "flv1.flv": ("flv", {}),
}  # fmt: skip


def videos(folder: Path) -> list[Path]:
    """Videos of 64 × 48 in many containers and codecs; what this build of libav cannot write is left out."""
    made = []
    for name, (codec, more) in _VIDEOS.items():
        path = folder / name
        if not path.exists():
            size = (128, 96) if codec in ("libsvtav1", "prores_ks") else (64, 48)
            try:
                make(path, Movie(frames=FRAMES, size=size, codec=codec, **more))  # type: ignore[arg-type]
            except (OSError, ValueError):
                path.unlink(missing_ok=True)
                continue
        made.append(path)
    return made


def documents(folder: Path) -> list[Path]:
    """A text of every kind."""
    texts = DOCUMENTS | {name: SUBTITLES[name] for name in ("a.srt", "a.vtt")}
    contents = {name: text.encode() for name, text in texts.items()} | {"recipe.txt": RECIPE.read_bytes()}
    contents["t.docx"] = word_file(*(paragraph(step, number=1) for step in STEPS))
    contents["t.pdf"] = pdf_file("Method", *(f"{i}. {step}" for i, step in enumerate(STEPS, 1)))
    return _written(folder, contents)


def subtitles(folder: Path) -> list[Path]:
    """A subtitle file of every kind."""
    return _written(folder, {name: text.encode() for name, text in SUBTITLES.items()})


def timelines(folder: Path) -> list[Path]:
    """Timelines of a video beside them, of constant and of variable rate."""
    found = []
    for video in videos(folder):
        if video.name not in ("h264.mkv", "variable.mkv"):
            continue
        path = folder / f"{video.stem}.json"
        if not path.exists():
            accelerate(video, TEXT, speed=3, method="uniform", encoder=NoEncoder()).timeline.save(path)
        found.append(path)
    return found


def alignments(folder: Path) -> list[Path]:
    """A small alignment."""
    path = folder / "a.npz"
    if not path.exists():
        align(videos(folder)[0], TEXT, encoder="narrated", listen="off").save(path)
    return [path]


def models(folder: Path) -> list[Path]:
    """Files of agents: manifest, weights, and what PyTorch saves."""
    import torch  # noqa: PLC0415

    source, path = shipped("sff-rl-narrated"), folder / "agent.pth"
    sizes = {"fc1": (8, 6), "fc2": (4, 8), "fc3": (3, 4)}
    weights = {f"{name}.weight": torch.zeros(size) for name, size in sizes.items()}
    weights |= {f"{name}.bias": torch.zeros(size[0]) for name, size in sizes.items()}
    if not path.exists():
        torch.save({"policy_state_dict": weights, "epoch": 1}, path)
    names = ("model.json", "weights.safetensors")
    return [path, *_written(folder, {name: (source / name).read_bytes() for name in names})]


def lists(folder: Path) -> list[Path]:
    """A list of videos for `saffa batch`."""
    rows = "video,text,speed,output\nh264.mp4,t.txt,4,a.mp4\nh264.mkv,t.txt,8x,b.mkv\n"
    videos(folder), documents(folder)
    return _written(folder, {"list.csv": rows.encode()})


def _written(folder: Path, contents: dict[str, bytes]) -> list[Path]:
    for name, data in contents.items():
        if not (folder / name).exists():
            (folder / name).write_bytes(data)
    return [folder / name for name in contents]
