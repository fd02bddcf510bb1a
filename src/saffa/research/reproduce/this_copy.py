"""What a report was made with: the command's choices, the data at hand, and how agents were trained."""

from __future__ import annotations

from collections.abc import Sequence
from importlib.metadata import version

from saffa.research.evaluation.markdown import Sheet, sheet
from saffa.research.evaluation.protocol import COIN, YOUCOOK2, Bench, with_videos
from saffa.research.evaluation.score import METHODS
from saffa.research.evaluation.variants import SEEDED, Variant, all_facts, duration, material, seeds, variants
from saffa.research.reproduce.context import SLOW, SPEEDS, Context, label

EVERYWHERE = ("saffa",)
"""One agent for all benches."""


def command(context: Context, target: str) -> str:
    """The command as it is typed, with the choices that are not the usual ones."""
    return " ".join(["saffa reproduce", target, "--data DATA -o report", *flags(context)])


def flags(context: Context) -> list[str]:
    """The choices that are not the usual ones."""
    usual = Context(context.data, context.out)
    chosen = {
        "--methods": (",".join(context.methods), ",".join(METHODS)),
        "--benchmarks": (",".join(bench.name for bench in context.benches) if context.named else "", ""),
        "--speeds": (listed(context.speeds), listed(SPEEDS)),
        "--few-speeds": (listed(context.few_speeds), listed(context.speeds)),
        "--encoder": (context.encoder, usual.encoder),
        "--epochs": (str(context.epochs), str(usual.epochs)),
        "--seeds": (str(context.seeds), str(usual.seeds)),
        "--training-videos": (str(context.videos), str(usual.videos)),
    }
    return [f"{name} {value}" for name, (value, usually) in chosen.items() if value != usually]


def listed(speeds: Sequence[int]) -> str:
    """`2-20`, `2,5,12`: runs of more than two are joined."""
    runs: list[list[int]] = []
    for speed in speeds:
        if runs and speed == runs[-1][-1] + 1:
            runs[-1].append(speed)
        else:
            runs.append([speed])
    parts = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ",".join(map(str, run)) for run in runs]
    return ",".join(parts)


def this_copy(context: Context) -> str:
    """A paragraph, and a table of the agents behind the rows."""
    lines = [f"**This copy** was made by `{command(context, 'all')} --page PAGE.md` (saffa {version('saffa')})."]
    lines.append(f"Output speed against the target was measured at {listed(context.speeds)}×{_slow(context)}.")
    lines.append(_data(context))
    agents = agent_sheet(context)
    if not agents.rows:
        return " ".join(lines)
    told = "The agents behind the rows, as their manifests tell (those of the ablation stand in its tables):"
    return f"{' '.join(lines)}\n\n{told}\n\n{agents.markdown()}"


def _slow(context: Context) -> str:
    slow = [label(method, ran=False) for method in SLOW if method in context.methods]
    if not slow or context.few_speeds == context.speeds:
        return ""
    only = " only" if set(context.few_speeds) < set(context.speeds) else ""
    return f", that of {', '.join(slow)} at {listed(context.few_speeds)}×{only}"


def _data(context: Context) -> str:
    """How many test videos of each dataset were used."""
    parts = []
    absent: list[str] = []
    for bench in (*context.benches, YOUCOOK2, COIN):
        seeing, _ = context.here(with_videos(bench, context.data, context.encoder))
        usable, _ = (seeing, []) if seeing else context.here([bench])
        count = sum(len(context.material(one).videos) for one in usable)
        how = "" if seeing or not bench.blind else ", annotations alone"
        if usable:
            parts.append(f"{bench.name} ({count} videos{how})")
        else:
            absent.append(bench.name)
    missing = f" Not at hand: {', '.join(absent)}." if absent else ""
    return f"Test data: {', '.join(parts) or 'none'}.{missing}"


def agent_sheet(context: Context) -> Sheet:
    """A row per trained method and bench."""
    benches, _ = context.here((*context.all_benches, *context.youcook2_files))
    rows = []
    for method in SEEDED:
        asked = [bench for bench in benches if method in context.methods_of(bench)]
        for bench in asked[:1] if method in EVERYWHERE else asked:
            found = variants(method, bench, context.agents)
            if found:
                rows.append([label(method, bench), _where(method, bench), seeds(found), *_told(found)])
    return sheet(["method", "bench", "seeds", "trained for", "trained on"], rows)


def _where(method: str, bench: Bench) -> str:
    if method in EVERYWHERE:
        return "all"
    return f"{bench.name} ({bench.eyes})" if bench.eyes else bench.name


def _told(found: Sequence[Variant]) -> tuple[str, str]:
    """How long and on what, each different answer once."""
    facts = all_facts(found)
    return "; ".join(dict.fromkeys(map(duration, facts))), "; ".join(dict.fromkeys(map(material, facts)))
