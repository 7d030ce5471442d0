#!/usr/bin/env python3
"""Tests Scripts/install with the programs in the folder that AUDIOSESSION_PROGRAMS names."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
PROGRAMS = pathlib.Path(os.environ.get("AUDIOSESSION_PROGRAMS", ".build/debug")).resolve()
VERSION = re.search(r"project\(swift-audio-session VERSION ([\d.]+)", (ROOT / "CMakeLists.txt").read_text())[1]


def run(*words, **settings):
    return subprocess.run([str(word) for word in words], capture_output=True, text=True, timeout=300, **settings)


def files_below(folder):
    return {str(path.relative_to(folder)) for path in folder.rglob("*") if not path.is_dir() or path.is_symlink()}


class InstallTest(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        temporary = tempfile.TemporaryDirectory()
        cls.addClassCleanup(temporary.cleanup)
        cls.prefix = pathlib.Path(temporary.name) / "usr"
        # What others have installed under the same prefix stays.
        cls.other = cls.prefix / "bin/other"
        cls.other.parent.mkdir(parents=True)
        cls.other.write_text("")
        # A file of an earlier version, which this one does not have.
        former = cls.prefix / "bin/former"
        former.write_text("")
        (cls.prefix / "lib/audiosession").mkdir(parents=True)
        (cls.prefix / "lib/audiosession/files").write_text("bin/former\nbin/player\n")
        result = run(ROOT / "Scripts/install", "--prefix", cls.prefix, "--python", "lib/python/site-packages", "--programs", PROGRAMS)
        if result.returncode != 0:
            raise AssertionError(result.stdout + result.stderr)

    @classmethod
    def tearDownClass(cls):
        """A removal leaves nothing, and what others installed."""
        result = run(ROOT / "Scripts/install", "--uninstall", "--prefix", cls.prefix)
        if result.returncode != 0 or list(cls.prefix.rglob("*")) != [cls.other.parent, cls.other]:
            raise AssertionError(f"{result.stdout}{result.stderr}left: {sorted(cls.prefix.rglob('*'))}")
        again = run(ROOT / "Scripts/install", "--uninstall", "--prefix", cls.prefix)
        if again.returncode != 66 or "nothing of this project is installed" not in again.stderr:
            raise AssertionError(f"a second removal: {again}")

    def programs(self):
        return [path for path in sorted((self.prefix / "bin").iterdir()) if path != self.other]

    def test_programs_print_the_version(self):
        self.assertEqual(len(self.programs()), 11)
        for program in self.programs():
            lines = run(program, "--version").stdout.splitlines()
            self.assertEqual(lines[0], f"{program.name} (swift-audio-session) {VERSION}")

    def test_versions_of_interfaces(self):
        """The arbiter's clients state what they have in common with programs of other versions."""
        text = run(self.prefix / "bin/audiosession", "--version").stdout
        self.assertIn("protocol of the arbiter: version 1\n", text)
        self.assertIn(f"binary interface of the C libraries: {VERSION.rpartition('.')[0]}\n", text)

    def test_list_of_files(self):
        """The list has all files but itself, each once, and all exist."""
        listed = (self.prefix / "lib/audiosession/files").read_text().splitlines()
        self.assertEqual(len(listed), len(set(listed)))
        self.assertEqual(set(listed) | {"lib/audiosession/files", "bin/other"}, files_below(self.prefix))

    def test_runtime(self):
        """Each library of the Swift runtime that a program needs is there."""
        libraries = {path.name for path in (self.prefix / "lib/audiosession").glob("*.so")}
        self.assertIn("libswiftCore.so", libraries)
        for file in [*self.programs(), *(self.prefix / "lib/audiosession").glob("*.so")]:
            needed = re.findall(r"\(NEEDED\).*\[(lib(?:swift|_?Foundation|dispatch|Blocks)[^]]*)\]", run("readelf", "-d", file).stdout)
            self.assertLessEqual(set(needed), libraries, file.name)

    def test_units_are_valid(self):
        units = sorted((self.prefix / "lib/systemd/user").iterdir())
        self.assertEqual(len(units), 4)
        environment = {**os.environ, "XDG_RUNTIME_DIR": str(self.prefix.parent)}
        result = run("systemd-analyze", "verify", "--user", *units, env=environment)
        self.assertEqual((result.returncode, [line for line in result.stderr.splitlines() if "audiosession" in line]), (0, []))
        for unit in units:
            for command in re.findall(r"^Exec\w+=(\S+)", unit.read_text(), re.MULTILINE):
                self.assertIn(pathlib.Path(command), self.programs(), unit.name)

    def test_a_wrong_unit_is_found(self):
        """systemd-analyze, as it is called above, finds an unknown setting and a missing program."""
        with tempfile.TemporaryDirectory() as folder:
            unit = pathlib.Path(folder) / "audiosession-injected.service"
            unit.write_text("[Service]\nNoNewPrivilege=yes\nExecStart=/nowhere/audiosession\n")
            result = run("systemd-analyze", "verify", "--user", unit, env={**os.environ, "XDG_RUNTIME_DIR": folder})
            self.assertIn("NoNewPrivilege", result.stderr)
            self.assertIn("/nowhere/audiosession", result.stderr)

    @unittest.skipUnless(shutil.which("desktop-file-validate"), "'desktop-file-validate' is not installed (desktop-file-utils)")
    def test_desktop_entry(self):
        entry = self.prefix / "share/applications/audiosession-player.desktop"
        self.assertEqual(run("desktop-file-validate", entry).stdout, "")
        icon = re.search(r"^Icon=(.*)$", entry.read_text(), re.MULTILINE)[1]
        self.assertTrue((self.prefix / f"share/icons/hicolor/scalable/apps/{icon}.svg").exists())

    def test_libraries(self):
        """pkg-config gives a compiler all that a program in C needs."""
        files = next(self.prefix.rglob("audiosession.pc"))
        environment = {**os.environ, "PKG_CONFIG_PATH": str(files.parent), "LD_LIBRARY_PATH": str(files.parent.parent)}
        self.assertEqual(run("pkg-config", "--modversion", "audiosession", env=environment).stdout.strip(), VERSION)
        with tempfile.TemporaryDirectory() as folder:
            source, program = pathlib.Path(folder) / "version.c", pathlib.Path(folder) / "version"
            source.write_text("#include <audiosession/audiosession.h>\n#include <stdio.h>\nint main(void) { return puts(asession_version()) < 0; }\n")
            flags = run("pkg-config", "--cflags", "--libs", "audiosession", env=environment).stdout.split()
            result = run("cc", source, *flags, "-o", program)
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(run(program, env=environment).stdout.strip(), VERSION)

    def test_python(self):
        """The Python package is complete, and an installer knows its version."""
        site = self.prefix / "lib/python/site-packages"
        environment = {**os.environ, "PYTHONPATH": str(site), "LD_LIBRARY_PATH": str(next(self.prefix.rglob("libaudiosession.so")).parent)}
        # What Python compiles is removed, too, by tearDownClass.
        environment.pop("PYTHONDONTWRITEBYTECODE", None)
        code = "import audiosession, importlib.metadata as m; print(audiosession.library_version(), m.version('audiosession'))"
        self.assertEqual(run(sys.executable, "-c", code, env=environment).stdout.split(), [VERSION, VERSION])
        self.assertTrue((site / "audiosession/py.typed").exists())
        self.assertTrue(list((site / "audiosession/__pycache__").iterdir()))

    def test_folder_of_a_package(self):
        """CMake writes the folder in its own way: without a slash at the end."""
        with tempfile.TemporaryDirectory() as folder:
            options = ["--destdir", f"{folder}/package//", "--prefix", "/usr/"]
            result = run(ROOT / "Scripts/install", *options, "--programs", PROGRAMS)
            self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
            tree = pathlib.Path(folder) / "package/usr"
            listed = (tree / "lib/audiosession/files").read_text().splitlines()
            self.assertEqual({*listed, "lib/audiosession/files"}, files_below(tree))
            result = run(ROOT / "Scripts/install", *options, "--uninstall")
            self.assertEqual((result.returncode, files_below(pathlib.Path(folder))), (0, set()), result.stderr)

    def check_removal(self, left, prepare, environment=None):
        """After an installation that was not completed, a removal leaves what was there before."""
        with tempfile.TemporaryDirectory() as folder:
            prefix = pathlib.Path(folder)
            prepare(prefix)
            result = run(ROOT / "Scripts/install", "--prefix", prefix, "--programs", PROGRAMS, env={**os.environ, **(environment or {})})
            self.assertNotEqual(result.returncode, 0)
            self.assertIn("--uninstall removes those that have", result.stderr)
            self.assertTrue((prefix / "bin/audiosession").exists())
            result = run(ROOT / "Scripts/install", "--prefix", prefix, "--uninstall")
            self.assertEqual(result.returncode, 0, result.stderr)
            self.assertEqual(sorted(str(path.relative_to(prefix)) for path in prefix.rglob("*")), left)

    def test_failures(self):
        """A file in place of a folder, and a folder in place of a file."""
        def file(prefix):
            (prefix / "share").mkdir()
            (prefix / "share/icons").write_text("")

        self.check_removal(["share", "share/icons"], file)
        self.check_removal(["bin", "bin/recorder", "bin/recorder/mine"], lambda prefix: (prefix / "bin/recorder/mine").mkdir(parents=True))

    def test_interruption(self):
        with tempfile.TemporaryDirectory() as folder:
            program = pathlib.Path(folder) / "install"
            program.write_text(f'#!/bin/sh\n{shutil.which("install")} "$@"\ncase "$*" in */bin/player) kill -TERM $PPID ;; esac\n')
            program.chmod(0o755)
            self.check_removal([], lambda prefix: None, {"PATH": f"{folder}:{os.environ['PATH']}"})

    def test_upgrade(self):
        """Of an earlier version, nothing remains."""
        self.assertFalse((self.prefix / "bin/former").exists())

    @unittest.skipUnless(os.geteuid() == 0, "only root can run commands as another user")
    def test_folders_under_sudo(self):
        """Under sudo, a folder belongs to the user who called it, where this user may make one."""
        with tempfile.TemporaryDirectory() as folder:
            os.chmod(folder, 0o777)
            (pathlib.Path(folder) / "root").mkdir(mode=0o755)
            for environment, name, owner in (
                    ({"SUDO_UID": "65534", "SUDO_GID": "65534"}, "mine/build", 65534), ({"SUDO_UID": "65534", "SUDO_GID": "65534"}, "root/build", 0),
                    ({}, "other/build", 0), ({"SUDO_UID": "0", "SUDO_GID": "0"}, "third/build", 0)):
                inherited = {key: value for key, value in os.environ.items() if not key.startswith("SUDO_")}
                made = pathlib.Path(folder) / name
                result = run("bash", "-euc", '. "$0"; make_folder "$1"', ROOT / "Scripts/packaging/by_user.sh", made, env={**inherited, **environment})
                self.assertEqual((result.returncode, result.stderr), (0, ""), name)
                self.assertEqual((made.stat().st_uid, made.parent.stat().st_uid), (owner, owner), name)

    def test_usage(self):
        for words in (["--prefix"], ["--loud"], ["--prefix", "relative"], ["--libdir", "/usr/lib"], ["--python", "/usr/lib/python3"]):
            result = run(ROOT / "Scripts/install", *words)
            self.assertEqual(result.returncode, 64, words)
            self.assertTrue(result.stderr)


if __name__ == "__main__":
    unittest.main()
