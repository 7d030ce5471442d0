"""The manual page of the settings file, from the commented sample Packaging/audiosession.yaml."""
import dataclasses
import re

import roff
from commands import PackagingError

SECTION = re.compile(r"([a-z-]+):$")
SETTING = re.compile(r"  ([a-z-]+): (\S.*)$")
EXAMPLE = "Example:"


@dataclasses.dataclass
class Setting:
    """Settings that share a description, each with its default."""

    section: str
    defaults: list
    description: str


@dataclasses.dataclass
class Section:
    """A section of the file; one without settings has an example, a comment of the sample."""

    name: str
    description: str
    settings: list = dataclasses.field(default_factory=list)
    example: list = dataclasses.field(default_factory=list)


def read_sample(text):
    """Returns the sections of the sample."""
    sections = []
    # The first block of comments describes the file.
    for block in text.strip().split("\n\n")[1:]:
        if all(line.startswith("#") for line in block.splitlines()):
            sections.append(section_in_comments(block))
        else:
            sections.append(section_of(block))
    return sections


def section_in_comments(block):
    lines = [line[2:] for line in block.splitlines()]
    begin = next((index for index, line in enumerate(lines) if SECTION.match(line)), None)
    if begin is None:
        raise PackagingError(f"The sample has a comment that belongs to no section: '{lines[0]}'")
    description = " ".join(lines[:begin]).strip().removesuffix(EXAMPLE).strip()
    return Section(SECTION.match(lines[begin]).group(1), description, example=lines[begin:])


def section_of(block):
    section, comment, heading = None, [], []
    for line in block.splitlines():
        title, setting = SECTION.match(line), SETTING.match(line)
        if line.lstrip().startswith("#"):
            comment.append(line.lstrip()[1:].strip())
        elif title:
            section, comment = Section(title.group(1), " ".join(comment)), []
        elif setting and section:
            add_setting(section, setting.groups(), " ".join(comment))
            comment = []
        else:
            raise PackagingError(f"The sample contains a line that is no setting: '{line}'")
    return section


def add_setting(section, named, description):
    if description:
        section.settings.append(Setting(section.name, [named], description))
    elif section.settings:
        section.settings[-1].defaults.append(named)
    else:
        raise PackagingError(f"The sample does not describe '{section.name}.{named[0]}'.")


def add_sections(page, sections):
    for section in sections:
        page.subsection(section.name)
        if section.description:
            page.paragraph(section.description)
        for setting in section.settings:
            names = [roff.bold(f"{setting.section}.{name}") for name, _ in setting.defaults]
            description, _, example = setting.description.partition(f" {EXAMPLE} ")
            page.definition(names, [description, *([f"Example: `{example}`"] if example else []), defaults(setting)])
        if section.example:
            page.paragraph(EXAMPLE)
            page.literal(section.example)


def defaults(setting):
    values = [value for _, value in setting.defaults]
    if len(set(values)) == 1:
        return f"Default: `{values[0]}`"
    return "Default: " + ", ".join(f"{name} `{value}`" for name, value in setting.defaults)
