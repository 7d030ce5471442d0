#!/usr/bin/env python3
"""Tests the manual pages and the completions of the programs in the folder that AUDIOSESSION_PROGRAMS names."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest
import unittest.mock

SCRIPTS = pathlib.Path(__file__).resolve().parents[3] / "Scripts/packaging"
sys.path.insert(0, str(SCRIPTS))
import commands  # noqa: E402
import man_pages  # noqa: E402
import notes  # noqa: E402
import settings_page  # noqa: E402
from commands import PackagingError  # noqa: E402

FOLDER = pathlib.Path(os.environ.get("AUDIOSESSION_PROGRAMS", ".build/debug")).resolve()
OPTION = re.compile(r"^  (?:-\w, )?(--[a-z-]+)", re.MULTILINE)
ENVIRONMENT = {**os.environ, "LC_ALL": "C.UTF-8", "MANWIDTH": "200"}


def needs(program):
    return unittest.skipUnless(shutil.which(program), f"'{program}' is not installed; install it to run this test")


def call(*words, **settings):
    return subprocess.run(
        [str(word) for word in words], capture_output=True, text=True, timeout=60, env=ENVIRONMENT, stdin=subprocess.DEVNULL,
        **settings)


def files_below(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


class OutputTest(unittest.TestCase):
    """Runs both scripts once."""

    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.output = pathlib.Path(temporary.name)
        for script, folder in (("man_pages.py", "man"), ("completions.py", "completions")):
            result = call(sys.executable, "-B", SCRIPTS / script, FOLDER, cls.output / folder)
            if result.returncode != 0:
                raise AssertionError(f"{script} fails: {result.stderr}")


class ManPagesTest(OutputTest):
    def pages(self):
        return sorted((self.output / "man").rglob("*.[15]"))

    def test_every_program_and_the_settings_have_a_page(self):
        names = [*commands.USER_PROGRAMS, *commands.INTERNAL_PROGRAMS]
        expected = {f"man1/{name}.1" for name in names} | {"man5/audiosession.yaml.5"}
        self.assertEqual(set(files_below(self.output / "man")), expected)

    @needs("man")
    def test_man_renders_without_warnings(self):
        for page in self.pages():
            with self.subTest(page.name):
                result = call("man", "--warnings", "-E", "UTF-8", "-l", "-Tutf8", "-Z", page)
                self.assertEqual((result.returncode, result.stderr), (0, ""))

    @needs("mandoc")
    def test_mandoc_finds_nothing(self):
        for page in self.pages():
            with self.subTest(page.name):
                self.assertEqual(call("mandoc", "-T", "lint", page).stdout, "")

    @needs("mandoc")
    def test_pages_contain_every_option_and_subcommand_of_the_help(self):
        for name in (*commands.USER_PROGRAMS, *commands.INTERNAL_PROGRAMS):
            text = call("mandoc", "-T", "ascii", "-O", "width=200", self.output / f"man/man1/{name}.1").stdout
            text = re.sub(r".\x08", "", text)
            for path in self.paths(commands.read_program(FOLDER, name)):
                with self.subTest(" ".join(path)):
                    section = self.section(text, path)
                    options = set(OPTION.findall(call(FOLDER / name, *path[1:], "--help").stdout))
                    self.assertTrue(options)
                    missing = options - {"--help"} - set(re.findall(r"^ {7}(?:-\w, )?(--[a-z-]+)", section, re.MULTILINE))
                    self.assertEqual(missing, set())

    def paths(self, command):
        """Returns the paths of a program's commands, as the help of each lists them."""
        found = [command.path]
        text = call(FOLDER / command.path[0], *command.path[1:], "--help").stdout
        listed = re.findall(r"^  ([a-z-]+) ", text.partition("SUBCOMMANDS:\n")[2], re.MULTILINE)
        self.assertEqual(listed, [below.name for below in command.subcommands])
        for below in command.subcommands:
            found += self.paths(below)
        return found

    def section(self, text, path):
        title = "OPTIONS" if len(path) == 1 else "   " + " ".join(path[1:])
        self.assertRegex(text, f"(?m)^{title}$")
        return re.split(r"(?m)^ {0,3}\S", text.split(f"\n{title}\n")[1])[0]

    def test_two_runs_are_identical(self):
        second = self.output / "second"
        for script, folder in (("man_pages.py", "man"), ("completions.py", "completions")):
            call(sys.executable, "-B", SCRIPTS / script, FOLDER, second / folder)
            self.assertEqual(files_below(second / folder), files_below(self.output / folder))

    def test_the_date_is_that_of_the_environment(self):
        with unittest.mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="86400"):
            self.assertEqual(man_pages.source_date(), "1970-01-02")
        with unittest.mock.patch.dict(os.environ, SOURCE_DATE_EPOCH="today"), self.assertRaises(PackagingError):
            man_pages.source_date()

    def test_exit_statuses_are_a_list(self):
        text = (self.output / "man/man1/audiosessiond.1").read_text()
        self.assertIn(".TP\n\\fB71\\fR\nCannot continue in the background.\n.PP\nWith \\%\\fB\\-\\-foreground\\fR also:", text)


class SettingsTest(unittest.TestCase):
    sample = (man_pages.ROOT / "Packaging/audiosession.yaml").read_text()

    def test_every_number_has_a_range(self):
        for section in settings_page.read_sample(self.sample):
            for setting in section.settings:
                numbers = [name for name, value in setting.defaults if value[0].isdigit()]
                ranges = re.findall(r"[\d.]+ to [\d.]+", setting.description)
                if numbers:
                    with self.subTest(f"{section.name}.{numbers[0]}"):
                        self.assertTrue(ranges)

    def test_the_page_contains_every_line_with_a_value(self):
        names = [
            f"{section.name}.{name}" for section in settings_page.read_sample(self.sample) for setting in section.settings
            for name, _ in setting.defaults]
        self.assertEqual(len(names), len(re.findall(r"(?m)^  [a-z-]+: ", self.sample)))
        self.assertEqual(len(names), len(set(names)))

    def test_a_setting_without_description_is_refused(self):
        with self.assertRaisesRegex(PackagingError, "does not describe 'a.b'"):
            settings_page.read_sample("# File\n\na:\n  b: 1\n")


class ExamplesTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.programs = commands.read_programs(FOLDER, commands.USER_PROGRAMS)

    def test_wrong_examples_are_refused(self):
        for line, reason in {
            "player --no-such-option music.ogg": "'player' has no option '--no-such-option'",
            "audiosession dial": "'audiosession' has no subcommand 'dial'",
            "audiosession call hold": "'audiosession call' has no subcommand 'hold'",
            "audiosession status now": "'audiosession status' does not accept the argument 'now'",
            "audiosession screen open": "'audiosession screen' has no change 'open'",
            "recorder --resume sometimes take.wav": "'--resume' has no value 'sometimes'",
            "audiosession-device --name a --type chair": "'--type' has no value 'chair'",
            "A=1 player a.ogg & audiosession statsu": "'audiosession' has no subcommand 'statsu'",
            "audiosession run -- player --modee default a.ogg": "'player' has no option '--modee'",
        }.items():
            with self.subTest(line), self.assertRaisesRegex(PackagingError, re.escape(reason)):
                notes.check_example(line, self.programs)

    def test_right_examples_are_accepted(self):
        for line in (
            "audiosession run --duck -- espeak --stdin", "player --normalize -18 'a b.ogg'", "recorder --levels=1 a.wav",
        ):
            notes.check_example(line, self.programs)

    def test_the_generator_fails_because_of_a_wrong_example(self):
        with tempfile.TemporaryDirectory() as folder:
            copy = pathlib.Path(folder) / "man"
            shutil.copytree(man_pages.ROOT / "Packaging/man", copy)
            with (copy / "recorder.txt").open("a") as file:
                file.write("\n[EXAMPLES]\nrecorder --loudness 3 take.wav\n    Records.\n")
            with self.assertRaisesRegex(PackagingError, "example `recorder --loudness 3 take.wav`.*no option '--loudness'"):
                man_pages.make_pages(FOLDER, "1", copy)


COMPLETE_IN_BASH = """
source "$1"; shift
COMP_WORDS=("$@") COMP_CWORD=$(($# - 1)) COMP_LINE="$*"; COMP_POINT=${#COMP_LINE}
compopt() { :; }
function=$(complete -p "$1"); function=${function##*-F }; function=${function%% *}
"$function" "$1" "${@: -1}" "${*: -2:1}"
printf '%s\\n' "${COMPREPLY[@]}"
"""
# Types the words and TAB in an interactive shell, waits for the text, and prints what was shown.
COMPLETE_IN_ZSH = """
zmodload zsh/zpty
zpty shell zsh -f -i
zpty -w shell "PS1=; fpath=($1 \\$fpath); autoload -U compinit; compinit -u -D; echo READY"
text=
while [[ $text != *$'\\n'READY* ]] && zpty -r shell chunk; do text+=$chunk; done
zpty -n -w shell "$2"$'\\t'
text= SECONDS=0
while [[ $text != *$3* && $SECONDS -lt 20 ]]; do
    zpty -r -t shell chunk && text+=$chunk || sleep 0.05
done
print -r -- $text
zpty -d shell
"""


class CompletionsTest(OutputTest):
    def scripts(self, shell):
        found = sorted((self.output / "completions" / shell).iterdir())
        self.assertEqual(len(found), len(commands.USER_PROGRAMS))
        return found

    def in_bash(self, *words):
        result = call("bash", "-c", COMPLETE_IN_BASH, "bash", self.output / "completions/bash" / words[0], *words)
        self.assertEqual(result.stderr, "")
        return result.stdout.split()

    def test_bash_accepts_the_scripts(self):
        for script in self.scripts("bash"):
            self.assertEqual(call("bash", "-n", script).stderr, "", script.name)

    def test_bash_completes(self):
        self.assertEqual(self.in_bash("audiosession", "ca"), ["call"])
        self.assertEqual(self.in_bash("audiosession", "call", "d"), ["decline"])
        self.assertEqual(self.in_bash("player", "--conn"), ["--connections"])
        self.assertEqual(self.in_bash("audiosession-server", "--driver", "a"), ["auto", "alsa"])
        self.assertEqual(self.in_bash("audiosession-device", "--type", "head"), ["headsetMic", "headphones"])
        self.assertEqual(self.in_bash("audiosession-device", "--capture", "/et"), ["/etc"])
        self.assertEqual(self.in_bash("audiosession-server", "--rate", ""), [])

    def test_bash_completes_the_values_that_the_programs_list(self):
        for program in commands.read_programs(FOLDER, commands.USER_PROGRAMS).values():
            for command in program.all():
                for option in command.options:
                    if option.values:
                        with self.subTest(f"{' '.join(command.path)} {option.long}"):
                            self.assertEqual(self.in_bash(*command.path, option.long, ""), list(option.values))

    def test_help_is_no_argument_of_programs_without_subcommands(self):
        self.assertNotIn("help", self.in_bash("player", ""))
        self.assertNotIn("-fa 'help'", (self.output / "completions/fish/player.fish").read_text())

    @needs("zsh")
    def test_zsh_accepts_the_scripts(self):
        for script in self.scripts("zsh"):
            self.assertEqual(call("zsh", "-n", script).stderr, "", script.name)

    @needs("zsh")
    def test_zsh_completes(self):
        for words, expected in {
            "audiosession ca": "audiosession call",
            "player --conn": "ections",
            "audiosession-conformance --ti": "meout",
            "audiosession-server --driver d": "dummy",
        }.items():
            shown = call("zsh", "-f", "-c", COMPLETE_IN_ZSH, "zsh", self.output / "completions/zsh", words, expected).stdout
            with self.subTest(words):
                self.assertIn(expected, shown)
                self.assertNotIn("_arguments:", shown)

    @needs("fish")
    def test_fish_accepts_the_scripts(self):
        for script in self.scripts("fish"):
            self.assertEqual(call("fish", "--no-execute", script).stderr, "", script.name)

    @needs("fish")
    def test_fish_completes(self):
        for name, words, expected in (
            ("audiosession", "audiosession ca", ["call"]),
            ("audiosession", "audiosession run --on-interruption s", ["stop"]),
            ("audiosession-server", "audiosession-server --driver d", ["dummy"]),
        ):
            script = self.output / f"completions/fish/{name}.fish"
            result = call("fish", "-N", "-c", f"source {script}; complete -C '{words}'")
            self.assertEqual([line.split("\t")[0] for line in result.stdout.splitlines()], expected)


if __name__ == "__main__":
    unittest.main()
