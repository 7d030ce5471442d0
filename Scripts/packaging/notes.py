"""What --help does not say: the environment, files and examples of each page, in Packaging/man.

In a file NAME.txt, a line [TITLE] begins a section. In [ENVIRONMENT], [FILES] and [EXAMPLES], one or
more lines at the margin, which are commands in the case of examples, precede indented lines that
describe them. A line `@ TERM` stands for that entry of the same section of common.txt. The other
sections, [DESCRIPTION] and [SEE ALSO], are paragraphs. Lines that begin with # are comments.
"""
import re
import shlex

from commands import PackagingError

TITLE = re.compile(r"\[([A-Z ]+)\]$")
SEPARATORS = {"|", "||", "&", "&&", ";"}


def read_sections(file):
    """Returns the lines of each section of a file; an empty dictionary if there is no such file."""
    sections, title = {}, None
    for line in file.read_text().splitlines() if file.exists() else ():
        match = TITLE.match(line)
        if match:
            title = match.group(1)
            sections[title] = []
        elif not line.startswith("#") and (title or line.strip()):
            if title is None:
                raise PackagingError(f"{file.name} begins without a [SECTION].")
            sections[title].append(line)
    return sections


def entries(lines):
    """Returns the entries of a section as (terms, text)."""
    found = []
    for line in lines:
        if not line.strip():
            continue
        if line.startswith(" ") and found:
            terms, text = found[-1]
            found[-1] = (terms, f"{text} {line.strip()}".strip())
        elif found and not found[-1][1] and not found[-1][0][0].startswith("@ ") and not line.startswith("@ "):
            found[-1][0].append(line)
        else:
            found.append(([line], ""))
    return found


def paragraphs(lines):
    return [" ".join(text.split()) for text in "\n".join(lines).split("\n\n") if text.strip()]


class Notes:
    """The notes of one page."""

    def __init__(self, folder, name):
        self.name = name
        self.sections = read_sections(folder / f"{name}.txt")
        self.common = read_sections(folder / "common.txt")

    def text(self, title):
        return paragraphs(self.sections.get(title, []))

    def entries(self, title):
        shared = {terms[0]: (terms, text) for terms, text in entries(self.common.get(title, []))}
        found = []
        for terms, text in entries(self.sections.get(title, [])):
            if terms[0].startswith("@ "):
                term = terms[0].removeprefix("@ ")
                if term not in shared:
                    raise PackagingError(f"{self.name}.txt refers to '{term}', which common.txt does not contain.")
                terms, text = shared[term]
            if not text:
                raise PackagingError(f"{self.name}.txt does not describe '{terms[0]}'.")
            found.append((terms, text))
        return found


# ---- Examples ----------------------------------------------------------------------------------


def check_example(line, programs):
    """Refuses a command line with options or arguments that one of the programs does not know."""
    lexer = shlex.shlex(line, posix=True, punctuation_chars=True)
    lexer.whitespace_split = True
    words = []
    for word in [*lexer, ";"]:
        if word in SEPARATORS:
            check_words(line, words, programs)
            words = []
        else:
            words.append(word)


def check_words(line, words, programs):
    while words and re.match(r"\w+=", words[0]):
        words = words[1:]
    if words and words[0] in programs:
        check_arguments(line, programs[words[0]], words[1:], programs)


def check_arguments(line, command, words, programs):
    words, positions = list(words), []
    while words:
        word = words.pop(0)
        if word == "--":
            check_words(line, words, programs)
            return
        if re.match(r"--?[A-Za-z]", word):
            check_option(line, command, word, words)
        elif command.subcommands:
            below = command.subcommand(word)
            if below is None:
                refuse(line, f"'{' '.join(command.path)}' has no subcommand '{word}'")
            check_arguments(line, below, words, programs)
            return
        else:
            positions.append(word)
            check_position(line, command, positions)


def check_option(line, command, word, words):
    """Takes the value of the option from the words."""
    name, equals, value = word.partition("=")
    option = command.option(name)
    if option is None:
        refuse(line, f"'{' '.join(command.path)}' has no option '{name}'")
    if option.value is None:
        return
    if not equals and not words:
        refuse(line, f"the value of '{name}' is missing")
    value = value if equals else words.pop(0)
    if option.values and value not in option.values:
        refuse(line, f"'{name}' has no value '{value}'; its values are {', '.join(option.values)}")


def check_position(line, command, positions):
    arguments, word = command.arguments, positions[-1]
    if len(positions) > len(arguments) and not (arguments and arguments[-1].is_repeating):
        refuse(line, f"'{' '.join(command.path)}' does not accept the argument '{word}'")
    argument = arguments[min(len(positions), len(arguments)) - 1]
    if argument.values and word not in argument.values:
        refuse(line, f"'{' '.join(command.path)}' has no {argument.name} '{word}'")


def refuse(line, reason):
    raise PackagingError(f"The example `{line}` is wrong: {reason}.")
