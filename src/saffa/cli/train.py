"""`saffa train`: encoders and agents, each with its own command."""

from __future__ import annotations

import typer

from saffa.cli.train_agent import train_agent, train_ffnet
from saffa.cli.train_encoder import encoder as train_encoder
from saffa.cli.train_own import train_contrastive, train_visual
from saffa.cli.train_vdan import train_vdan

app = typer.Typer(
    add_completion=False,
    no_args_is_help=True,
    help="Train an encoder or an agent (needs `pip install saffa\\[train]`).",
)
app.command("saffa")(train_agent)
app.command("vdan")(train_vdan)
app.command("encoder")(train_encoder)
app.command("contrastive")(train_contrastive)
app.command("visual")(train_visual)
app.command("ffnet")(train_ffnet)
