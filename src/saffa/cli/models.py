"""`saffa models`: what is published, what is here, and how to bring it in."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from saffa.core.errors import InputError
from saffa.core.strict_json import json_text
from saffa.storage import published_models as model_store

if TYPE_CHECKING:
    from saffa.storage.models import ModelFolder

app = typer.Typer(add_completion=False, help="Published models: list, import, verify, find.", no_args_is_help=True)

AsJson = Annotated[bool, typer.Option("--json", help="Print the result as JSON.")]
Name = Annotated[str, typer.Argument(metavar="NAME", help="A name from `saffa models list`.")]


@app.command("list")
def list_models(as_json: AsJson = False) -> None:
    """Models that come with saffa, files that others publish, and what was imported so far."""
    from saffa.storage.models import imported_models, shipped_models  # noqa: PLC0415

    folder = model_store.models_folder()
    published = [_published(entry) for entry in model_store.PUBLISHED]
    imported = [{"name": m.name, "kind": m.kind, "path": str(m.path)} for m in imported_models()]
    shipped = [_shipped(model) for model in shipped_models()]
    if as_json:
        typer.echo(json_text({"folder": str(folder), "shipped": shipped, "published": published, "imported": imported}))
        return
    from rich.table import Column, Table  # noqa: PLC0415

    from saffa.cli.report import Screen  # noqa: PLC0415

    own = Table(Column("comes with saffa", no_wrap=True), "kind", Column("MB", justify="right"), "licence")
    for row in shipped:
        own.add_row(row["name"], row["kind"], f"{row['size'] / 1e6:.1f}", row["licence"])
    table = Table(Column("published by others", no_wrap=True), "kind", "here", "what", "licence", "sha256")
    for row in published:
        here = "yes" if row["here"] else "no"
        table.add_row(row["name"], row["kind"], here, row["about"], row["licence"], row["sha256"] or "not known")
    for row in imported:
        table.add_row(row["name"], row["kind"], "imported", row["path"], "", "")
    console = Screen()
    console.print(own)
    console.print(table)
    typer.echo(f"`saffa models import NAME` downloads to {folder}; files saved there by hand are used too.")


@app.command("join")
def join(
    agents: Annotated[list[str], typer.Argument(metavar="AGENT...", help="Compact agents: runs, folders or names.")],
    output: Annotated[Path, typer.Option("-o", "--output", metavar="FOLDER", help="Where the joint agent goes.")],
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model in that folder.")] = False,
) -> None:
    """Join compact agents into one whose scores are the mean of all that look ahead, and of all that do not."""
    from saffa.methods.paper.compact import CompactAgent, joined, save_compact  # noqa: PLC0415
    from saffa.storage.models import ModelFolder, find, not_found  # noqa: PLC0415

    paths = [find(name) for name in agents]
    if None in paths:
        raise not_found("agent", agents[paths.index(None)])
    folders = [ModelFolder.open(path) for path in paths if path is not None]
    members = [CompactAgent.load(folder.path) for folder in folders]
    training = [folder.facts.get("training", {}) for folder in folders]
    save_compact(joined(members), output, {"training": training}, overwrite=overwrite)
    typer.echo(f"wrote {output}: {len(members)} agents as one")


@app.command("import")
def import_model(
    file: Annotated[str, typer.Argument(metavar="FILE|NAME", help="A .pth file, or a published name to download.")],
    name: Annotated[
        str | None, typer.Option("--name", help="What to call it. Default: the file's or published name.")
    ] = None,
    vocabulary: Annotated[
        Path | None, typer.Option("--vocabulary", help="Word map (JSON) for encoders whose file has none.")
    ] = None,
    no_position: Annotated[
        bool, typer.Option("--no-position", help="The agent's state has no NRPE (if its file does not say so).")
    ] = False,
    no_skip: Annotated[
        bool, typer.Option("--no-skip", help="The agent's state has no average skip (if its file does not say so).")
    ] = False,
    offline: Annotated[bool, typer.Option("--offline", help="Never download.")] = False,
    overwrite: Annotated[bool, typer.Option("--overwrite", help="Replace a model of that name.")] = False,
    as_json: AsJson = False,
) -> None:
    """Turn a published checkpoint into a model that runs without PyTorch (PyTorch is needed for this once)."""
    from saffa.methods.paper.loading import traits_to_import  # noqa: PLC0415
    from saffa.research.training.vdan.importing import import_checkpoint  # noqa: PLC0415
    from saffa.storage.checkpoints import Checkpoint  # noqa: PLC0415

    def traits(network: Checkpoint) -> dict[str, Any]:
        return traits_to_import(network, path.name, position=not no_position, skip=not no_skip)

    path = Path(file)
    if not path.exists() and path.suffix == "":
        path = _fetched(model_store.published(file), offline)
        name = name or file
    target = model_store.models_folder() / _folder_name(name or path.stem)
    made = import_checkpoint(path, target, vocabulary=vocabulary, traits=traits, overwrite=overwrite)
    if as_json:
        typer.echo(json_text([{"name": m.name, "kind": m.kind, "path": str(m.path)} for m in made]))
        return
    for model in made:
        typer.echo(f"imported {model.name} ({model.kind}) to {model.path}")


@app.command()
def verify(name: Name, as_json: AsJson = False) -> None:
    """Compare a model that came with saffa or was imported, or a published file, with its hashes."""
    from saffa.storage.models import MANIFEST, ModelFolder, shipped_places  # noqa: PLC0415

    name = _folder_name(name)
    checked: list[dict[str, Any]] = []
    for folder in (model_store.models_folder() / name, *(place / name for place in shipped_places())):
        if (folder / MANIFEST).is_file():
            ModelFolder.open(folder).verify()
            checked.append({"path": str(folder), "known": True})
    for entry in model_store.PUBLISHED:
        path = model_store.models_folder() / entry.file
        if entry.name == name and path.is_file():
            found = model_store.verify(path, entry.sha256, entry.size)
            checked.append({"path": str(path), "known": entry.sha256 is not None, "sha256": found})
    if not checked:
        raise InputError(f"There is no model {name!r} here. See `saffa models list`.")
    if as_json:
        typer.echo(json_text(checked))
        return
    for row in checked:
        state = "is whole" if row["known"] else f"has SHA-256 {row['sha256']} (its authors name none to compare with)"
        typer.echo(f"{row['path']} {state}")


@app.command("path")
def model_path(name: Annotated[str | None, typer.Argument(metavar="[NAME]")] = None, as_json: AsJson = False) -> None:
    """Where models are kept, or where one is."""
    from saffa.storage.models import find, not_found  # noqa: PLC0415

    folder = model_store.models_folder()
    if name is None:
        typer.echo(json_text({"folder": str(folder)}) if as_json else str(folder))
        return
    place = find(_folder_name(name))
    if place is None:
        raise not_found("model", name, "See `saffa models list`.")
    typer.echo(json_text({"name": name, "path": str(place)}) if as_json else str(place))


def _shipped(model: ModelFolder) -> dict[str, Any]:
    facts = model.facts
    kept = {key: facts.get(key) for key in ("about", "data", "command", "seed", "date", "quality")}
    licence = str(facts.get("licence", "MIT as saffa"))
    known = {"name": model.name, "kind": model.kind, "size": model.size, "licence": licence}
    return {**known, "path": str(model.path), **kept}


def _published(entry: model_store.Published) -> dict[str, Any]:
    return {
        "name": entry.name,
        "kind": entry.kind,
        "about": entry.about,
        "url": entry.url,
        "file": entry.file,
        "here": (model_store.models_folder() / entry.file).is_file(),
        "licence": entry.licence,
        "sha256": entry.sha256,
        "size": entry.size,
    }


def _fetched(entry: model_store.Published, offline: bool) -> Path:
    from rich.progress import Progress  # noqa: PLC0415

    if entry.kind == "words":
        raise InputError(f"{entry.name} is not a model. Get {entry.url}, unpack it and give its text file to training.")
    with Progress(transient=True) as bars:
        bar = bars.add_task(f"Downloading {entry.file}", total=entry.size)
        return model_store.fetch(
            entry, offline=offline, progress=lambda have, total: bars.update(bar, completed=have, total=total)
        )


def _folder_name(name: str) -> str:
    if name in ("", ".", "..") or name.startswith(".") or Path(name).name != name:
        raise InputError(f"{name!r} cannot be the name of a model; use letters, digits, - and +.")
    return name
