#!/usr/bin/env python3
"""Checks that the tables of speed in README.md and Benchmarks/README.md, and that of programs in
Documentation/ForeignPrograms.md, agree with Benchmarks/results, or writes the tables.

speed.py ROOT            checks the tables, and that the results come from full runs and have the
                         metrics and units that the page of metrics lists, and no others
speed.py ROOT --write    writes the tables, and removes the remark of metrics that are no longer new
"""
import json
import pathlib
import re
import sys

BENCHMARKS = ["latency", "capacity", "arbitration", "session", "foreign"]
# The page that lists the metrics, one table for each benchmark. They are a public interface: scripts that read the
# results rely on them.
METRICS = "Benchmarks/Documentation/metrics.md"
METRIC = re.compile(r"^\| `([a-z]+\.[a-z0-9_]+)` \| ([^|]+) \| ([^|]*)\|", re.MULTILINE)
# Ends the description of a metric that was added since the last full run.
NEW = "(not in the stored results)"
# README.md shows the headlines that begin with one of these; Benchmarks/README.md shows all.
README_HEADLINES = (
    "frames added between input and output, 1,024 voices",
    "command → first changed frame",
    "MIDI note → first frame of its sound",
    "host → node of another app → host",
    "start of the server's transport",
    "arbiter's grant → silence of an app that hangs",
    "mixing a voice, hot: cost over OpenAL Soft",
    "jackd back → sound",
)
# Units that are words, in the plural.
PLURALS = ("frames", "periods", "voices", "bytes")
BEGIN, END = "<!-- speed: Scripts/benchmark writes this -->\n", "<!-- end of speed -->\n"
# The table of one benchmark that a page of the documentation shows, too.
PROGRAMS, PROGRAMS_PAGE = "By program", "Documentation/ForeignPrograms.md"
PROGRAMS_BEGIN, PROGRAMS_END = "<!-- foreign: Scripts/benchmark writes this -->\n", "<!-- end of foreign -->\n"


def load(file):
    """Returns the header of a benchmark's results, with its "targets", "results" and "tables"."""
    records = [next(iter(json.loads(line).items())) for line in file.read_text().splitlines()]
    found = {kind: [record for other, record in records if other == kind] for kind in ("header", "target", "result", "table")}
    return found["header"][0] | {"targets": found["target"], "results": found["result"], "tables": found["table"]}


def number(value):
    if value == int(value) and abs(value) < 1e6:
        return f"{int(value):,}"
    return f"{value:,.{0 if abs(value) >= 100 else 1 if abs(value) >= 10 else 2 if abs(value) >= 1 else 3}f}"


def row(target):
    sign = "≥" if target["atLeast"] else "≤"

    def quantity(value):
        unit = target["unit"]
        if unit in PLURALS and value == 1:
            unit = unit.removesuffix("s")
        return number(value) + ("" if unit == "1" else f" {unit}")

    outcome = target["verdict"]
    if outcome == "met" and target.get("aimVerdict") == "met":
        outcome = f"met, and the aim ({sign} {number(target['aim'])})"
    return f"| {target['headline']} | {sign} {quantity(target['wanted'])} | {quantity(target['reached'])} | {outcome} |\n"


def places(reports):
    """Returns the machines and days of the runs."""
    machines = dict.fromkeys(f"{report['machine']['processor']}, {report['machine']['cores']} cores" for report in reports)
    days = sorted({report["date"] for report in reports})
    return f"{', and '.join(machines)}, no sound card; {' and '.join(days)}"


def programs(report):
    """Returns the table by program of a benchmark's results; None if they have none."""
    found = next((table for table in report["tables"] if table["title"] == PROGRAMS), None)
    if found is None:
        return None
    lines = ["|" + "|".join(f" {column['title']} " for column in found["columns"]) + "|\n"]
    lines.append("|" + "|".join("---" if column["isText"] else "--:" for column in found["columns"]) + "|\n")
    lines += ["|" + "|".join(f" {cell} " for cell in row) + "|\n" for row in found["rows"]]
    return "".join([*lines, f"\n{places([report])}.\n"])


def table(reports, headlines=("",)):
    lines = ["| what | target | reached | |\n", "|---|--:|--:|---|\n"]
    for report in reports:
        lines += [row(target) for target in report["targets"] if target.get("headline", "").startswith(headlines) and target.get("headline")]
    lines.append(f"\n{places(reports)}. ")
    outcomes = [target["verdict"] for report in reports for target in report["targets"]]
    count = {outcome: outcomes.count(outcome) for outcome in ["met", "missed", "undecided"]}
    lines.append(f"Of all {len(outcomes)} targets {count['met']} are met, {count['missed']} missed and {count['undecided']} undecided.\n")
    return "".join(lines)


def compare(root, page, new, writes, begin=BEGIN, end=END):
    """Returns the errors of a page's table; with `new` None, the results are invalid and only the markers are checked."""
    name = page.relative_to(root)
    text = page.read_text() if page.is_file() else ""
    if begin not in text or end not in text:
        return [f"{name}: the markers of the table of speed are missing: {begin.strip()} and {end.strip()}"]
    if new is None:
        return []
    before, rest = text.split(begin, 1)
    whole = before + begin + new + end + rest.split(end, 1)[1]
    if writes:
        page.write_text(whole)
    elif whole != text:
        return [f"{name}: its table of speed differs from Benchmarks/results; run python3 Scripts/checks/speed.py . --write"]
    return []


def without_remarks(text, reports):
    """Returns the page of metrics without the remark NEW in the rows of stored metrics."""
    parts = text.split("\n## ")
    for number, part in enumerate(parts):
        name = part.split("\n", 1)[0].strip()
        stored = {result["metric"] for report in reports if report["benchmark"] == name for result in report["results"]}
        lines = part.split("\n")
        for index, line in enumerate(lines):
            if (row := METRIC.match(line)) and row[1] in stored:
                lines[index] = line.replace(" " + NEW, "")
        parts[number] = "\n".join(lines)
    return "\n## ".join(parts)


def metric_faults(root, reports, writes):
    page = root / METRICS
    text = page.read_text() if page.is_file() else ""
    if writes and text:
        text = without_remarks(text, reports)
        page.write_text(text)
    # A section of the page per benchmark, because two benchmarks may use one name.
    sections = {section.split("\n", 1)[0].strip(): section for section in text.split("\n## ")[1:]}
    for report in reports:
        name = report["benchmark"]
        rows = METRIC.findall(sections.get(name, ""))
        new = {(metric, unit.strip()) for metric, unit, what in rows if what.strip().endswith(NEW)}
        listed = {(metric, unit.strip()) for metric, unit, _ in rows}
        found = {(result["metric"], result["unit"]) for result in report["results"]}
        for metric, unit in sorted(listed - found - new):
            yield f"{METRICS}: no result of {name} has the metric {metric} in {unit}"
        for metric, unit in sorted(found - listed):
            yield f"{METRICS}: the metric {metric} in {unit} of {name} is missing"
        for metric, unit in sorted(found & new):
            yield f"{METRICS}: the metric {metric} in {unit} of {name} is in the stored results; remove '{NEW}', or run python3 Scripts/checks/speed.py . --write"


def main():
    root, writes = pathlib.Path(sys.argv[1]).resolve(), "--write" in sys.argv[2:]
    results = root / "Benchmarks" / "results"
    files = [results / f"{name}.jsonl" for name in BENCHMARKS]
    if not any(file.exists() for file in files) and not writes:
        print("speed: no results to compare")
        return 0
    faults = [f"{file.relative_to(root)}: missing" for file in files if not file.exists()]
    reports = [load(file) for file in files if file.exists()]
    faults += [f"Benchmarks/results/{report['benchmark']}.jsonl: a quick run is not valid; run the benchmark without --quick" for report in reports if report["quick"]]
    faults += metric_faults(root, reports, writes)
    for page, headlines in [(root / "README.md", README_HEADLINES), (root / "Benchmarks" / "README.md", ("",))]:
        faults += compare(root, page, table(reports, headlines) if not faults else None, writes)
    shown = next(filter(None, map(programs, reports)), None)
    if shown is not None:
        faults += compare(root, root / PROGRAMS_PAGE, shown if not faults else None, writes, PROGRAMS_BEGIN, PROGRAMS_END)
    print("\n".join([*faults, f"speed: {len(reports)} results compared, {len(faults)} failures"]))
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
