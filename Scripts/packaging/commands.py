"""The commands, options and texts of the project's programs, read from the built programs.

Programs in Swift print their command tree as JSON (`--experimental-dump-help`), those in C only
their `--help`. Both become a Command.
"""
import dataclasses
import json
import pathlib
import re
import subprocess

USER_PROGRAMS = (
    "audiosession", "player", "recorder", "audiosessiond", "audiosession-adopt", "audiosession-desktop",
    "audiosession-server", "audiosession-device", "audiosession-conformance",
)
# Other programs start these.
INTERNAL_PROGRAMS = ("audiosession-hand", "audiosession-mpris")
TIME_LIMIT = 30


class PackagingError(Exception):
    """A fault of the input, with a sentence for the user."""


@dataclasses.dataclass(frozen=True)
class Option:
    """One option or flag. `value` is the placeholder of its value, None for a flag."""

    names: tuple
    text: str
    value: str | None = None
    values: tuple = ()
    default: str | None = None

    @property
    def long(self):
        return next(name for name in self.names if name.startswith("--"))


@dataclasses.dataclass(frozen=True)
class Argument:
    """One positional argument."""

    name: str
    text: str
    values: tuple = ()
    default: str | None = None
    is_repeating: bool = False


@dataclasses.dataclass
class Command:
    """A program, or a subcommand of one.

    `discussion` contains paragraphs, and lists of (term, text).
    """

    path: tuple
    abstract: str
    usages: list
    discussion: list = dataclasses.field(default_factory=list)
    exit_status: str | None = None
    options: list = dataclasses.field(default_factory=list)
    arguments: list = dataclasses.field(default_factory=list)
    subcommands: list = dataclasses.field(default_factory=list)
    is_swift: bool = True

    @property
    def name(self):
        return self.path[-1]

    def option(self, name):
        return next((option for option in self.options if name in option.names), None)

    def subcommand(self, name):
        return next((command for command in self.subcommands if command.name == name), None)

    def all(self):
        """Yields this command and all below it."""
        yield self
        for command in self.subcommands:
            yield from command.all()


def run(*words):
    """Returns the result of a program, with its output as text."""
    try:
        return subprocess.run(
            [str(word) for word in words], capture_output=True, text=True, stdin=subprocess.DEVNULL, timeout=TIME_LIMIT)
    except (OSError, subprocess.TimeoutExpired) as error:
        raise PackagingError(f"'{words[0]}' cannot be run: {error}.") from None


def output(*words):
    result = run(*words)
    if result.returncode != 0:
        raise PackagingError(f"'{' '.join(str(word) for word in words)}' exits with {result.returncode}: {result.stderr.strip()}")
    return result.stdout


def read_program(folder, name):
    """Returns the Command of the program `name` in `folder`."""
    program = pathlib.Path(folder) / name
    dump = run(program, "--experimental-dump-help")
    if dump.returncode == 0:
        return swift_command(program, json.loads(dump.stdout)["command"], (name,))
    return parse_help(name, output(program, "--help"))


def read_programs(folder, names):
    return {name: read_program(folder, name) for name in names}


def write(folder, texts):
    """Writes each text to its path in the folder."""
    for path, text in texts.items():
        file = pathlib.Path(folder) / path
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)


# ---- Programs in Swift -------------------------------------------------------------------------


def swift_command(program, tree, path):
    paragraphs = tree.get("discussion", "").split("\n\n") if tree.get("discussion") else []
    status = [text for text in paragraphs if text.startswith("Exit status: ")]
    command = Command(
        path, tree["abstract"], usages_of(program, path),
        [text.replace("\n", " ") for text in paragraphs if text not in status],
        status[0].removeprefix("Exit status: ") if status else None)
    for item in tree.get("arguments", []):
        if item["shouldDisplay"]:
            add_argument(command, item)
    command.subcommands = [
        swift_command(program, below, (*path, below["commandName"]))
        for below in tree.get("subcommands", []) if below["commandName"] != "help"
    ]
    return command


def add_argument(command, item):
    completion = item.get("completionKind") or {}
    values = item.get("allValues") or completion.get("list", {}).get("values", ())
    shared = {"text": item.get("abstract", ""), "values": tuple(values), "default": item.get("defaultValue")}
    if item["kind"] == "positional":
        command.arguments.append(Argument(item["valueName"], is_repeating=item["isRepeating"], **shared))
        return
    prefixes = {"short": "-", "long": "--", "longWithSingleDash": "-"}
    names = tuple(prefixes[name["kind"]] + name["name"] for name in item["names"])
    command.options.append(Option(names, value=item["valueName"] if item["kind"] == "option" else None, **shared))


def usages_of(program, path):
    """Returns the lines of a command's usage; the JSON does not contain them."""
    lines = output(program, *path[1:], "--help").splitlines()
    begin = next(index for index, line in enumerate(lines) if line.startswith("USAGE: "))
    end = lines.index("", begin)
    return [line.removeprefix("USAGE:").strip() for line in lines[begin:end]]


# ---- Programs in C -----------------------------------------------------------------------------

OPTION = re.compile(r"  (--[a-z-]+)(?: ([A-Z]+))?  +(\S.*)")
DEFINITION = re.compile(r"  (\S+(?: \S+)*)   +(\S.*)")
# The values of an option, at the beginning of its text: "auto, alsa or dummy".
VALUES = re.compile(r"((?:\w+, )*\w+) or (\w+) \(")


def parse_help(name, text):
    """Returns the Command that a help text in the form of the C programs describes."""
    lines = text.splitlines()
    heading = f"{name}: "
    usage = next((line for line in lines if line.startswith("usage: ")), None)
    if not lines or not lines[0].startswith(heading) or usage is None:
        raise PackagingError(f"The help of {name} does not begin with its name and its usage.")
    abstract = lines[0].removeprefix(heading)
    command = Command((name,), abstract[0].upper() + abstract[1:], [usage.removeprefix("usage: ")], is_swift=False)
    rest = parse_options(command, lines[lines.index(usage) + 1:])
    status = next((index for index, line in enumerate(rest) if line.lower().startswith("exit status: ")), len(rest))
    if status < len(rest):
        command.exit_status = " ".join(rest[status:]).strip()[len("exit status: "):]
    command.discussion = blocks(rest[:status])
    add_types(command)
    return command


def parse_options(command, lines):
    """Adds the options to the command. Returns the lines after them."""
    found, index = [], 0
    while index < len(lines) and (not lines[index] or lines[index].startswith("  ")):
        match = OPTION.match(lines[index])
        if match:
            found.append([match.group(1), match.group(2), match.group(3)])
        elif lines[index]:
            found[-1][2] += ("; " if ": " in lines[index] else " ") + lines[index].strip()
        index += 1
    for name, value, text in found:
        match = VALUES.match(text)
        values = (*match.group(1).split(", "), match.group(2)) if match else ()
        command.options.append(Option((name,), sentence(text), value, values))
    return lines[index:]


def blocks(lines):
    """Returns the paragraphs, and the lists of (term, text), that the lines contain."""
    result, kind = [], None
    for line in lines:
        match = DEFINITION.match(line)
        if not line.strip():
            kind = None
        elif match:
            if kind != "list":
                result.append([])
            result[-1].append(match.groups())
            kind = "list"
        elif kind == "list" and line.startswith("  "):
            term, text = result[-1][-1]
            result[-1][-1] = (term, f"{text} {line.strip()}")
        elif kind == "text":
            separator = ", " if line.startswith("  ") and not result[-1].endswith((":", ",")) else " "
            result[-1] += separator + line.strip()
        else:
            result.append(line.strip())
            kind = "text"
    return [
        [(term, sentence(text)) for term, text in block] if isinstance(block, list) else sentence(block) for block in result
    ]


def add_types(command):
    """The option --type refers to a list at the end of the help."""
    option = command.option("--type")
    text = next((block for block in command.discussion if isinstance(block, str) and "Types: " in block), None)
    if option is None or text is None:
        return
    values = tuple(text.split("Types: ")[1].rstrip(".").split(", "))
    command.options[command.options.index(option)] = dataclasses.replace(option, values=values)


def sentence(text):
    """Returns the text with a full stop, and with a capital letter unless it begins with a program or a value.

    Values, such as `auto`, are followed by punctuation.
    """
    text = text.strip()
    first = text.split(" ")[0]
    if first.isalpha() and first.islower() and first not in USER_PROGRAMS:
        text = text[0].upper() + text[1:]
    return text if text.endswith((".", ":")) else text + "."
