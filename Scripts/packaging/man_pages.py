#!/usr/bin/env python3
"""man_pages.py PROGRAMS OUTPUT [--version V]: writes manual pages.

Writes those of the programs in the folder PROGRAMS to OUTPUT/man1, and that of the settings file to
OUTPUT/man5. The pages contain what the programs print about themselves, and the notes in
Packaging/man (notes.py describes their format). The version is that of CMakeLists.txt unless given.
The date is SOURCE_DATE_EPOCH, or that of the last commit, so that the same sources give the same
bytes.
"""
import argparse
import datetime
import os
import pathlib
import re
import sys

import commands
import notes
import roff
import settings_page
from commands import PackagingError

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
SETTINGS = "audiosession.yaml"
PROJECT = "swift-audio-session"
HELP = "--help"


def project_version():
    match = re.search(r"project\([^)]*VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())
    if not match:
        raise PackagingError("CMakeLists.txt contains no version; use --version.")
    return match.group(1)


def source_date():
    """Returns the date of the sources as YYYY-MM-DD."""
    epoch = os.environ.get("SOURCE_DATE_EPOCH")
    if not epoch:
        result = commands.run("git", "-C", ROOT, "log", "-1", "--format=%ct")
        if result.returncode != 0:
            raise PackagingError("The date of the sources is unknown: set SOURCE_DATE_EPOCH, or run this in a clone.")
        epoch = result.stdout
    try:
        return datetime.datetime.fromtimestamp(int(epoch), datetime.timezone.utc).strftime("%Y-%m-%d")
    except ValueError:
        raise PackagingError(f"SOURCE_DATE_EPOCH is no number of seconds: '{epoch}'.") from None


# ---- Commands ----------------------------------------------------------------------------------


def add_discussion(page, command):
    for block in command.discussion:
        if isinstance(block, str):
            page.paragraph(block)
        else:
            for term, text in block:
                page.definition([roff.usage(term)], [text])


def details(item):
    """Returns the text of an option or an argument, with its values and its default."""
    text = [item.text] if item.text else []
    facts = []
    if item.values and not all(re.search(rf"\b{re.escape(value)}\b", item.text) for value in item.values):
        facts.append("Values: " + ", ".join(item.values))
    if item.default is not None:
        facts.append(f"Default: {item.default}")
    return [" ".join([*text, *(fact + "." for fact in facts)])]


def option_term(option):
    names = ", ".join(roff.bold(name) for name in option.names)
    return names + (" " + roff.italic(option.value) if option.value else "")


def add_options(page, command, with_help=True):
    for argument in command.arguments:
        page.definition([roff.italic(argument.name)], details(argument))
    for option in command.options:
        if with_help or HELP not in option.names:
            page.definition([option_term(option)], details(option))


def add_commands(page, program):
    """Describes all subcommands; a group of them comes before its members."""
    page.section("COMMANDS")
    for command in list(program.all())[1:]:
        page.subsection(" ".join(command.path[1:]))
        if not command.subcommands:
            page.synopsis(command.usages)
        page.paragraph(command.abstract)
        add_discussion(page, command)
        if command.exit_status:
            page.paragraph(f"Exit status: {command.exit_status}")
        add_options(page, command, with_help=False)


def add_exit_status(page, command):
    """Adds the exit status as a list.

    Each part begins with a number, or is a condition before numbers, or a sentence.
    """
    if not command.exit_status:
        raise PackagingError(f"The help of {command.name} does not describe its exit status.")
    page.section("EXIT STATUS")
    for part in command.exit_status.rstrip(".").split("; "):
        match = re.match(r"(?:(.*?): )?(\d+ .*)$", part)
        condition, items = match.groups() if match else (part[0].upper() + part[1:] + ".", "")
        if condition:
            page.paragraph(condition if not match else condition[0].upper() + condition[1:] + ":")
        for item in filter(None, re.split(r", (?=\d+ )", items)):
            number, _, meaning = item.partition(" ")
            page.definition([roff.bold(number)], [commands.sentence(meaning)])


# ---- Notes -------------------------------------------------------------------------------------


def add_notes(page, note, pages, programs):
    for title, mark in (("ENVIRONMENT", roff.bold), ("FILES", roff.italic)):
        found = note.entries(title)
        if found:
            page.section(title)
        for terms, text in found:
            page.definition([mark(term) for term in terms], [text])
    found = note.entries("EXAMPLES")
    if found:
        page.section("EXAMPLES")
    for lines, text in found:
        for line in lines:
            notes.check_example(line, programs)
        page.paragraph(text)
        page.literal(lines)
    add_references(page, note, pages)


def add_references(page, note, pages):
    text = " ".join(note.text("SEE ALSO"))
    for name, section in re.findall(r"([\w.-]+)\((\d)\)", text):
        is_own = name.startswith("audiosession") or name in ("player", "recorder")
        if is_own and pages.get(name) != section:
            raise PackagingError(f"{note.name}.txt refers to the page {name}({section}), which does not exist.")
    if text:
        page.section("SEE ALSO")
        page.paragraph(text)


def program_page(page, command, note, pages, programs):
    abstract = command.abstract.rstrip(".")
    page.name(command.name, abstract[0].lower() + abstract[1:])
    page.section("SYNOPSIS")
    page.synopsis(command.usages)
    page.section("DESCRIPTION")
    page.paragraph(command.abstract)
    for text in note.text("DESCRIPTION"):
        page.paragraph(text)
    add_discussion(page, command)
    page.section("OPTIONS")
    add_options(page, command)
    if command.subcommands:
        page.paragraph(f"Every command accepts `-h` and `--help`; `{command.name} help` followed by a command prints the same.")
        add_commands(page, command)
    add_exit_status(page, command)
    add_notes(page, note, pages, programs)


def settings_file_page(page, note, pages, programs):
    page.name(SETTINGS, "settings of the audio session service")
    page.section("DESCRIPTION")
    for text in note.text("DESCRIPTION"):
        page.paragraph(text)
    page.section("SETTINGS")
    settings_page.add_sections(page, settings_page.read_sample((ROOT / "Packaging" / SETTINGS).read_text()))
    add_notes(page, note, pages, programs)


# ---- Output ------------------------------------------------------------------------------------


def make_pages(folder, version, notes_folder=ROOT / "Packaging" / "man"):
    """Returns the text of each page by its path."""
    names = commands.USER_PROGRAMS + commands.INTERNAL_PROGRAMS
    programs = commands.read_programs(folder, names)
    pages = {**dict.fromkeys(names, "1"), SETTINGS: "5"}
    date, texts = source_date(), {}
    for name, section in pages.items():
        manual = "User Commands" if section == "1" else "File Formats"
        page = roff.Page(name, section, date, f"{PROJECT} {version}", manual)
        note = notes.Notes(notes_folder, name)
        if name in programs:
            program_page(page, programs[name], note, pages, programs)
        else:
            settings_file_page(page, note, pages, programs)
        texts[f"man{section}/{name}.{section}"] = page.text
    return texts


def main():
    parser = argparse.ArgumentParser(description="Writes the manual pages of the programs.")
    parser.add_argument("programs", help="the folder with the built programs")
    parser.add_argument("output", help="the folder that gets man1 and man5")
    parser.add_argument("--version", help="the version on the pages; default: that of CMakeLists.txt")
    arguments = parser.parse_args()
    try:
        commands.write(arguments.output, make_pages(arguments.programs, arguments.version or project_version()))
    except PackagingError as error:
        print(f"man_pages.py: {error}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
