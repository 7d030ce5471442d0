"""Scripts/test: selects stages and runs them. `Scripts/test --help` describes the options."""

import argparse
import fcntl
import os
import pathlib
import signal
import subprocess
import sys
import time

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parent))

import runner  # noqa: E402
import stages  # noqa: E402

DESCRIPTION = "Builds and tests the project. Without options: the checks required before merging, in 45 minutes from a clean clone on two cores."


def arguments():
    parser = argparse.ArgumentParser(prog="Scripts/test", description=DESCRIPTION)
    parser.add_argument("stages", nargs="*", metavar="STAGE", help="run only these stages and the stages that they need (see --list)")
    parser.add_argument("--all", action="store_true", help="run everything, in its long form: about three hours on two cores")
    parser.add_argument("--list", action="store_true", help="list the stages and the time that each one took in its last run here")
    return parser.parse_args()


def stop(sentence):
    print(f"Scripts/test: {sentence}", file=sys.stderr)
    sys.exit(64)


def select(table, names):
    """Returns these stages and all stages that they need; without names, all stages of the table."""
    known = {stage.name: stage for stage in table}
    unknown = [name for name in names if name not in known]
    if unknown:
        stop(f"unknown stage '{unknown[0]}'. Stages: {', '.join(known)}")
    selected, pending = set(), list(names or known)
    while pending:
        name = pending.pop()
        if name not in selected:
            selected.add(name)
            pending += known[name].needs
    return [stage for stage in table if stage.name in selected]


def list_stages():
    times = runner.read_times()
    print(f"{'stage':18} {'default':>9} {'--all':>9}   what it runs")
    for name in dict.fromkeys(stage.name for stage in stages.TABLE):
        forms = [stage for stage in stages.TABLE if stage.name == name]
        columns = []
        for mode in ("default", "all"):
            runs = any(mode in stage.modes for stage in forms)
            seconds = times.get(mode, {}).get(name)
            columns.append(f"{seconds} s" if runs and seconds is not None else "yes" if runs else "-")
        print(f"{name:18} {columns[0]:>9} {columns[1]:>9}   {forms[0].what}")


def environment(seed, mode):
    """Returns the environment of all stages: JACK needs no session bus, and programs that tests crash exit at once."""
    suppressions = stages.ROOT / "Tests/Support"
    return {
        **os.environ,
        **({"AUDIO_TEST_LONG": "1"} if mode == "all" else {}),
        "SEED": str(seed),
        "JACK_NO_AUDIO_RESERVATION": "1",
        "SWIFT_BACKTRACE": "enable=no",
        "LSAN_OPTIONS": f"suppressions='{suppressions}/leaks.supp':print_suppressions=0",
    }


def main():
    chosen = arguments()
    if chosen.list:
        return list_stages()
    mode = "all" if chosen.all else "default"
    table = [stage for stage in stages.TABLE if mode in stage.modes]
    if chosen.stages:
        # Stages of the other mode can also be named.
        here = {stage.name for stage in table}
        table += [stage for stage in stages.TABLE if stage.name not in here]
    run = select(table, chosen.stages)
    seed = os.environ.get("SEED") or str(int(time.time()) // 86_400)
    if not (seed.isascii() and seed.isdecimal() and int(seed) < 1 << 64):
        stop(f"SEED must be a decimal number of 64 bits, not '{seed}'")
    subprocess.run([str(stages.ROOT / "Scripts/dependencies"), "test"], check=True)
    lock = lock_reports()
    for stage in run:
        if program := stages.PREPARATION.get(stage.name):
            # Without what it needs, only that stage fails.
            subprocess.run([str(stages.ROOT / program[0]), *program[1:]], check=False)
    isolates = subprocess.run([str(stages.ROOT / "Scripts/isolated"), "--check"], capture_output=True).returncode == 0
    begun = time.monotonic()
    capacity = os.cpu_count() or 1
    print(f"Scripts/test: {len(run)} stages on {capacity} cores, SEED={seed}")
    if not isolates:
        print("Scripts/test: this system does not allow namespaces; suites that start servers run one after another; skipped: FewDescriptorsTests")
    for number in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(number, interrupt)
    results = runner.Runner(run, environment(seed, mode), isolates, capacity).run()
    runner.write_times(results, mode)
    lock.close()
    return 0 if runner.summarize(results, time.monotonic() - begun, seed) else 1


def interrupt(number, _):
    """Ends the run. Ignores later signals, which would interrupt the end of the processes that it started."""
    for other in (signal.SIGINT, signal.SIGTERM, signal.SIGHUP):
        signal.signal(other, signal.SIG_IGN)
    raise runner.Interrupted(signal.Signals(number).name)


def lock_reports():
    """Locks the folder of logs: two runs in one checkout would share build folders and logs."""
    runner.REPORTS.mkdir(parents=True, exist_ok=True)
    lock = open(runner.REPORTS / "lock", "w")
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        stop("another run uses this checkout; wait for it, or use a clone")
    return lock


if __name__ == "__main__":
    sys.exit(main())
