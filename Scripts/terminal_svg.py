#!/usr/bin/python3
"""Draws captured terminal output as one SVG: terminal_svg.py OUTPUT.svg [COMMAND CAPTURE]…

A capture is the output of `tmux capture-pane -e -p`, with escape sequences.
"""
import pathlib
import re
import sys

from rich.console import Console
from rich.text import Text

COLUMNS = 112


def main():
    output, pairs = sys.argv[1], sys.argv[2:]
    console = Console(record=True, width=COLUMNS, file=open("/dev/null", "w"), force_terminal=True, color_system="truecolor")
    for command, capture in zip(pairs[::2], pairs[1::2]):
        console.print(Text(f"$ {command}", style="bold"))
        lines = pathlib.Path(capture).read_text().rstrip().splitlines()
        for line in lines:
            console.print(Text.from_ansi(line), overflow="crop", no_wrap=True, crop=True)
        console.print()
    drawing = console.export_svg(title="swift-audio-session", clear=False)
    # A picture in README.md loads no fonts from elsewhere; the drawing falls back to monospace.
    pathlib.Path(output).write_text(re.sub(r"\s*@font-face \{[^}]*\}", "", drawing))


if __name__ == "__main__":
    main()
