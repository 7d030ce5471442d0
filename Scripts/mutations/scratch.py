"""A scratch package: a copy of the sources that one test target needs, which is built incrementally."""

import fcntl
import hashlib
import json
import os
import pathlib
import re
import signal
import subprocess
import tempfile

# A mutation may make a test wait for an event that never occurs.
LIMIT_SECONDS = 300

# The programs that the tests of a target run, by target.
PROGRAMS = {
    "ArbiterServiceTests": ["arbiter-chaos", "arbiter-fuzzer", "arbiter-test-client", "audiosessiond"],
    "AudioSessionsTests": ["audiosession", "audiosessiond"],
    "SessionArbiterTests": ["audiosession", "audiosessiond", "player"],
    "SessionCommandsTests": ["audiosession", "audiosession-device", "audiosession-server", "audiosessiond", "player"],
}


def run(arguments, limit=None):
    """Runs a command and returns its exit status and output.

    Past the limit, kills the command and all processes that it started, and returns None as the exit status.
    """
    process = subprocess.Popen(
        [str(argument) for argument in arguments], stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True,
        errors="replace", start_new_session=True,
    )
    try:
        output, _ = process.communicate(timeout=limit)
    except subprocess.TimeoutExpired:
        os.killpg(process.pid, signal.SIGKILL)
        output, _ = process.communicate()
        return None, output
    return process.returncode, output


class Project:
    """The package, with the dependencies of its targets."""

    def __init__(self, root):
        self.root = root
        dump = subprocess.run(
            ["swift", "package", "--package-path", str(root), "dump-package"], check=True, capture_output=True, text=True
        )
        self.targets = {target["name"]: target for target in json.loads(dump.stdout)["targets"]}

    def path(self, name):
        target = self.targets[name]
        return target.get("path") or f"{'Tests' if target['type'] == 'test' else 'Sources'}/{name}"

    def closure(self, name):
        """Returns a target and all targets of the package on which it depends."""
        found, open_ = set(), [name]
        while open_:
            current = open_.pop()
            if current in found or current not in self.targets:
                continue
            found.add(current)
            open_ += [next(iter(dependency.values()))[0] for dependency in self.targets[current]["dependencies"]]
        return found

    def needed(self, test_target):
        """Returns all targets that the tests of a target need, with those of the programs that they run."""
        return set().union(*(self.closure(name) for name in [test_target, *PROGRAMS.get(test_target, [])]))

    def uses_packages(self, names):
        """Returns whether one of these targets depends on another package."""
        return any("product" in dependency for name in names for dependency in self.targets[name]["dependencies"])


class Scratch:
    """The copy for one test target, with its own `.build`, which is kept between runs."""

    def __init__(self, project, target):
        self.project, self.target = project, target
        self.needed = project.needed(target)
        name = hashlib.sha256(str(project.root).encode()).hexdigest()[:8]
        self.path = pathlib.Path(tempfile.gettempdir()) / "swift-audio-session-mutations" / name / target
        self.path.mkdir(parents=True, exist_ok=True)
        # Concurrent runs would build each other's mutations.
        self.lock = open(self.path / "lock", "w")
        try:
            fcntl.flock(self.lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError as error:
            raise BlockingIOError(error.errno, error.strerror, str(self.path)) from error
        self.copy()

    def copy(self):
        """Copies only the files that differ from those of the project, so that builds are incremental."""
        wanted = {}
        # Tests compare the pages of the documentation with the rules.
        for path in ["Documentation", *(self.project.path(name) for name in self.needed)]:
            folder = self.project.root / path
            for file in folder.rglob("*"):
                if file.is_file() and not any(part.startswith(".build") for part in file.parts):
                    wanted[file.relative_to(self.project.root)] = file.read_bytes()
        wanted[pathlib.Path("Package.swift")] = self.manifest().encode()
        for path, content in wanted.items():
            self.write(path, content)
        for folder in ("Sources", "Tests", "Examples", "Documentation"):
            for file in (self.path / folder).rglob("*"):
                if file.is_file() and file.relative_to(self.path) not in wanted:
                    file.unlink()

    def manifest(self):
        """Returns the project's manifest without the targets that are not needed."""
        names = ", ".join(f'"{name}"' for name in sorted(self.needed))
        return (self.project.root / "Package.swift").read_text() + (
            f"\nlet needed: Set<String> = [{names}]\n"
            "package.targets.removeAll { !needed.contains($0.name) }\n"
            "package.products = []\n"
        ) + ("" if self.project.uses_packages(self.needed) else "package.dependencies = []\n")

    def write(self, path, content):
        file = self.path / path
        if file.is_file() and file.read_bytes() == content:
            return
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_bytes(content)

    def build(self):
        """Builds the tests. Returns None on success, otherwise the output of the build."""
        status, output = run(["swift", "build", "--build-tests", "--package-path", self.path])
        return None if status == 0 else output

    def failures(self, tests):
        """Runs these tests and returns the names of those that fail.

        If the process crashes or exceeds the limit before a failure is reported, returns one entry that states that.
        """
        filters = [part for test in tests for part in ("--filter", test.filter)]
        status, output = run(
            ["swift", "test", "--no-parallel", "--skip-build", "--disable-xctest", "--package-path", self.path, *filters],
            LIMIT_SECONDS,
        )
        if status == 0:
            if not re.search(r"Test run with [1-9]\d* tests?\b", output):
                raise RuntimeError(f"no test of {self.target} ran:\n{output[-2000:]}")
            return []
        failed = re.findall(r"Test (\"(?:[^\"\\]|\\.)*\"|\S+\(.*?\))(?: with \d+ test cases?)? failed after", output)
        if failed:
            return sorted({name.strip('"') for name in failed})
        return [f"{self.target} did not end" if status is None else f"{self.target} crashed (status {status})"]
