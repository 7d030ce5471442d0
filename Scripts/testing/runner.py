"""Runs stages concurrently, as far as the machine has cores for them, and reports the result of each one."""

import dataclasses
import json
import os
import re
import shlex
import signal
import subprocess
import sys
import time

from stages import REPORTS, ROOT

TIMES = REPORTS / "times.json"
# Lines of a failed stage's log that report errors.
FAILURE = re.compile(r"✘|error:|warning: |FAILED|panicked at|\*\*\*|FAULT|(?<!; 0 )failed|ERROR: |SUMMARY: |not detected|SURVIVED|did not end")
SWIFT_TESTS = re.compile(r"Test run with (\d+) tests?")
SWIFT_FAILURE = re.compile(r"✘ Test .* failed after")
C_TESTS = re.compile(r"tests passed, (\d+) tests failed out of (\d+)")
PYTHON_TESTS = re.compile(r"^Ran (\d+) tests? in ", re.M)
RUST_TESTS = re.compile(r"^test result: \w+\. (\d+) passed; (\d+) failed;", re.M)
PYTHON_FAILURE = re.compile(r"^(?:FAIL|ERROR): ", re.M)


@dataclasses.dataclass
class Result:
    stage: object
    passed: bool
    seconds: float
    cores: float
    tests: int
    failures: int
    log: object
    why: str = ""


class Running:
    """A running stage: its commands run one after another, each in its own process group."""

    def __init__(self, stage, isolates, environment):
        self.stage, self.begun = stage, time.monotonic()
        self.log = REPORTS / f"{stage.name}.log"
        self.output = open(self.log, "wb")
        self.commands = list(stage.commands)
        self.isolates = stage.isolated and isolates
        self.environment = {**environment, **stage.environment}
        self.processor_seconds = 0.0
        self.why = ""
        self.process = None
        self.next()

    def next(self):
        """Starts the next command. Returns False if there is none or it cannot be started."""
        if not self.commands:
            return False
        command = self.commands.pop(0)
        # Builds are not isolated: they may need the network to fetch packages.
        if self.isolates and command[0] != "swift":
            command = [str(ROOT / "Scripts/isolated"), *command]
        self.output.write(f"$ {shlex.join(command)}\n".encode())
        self.output.flush()
        try:
            self.process = subprocess.Popen(
                command, cwd=ROOT, env=self.environment, stdin=subprocess.DEVNULL, stdout=self.output,
                stderr=subprocess.STDOUT, start_new_session=True,
            )
        except OSError as error:
            self.why = f"cannot run {command[0]}: {error.strerror}"
            self.process = None
            return False
        return True

    def end(self, why, with_signal=signal.SIGTERM):
        """Sends a signal to the whole process group, so that scripts end what they started and remove their folders."""
        self.why = why
        if self.process:
            try:
                os.killpg(self.process.pid, with_signal)
            except ProcessLookupError:
                pass

    def await_end(self, seconds):
        """Waits until the command has ended; kills it after this many seconds."""
        try:
            self.process and self.process.wait(seconds)
        except subprocess.TimeoutExpired:
            self.end(self.why, signal.SIGKILL)
            self.process.wait()

    def poll(self):
        """Returns None while the stage runs, then its result."""
        if self.process and not self.why:
            # Popen.poll would not return the processor time of the process.
            ended, status, usage = os.wait4(self.process.pid, os.WNOHANG)
            if ended == 0:
                if time.monotonic() - self.begun > self.stage.limit:
                    self.end(f"did not end in {self.stage.limit} s")
                    self.await_end(10)
                    return self.result(False)
                return None
            self.process.returncode = os.waitstatus_to_exitcode(status)
            self.processor_seconds += usage.ru_utime + usage.ru_stime
            if self.process.returncode == 0 and self.next():
                return None
            if self.process and self.process.returncode != 0:
                self.why = describe_status(self.process.returncode)
        return self.result(not self.why)

    def result(self, passed):
        self.output.close()
        text = self.log.read_text(errors="replace")
        runs = [int(number) for number in SWIFT_TESTS.findall(text) + PYTHON_TESTS.findall(text)]
        tests = sum(runs)
        tests += sum(int(total) for _, total in C_TESTS.findall(text))
        failures = len(SWIFT_FAILURE.findall(text)) + len(PYTHON_FAILURE.findall(text))
        failures += sum(int(failed) for failed, _ in C_TESTS.findall(text))
        # Each crate, test file and page has a result, which may be of no test.
        tests += sum(int(passes) + int(failed) for passes, failed in RUST_TESTS.findall(text))
        failures += sum(int(failed) for _, failed in RUST_TESTS.findall(text))
        if passed and (0 in runs or self.stage.tests and tests == 0):
            passed, self.why = False, "a command ran no test"
        seconds = time.monotonic() - self.begun
        return Result(self.stage, passed, seconds, self.processor_seconds / max(seconds, 0.001), tests, failures, self.log, self.why)


def describe_status(status):
    """Describes how a process ended. A shell, such as that of Scripts/isolated, reports a signal as 128 plus its number."""
    number = -status if status < 0 else status - 128
    try:
        return f"ended by {signal.Signals(number).name}"
    except ValueError:
        return f"exit status {status}"


class Interrupted(Exception):
    """Raised by a signal that ends the run."""


class Runner:
    def __init__(self, stages, environment, isolates, capacity):
        self.waiting, self.running, self.results = list(stages), [], []
        self.chosen = {stage.name for stage in stages}
        self.environment, self.isolates, self.capacity = environment, isolates, capacity

    def run(self):
        REPORTS.mkdir(parents=True, exist_ok=True)
        try:
            while self.waiting or self.running:
                self.drop_impossible()
                while stage := self.startable():
                    self.waiting.remove(stage)
                    print(f"      {stage.name}", flush=True)
                    self.running.append(Running(stage, self.isolates, self.environment))
                for running in list(self.running):
                    if result := running.poll():
                        self.running.remove(running)
                        self.report(result)
                time.sleep(0.05)
        except Interrupted as interruption:
            # Signal all stages before waiting for any of them.
            for running in self.running:
                running.end(f"ended by {interruption}")
            for running in self.running:
                running.await_end(10)
                self.report(running.result(False), quiet=True)
            for stage in self.waiting:
                self.report(Result(stage, False, 0, 0, 0, 0, None, f"not run: {interruption}"), quiet=True)
        return self.results

    def passed(self, name):
        return any(result.stage.name == name and result.passed for result in self.results)

    def drop_impossible(self):
        """Marks the stages that need a failed stage as failed, without running them."""
        failed = {result.stage.name for result in self.results if not result.passed}
        for stage in list(self.waiting):
            if missing := failed.intersection(stage.needs):
                self.waiting.remove(stage)
                self.report(Result(stage, False, 0, 0, 0, 0, None, f"not run: '{', '.join(missing)}' failed"))

    def startable(self):
        """Returns the first stage of the table that can run now, or None."""
        taken = sum(running.stage.cores for running in self.running)
        for stage in self.waiting:
            if any(name in self.chosen and not self.passed(name) for name in stage.needs):
                continue
            if stage.isolated and not self.isolates and any(running.stage.isolated for running in self.running):
                continue
            if not self.running or taken + stage.cores <= self.capacity + 0.01:
                return stage
        return None

    def report(self, result, quiet=False):
        self.results.append(result)
        if quiet:
            return
        tests = f", {result.tests} tests" if result.tests else ""
        if result.passed:
            print(f"ok    {result.stage.name}: {result.seconds:.0f} s{tests}", flush=True)
            return
        print(f"FAIL  {result.stage.name}: {result.why}, {result.seconds:.0f} s{tests}; {result.log or 'no log'}", flush=True)
        if result.log:
            show_failure(result.log)


def errors_of(lines):
    """Returns the lines of a log that report errors, each with the comments below it."""
    errors, is_comment = [], False
    for line in lines:
        is_comment = bool(FAILURE.search(line)) or (is_comment and line.startswith("↳"))
        if is_comment:
            errors.append(line)
    return errors


def show_failure(log):
    """Prints the errors of a log, and its last 25 lines."""
    lines = log.read_text(errors="replace").splitlines()
    errors = errors_of(lines[:-25])
    for line in [*errors[:40], *(["…"] if errors else []), *lines[-25:]]:
        # A comment holds what the test saw, such as a trace.
        print(f"    | {line[:2000 if line.startswith('↳') else 400]}")
    sys.stdout.flush()


def read_times():
    try:
        return json.loads(TIMES.read_text())
    except (OSError, ValueError):
        return {}


def write_times(results, mode):
    times = read_times()
    times.setdefault(mode, {}).update({result.stage.name: round(result.seconds) for result in results if result.passed})
    TIMES.write_text(json.dumps(times, indent=1, ensure_ascii=False) + "\n")


def summarize(results, seconds, seed):
    print("\nstage              result   seconds   cores   tests")
    for result in sorted(results, key=lambda result: -result.seconds):
        outcome = "ok" if result.passed else "FAIL"
        print(
            f"{result.stage.name:18} {outcome:6} {result.seconds:9.0f} {result.cores:7.1f} {result.tests or '':>7}".rstrip()
        )
    failed = [f"{result.stage.name} ({result.why})" for result in results if not result.passed]
    # Once more, because a long report may be shown only from its end.
    for result in results:
        if result.log and not result.passed:
            print(f"\n{result.stage.name}:")
            errors = errors_of(result.log.read_text(errors="replace").splitlines())
            for line in ([line for line in errors if "✘" in line] or errors)[:8]:
                print(f"    | {line[:300]}")
    took = f"{int(seconds // 60)} min {int(seconds % 60):02} s"
    print(f"\nSEED={seed}; logs: {REPORTS.relative_to(ROOT)}")
    if failed:
        print(f"Scripts/test: {len(failed)} of {len(results)} stages failed in {took}: {', '.join(failed)}")
    else:
        print(f"Scripts/test: all {len(results)} stages passed in {took}")
    # Continuous integration parses this line.
    failures = sum(max(result.failures, 0 if result.passed else 1) for result in results)
    print(f"tests: {sum(result.tests - result.failures for result in results)} passed, {failures} failed")
    return not failed
