"""`treegauge completion`: prints a script that lets a shell complete commands and options."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class


@click.command()
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@click.pass_context
def completion(ctx: click.Context, shell: str) -> None:
    """Print what lets a shell complete commands and options, to be read where the shell starts.

    \b
    Examples:
      treegauge completion bash >> ~/.bashrc
      treegauge completion zsh >> ~/.zshrc
      treegauge completion fish > ~/.config/fish/completions/treegauge.fish
    """
    completion_class = get_completion_class(shell)
    assert completion_class is not None
    click.echo(completion_class(ctx.find_root().command, {}, "treegauge", "_TREEGAUGE_COMPLETE").source())
