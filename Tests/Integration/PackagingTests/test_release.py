#!/usr/bin/env python3
"""Tests what Scripts/release refuses, and that it compares two builds. Short scripts stand in for the builds and the tests."""
import os
import pathlib
import re
import shutil
import subprocess
import sys
import tempfile
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[3]
ENVIRONMENT = {
    **os.environ, "CHECK_HAS_DEPENDENCIES": "1", "GIT_AUTHOR_NAME": "a", "GIT_AUTHOR_EMAIL": "a@localhost", "GIT_COMMITTER_NAME": "a",
    "GIT_COMMITTER_EMAIL": "a@localhost", "GIT_CONFIG_COUNT": "1", "GIT_CONFIG_KEY_0": "safe.directory", "GIT_CONFIG_VALUE_0": "*"}
SAME = '#!/bin/sh\nmkdir -p "$2"\necho same >"$2/page"\n'
OTHER = '#!/bin/sh\nmkdir -p "$2"\nmktemp -u >"$2/page"\n'


class ReleaseTest(unittest.TestCase):
    def setUp(self):
        temporary = tempfile.TemporaryDirectory()
        self.addCleanup(temporary.cleanup)
        self.clone = pathlib.Path(temporary.name) / "clone"
        self.output = pathlib.Path(temporary.name) / "output"
        self.git(ROOT, "clone", "--quiet", "--no-tags", ROOT, self.clone)
        # Without what takes time and is not looked at; with the changes of the working folder.
        self.remove_other_files()
        for name in ("Scripts/release", "Scripts/packaging/by_user.sh"):
            shutil.copy(ROOT / name, self.clone / name)
        self.tested = pathlib.Path(temporary.name) / "tested"
        self.packaged = pathlib.Path(temporary.name) / "packaged"
        self.scripts(package=f'{SAME}shift 2\necho "options: $*" >>{self.packaged}\n', site=SAME, test=f"#!/bin/sh\ncd \"$(dirname \"$0\")\" && git rev-parse HEAD >{self.tested}\n")
        changes = self.clone / "CHANGELOG.md"
        changes.write_text(re.sub(r"(?m)^(## [\d.]+),.*$", r"\1, unreleased", changes.read_text(), count=1))
        self.commit()

    def git(self, folder, *words):
        return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout

    def remove_other_files(self):
        versions = subprocess.run(
            [sys.executable, "-B", ROOT / "Scripts/checks/versions.py", self.clone, "--files"], check=True, capture_output=True, text=True)
        kept = {*versions.stdout.split(), "CHANGELOG.md"}
        for name in self.git(self.clone, "ls-files", "-z").split("\0"):
            if name and name not in kept and not name.startswith("Scripts/"):
                (self.clone / name).unlink()

    def scripts(self, **texts):
        for name, text in texts.items():
            (self.clone / "Scripts" / name).write_text(text)

    def commit(self):
        self.git(self.clone, "add", "--all")
        self.git(self.clone, "commit", "--quiet", "--allow-empty", "--message", "a")

    def release(self, *words, **settings):
        return subprocess.run(
            [self.clone / "Scripts/release", "--output", self.output, *words], capture_output=True, text=True, timeout=120,
            **{"env": ENVIRONMENT, **settings})

    def refused(self, text, *words):
        result = self.release(*words)
        self.assertEqual(result.returncode, 65, result.stdout + result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(self.git(self.clone, "tag", "--list"), self.tags)

    tags = ""

    def date_the_changes(self):
        changes = self.clone / "CHANGELOG.md"
        changes.write_text(changes.read_text().replace(", unreleased\n", ", 2026-12-01\n", 1))
        self.commit()

    def version(self):
        return re.search(r"project\(swift-audio-session VERSION ([\d.]+)", (self.clone / "CMakeLists.txt").read_text()).group(1)

    def test_refusals(self):
        self.refused("CHANGELOG.md must begin with")
        (self.output).mkdir(exist_ok=True)
        (self.output / "mine").write_text("")
        self.refused("is not empty", "--dry-run")
        (self.output / "mine").unlink()
        self.scripts(site=SAME + "\n")
        self.refused("not committed", "--dry-run")
        self.commit()
        self.date_the_changes()
        self.git(self.clone, "tag", f"v{self.version()}")
        self.tags = f"v{self.version()}\n"
        self.refused(f"the tag v{self.version()} exists")
        for word in ("--loud", "--output"):
            self.assertEqual(self.release(word).returncode, 64)

    def test_what_cannot_be_built_is_not_tested(self):
        self.scripts(package='#!/bin/sh\necho "needs root" >&2\nexit 77\n')
        self.date_the_changes()
        result = self.release()
        self.assertEqual((result.returncode, self.tested.exists()), (77, False), result.stdout + result.stderr)

    def test_logs_of_failed_tests_remain(self):
        self.scripts(test='#!/bin/sh\ncd "$(dirname "$0")/.."\nmkdir -p build/test && echo why >build/test/x.log\nexit 1\n')
        self.date_the_changes()
        result = self.release()
        self.assertEqual(result.returncode, 65, result.stdout + result.stderr)
        logs = pathlib.Path(re.search(r"their logs are in (\S+)\.\n", result.stderr).group(1))
        self.assertEqual((logs / "x.log").read_text(), "why\n")
        subprocess.run(["rm", "-r", logs.parents[2]], check=True)

    def test_a_tag_needs_a_name(self):
        self.date_the_changes()
        environment = {name: value for name, value in ENVIRONMENT.items() if not name.startswith(("GIT_AUTHOR", "GIT_COMMITTER"))}
        environment |= {"GIT_CONFIG_COUNT": "2", "GIT_CONFIG_KEY_1": "user.useConfigOnly", "GIT_CONFIG_VALUE_1": "true", "HOME": "/nonexistent"}
        result = self.release(env={**environment, "GIT_CONFIG_GLOBAL": "/dev/null", "GIT_CONFIG_SYSTEM": "/dev/null"})
        self.assertEqual(result.returncode, 65, result.stdout + result.stderr)
        self.assertIn("no name and address for the tag", result.stderr)
        self.assertFalse(self.tested.exists())

    def test_builds_that_differ(self):
        for name in ("package", "site"):
            self.scripts(**{"package": SAME, "site": SAME, name: OTHER})
            self.commit()
            result = self.release("--dry-run")
            self.assertEqual(result.returncode, 65, result.stdout + result.stderr)
            folder = re.search(r"They are in (\S+);", result.stderr).group(1)
            self.assertEqual(sorted(os.listdir(folder)), ["first", "first.sums", "second-build", "second-build.sums"])
            subprocess.run(["rm", "-r", folder], check=True)
            self.assertEqual(os.listdir(self.output), [])

    def test_a_path_in_a_file_is_found(self):
        self.scripts(site='#!/bin/sh\nmkdir -p "$2"\necho "$0" >"$2/page"\n')
        self.commit()
        result = self.release("--dry-run")
        self.assertIn("the two builds differ", result.stderr)
        subprocess.run(["rm", "-r", re.search(r"They are in (\S+);", result.stderr).group(1)], check=True)

    def test_a_release(self):
        result = self.release("--dry-run")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        archive = f"swift-audio-session-{self.version()}.tar.gz"
        sums = (self.output / "SHA256SUMS").read_text()
        self.assertIn(archive, sums)
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.output, check=True)
        self.assertEqual(self.git(self.clone, "tag", "--list"), "")
        self.assertFalse(self.tested.exists())
        self.assertEqual(self.packaged.read_text(), "options: \n" * 2)

        self.date_the_changes()
        subprocess.run(["rm", "-r", self.output, self.packaged], check=True)
        result = self.release()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual(self.packaged.read_text(), "options: --test\noptions: \n")
        head = self.git(self.clone, "rev-parse", "HEAD")
        self.assertEqual(self.tested.read_text(), head)
        self.assertEqual(self.git(self.clone, "cat-file", "-t", f"v{self.version()}"), "tag\n")
        self.assertEqual(self.git(self.clone, "rev-parse", f"v{self.version()}^{{commit}}"), head)
        self.assertEqual(self.git(self.clone, "status", "--porcelain", "--ignored"), "")

        # A release can be built again; a folder is relative to where the command is called.
        sums = (self.output / "SHA256SUMS").read_text()
        result = self.release("--dry-run", "--output", "again", cwd=self.output.parent)
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertEqual((self.output.parent / "again/SHA256SUMS").read_text(), sums)


if __name__ == "__main__":
    unittest.main()
