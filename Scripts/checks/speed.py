#!/usr/bin/env python3
"""Makes README's table of speed out of Benchmarks/results, or checks that it is what they say.

speed.py ROOT            checks; also that the results are of full runs and have every metric that scripts rely on
speed.py ROOT --write    writes the table
"""
import json
import pathlib
import sys

BENCHMARKS = ["latency", "capacity", "arbitration", "session"]
# A public interface: whoever reads the JSON files finds these.
METRICS = """mix.ns_per_voice_frame mix.pitched_ns_per_voice_frame mix.voices_in_half_period cycle.percent_of_period
command.frames_to_sound command.scheduled_error_frames through.added_frames gate.frames_to_attenuation
gate.frames_to_silence session.activate_ms arbiter.verdict_ms server.lost_ms server.back_ms ring.ns_per_command
stream.underruns memory.mib jack.xruns_over_control""".split()
BEGIN, END = "<!-- speed: Scripts/benchmark writes this -->\n", "<!-- end of speed -->\n"


def number(value):
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3}f}"


def row(target):
    sign = "≥" if target["atLeast"] else "≤"
    unit = "" if target["unit"] == "1" else " %" if target["unit"] == "%" else f" {target['unit']}"
    verdict = target["verdict"]
    if verdict == "met" and target.get("aimVerdict") == "met":
        verdict = f"met, and the aim ({sign} {number(target['aim'])})"
    return f"| {target['headline']} | {sign} {number(target['wanted'])}{unit} | {number(target['reached'])}{unit} | {verdict} |\n"


def table(reports):
    lines = ["| what | target | reached | |\n", "|---|--:|--:|---|\n"]
    for report in reports:
        lines += [row(target) for target in report["targets"] if target.get("headline")]
    machine, days = reports[0]["machine"], sorted({report["date"] for report in reports})
    lines.append(f"\n{machine['processor']}, {machine['cores']} cores, no sound card; {' and '.join(days)}. ")
    verdicts = [target["verdict"] for report in reports for target in report["targets"]]
    count = {verdict: verdicts.count(verdict) for verdict in ["met", "missed", "undecided"]}
    lines.append(f"Of all {len(verdicts)} targets {count['met']} are met, {count['missed']} missed and {count['undecided']} undecided.\n")
    return "".join(lines)


def main():
    root, writes = pathlib.Path(sys.argv[1]).resolve(), "--write" in sys.argv[2:]
    readme, results = root / "README.md", root / "Benchmarks" / "results"
    files = [results / f"{name}.json" for name in BENCHMARKS]
    if not any(file.exists() for file in files) and not writes:
        print("speed: there are no results to compare")
        return 0
    faults = [f"{file.relative_to(root)}: missing" for file in files if not file.exists()]
    reports = [json.loads(file.read_text()) for file in files if file.exists()]
    faults += [f"Benchmarks/results/{report['benchmark']}.json: a quick run proves nothing" for report in reports if report["quick"]]
    found = {result["metric"] for report in reports for result in report["results"]}
    faults += [f"Benchmarks/results: no result has the metric {metric}" for metric in METRICS if metric not in found]
    text = readme.read_text()
    if BEGIN not in text or END not in text:
        faults.append(f"README.md: there is no place for the table of speed, between {BEGIN.strip()} and {END.strip()}")
    elif not faults:
        before, rest = text.split(BEGIN, 1)
        new = before + BEGIN + table(reports) + END + rest.split(END, 1)[1]
        if writes:
            readme.write_text(new)
        elif new != text:
            faults.append("README.md: its table of speed is not what Benchmarks/results say; run python3 Scripts/checks/speed.py . --write")
    print("\n".join([*faults, f"speed: {len(reports)} results compared, {len(faults)} failures"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
