#!/usr/bin/env python3
"""Tests what Scripts/release refuses, and that it compares two builds. Short scripts stand in for the builds and the tests."""
import os
import pathlib
import re
import shutil
import subprocess
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
        self.git(ROOT, "clone", "--quiet", "--depth=1", f"file://{ROOT}", self.clone)
        # With the changes of the working folder.
        shutil.copy(ROOT / "Scripts/release", self.clone / "Scripts/release")
        self.scripts(package=SAME, site=SAME, test="#!/bin/sh\ntouch ../tested\n")
        changes = self.clone / "CHANGELOG.md"
        changes.write_text(re.sub(r"(?m)^(## [\d.]+),.*$", r"\1, unreleased", changes.read_text(), count=1))
        self.commit()

    def git(self, folder, *words):
        return subprocess.run(["git", "-C", folder, *words], check=True, capture_output=True, text=True, env=ENVIRONMENT).stdout

    def scripts(self, **texts):
        for name, text in texts.items():
            (self.clone / "Scripts" / name).write_text(text)

    def commit(self):
        self.git(self.clone, "add", "--all")
        self.git(self.clone, "commit", "--quiet", "--allow-empty", "--message", "a")

    def release(self, *words):
        return subprocess.run(
            [self.clone / "Scripts/release", "--output", self.output, *words], capture_output=True, text=True, env=ENVIRONMENT, timeout=120)

    def refused(self, text, *words):
        result = self.release(*words)
        self.assertEqual(result.returncode, 65, result.stdout + result.stderr)
        self.assertIn(text, result.stderr)
        self.assertEqual(self.git(self.clone, "tag", "--list", "v9*", "v0*"), self.tags)

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
        self.git(self.clone, "tag", f"v{self.version()}")
        self.tags = f"v{self.version()}\n"
        self.refused(f"the tag v{self.version()} exists", "--dry-run")
        self.assertEqual(self.release("--loud").returncode, 64)

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

    def test_a_release(self):
        result = self.release("--dry-run")
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        archive = f"swift-audio-session-{self.version()}.tar.gz"
        self.assertIn(archive, (self.output / "SHA256SUMS").read_text())
        subprocess.run(["sha256sum", "--check", "--quiet", "SHA256SUMS"], cwd=self.output, check=True)
        self.assertEqual(self.git(self.clone, "tag", "--list", "v0*"), "")
        self.assertFalse((self.clone.parent / "tested").exists())

        self.date_the_changes()
        subprocess.run(["rm", "-r", self.output], check=True)
        result = self.release()
        self.assertEqual(result.returncode, 0, result.stdout + result.stderr)
        self.assertTrue((self.clone.parent / "tested").exists())
        self.assertEqual(self.git(self.clone, "cat-file", "-t", f"v{self.version()}"), "tag\n")


if __name__ == "__main__":
    unittest.main()
