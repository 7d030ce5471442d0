import Foundation
import Reporting

/// The contents of the page, as input of its templates.
struct Contents {
    var benchmarks: [Stored]
    /// The folder of the figures.
    var folder: URL

    /// The values for `Pages`.
    var values: [String: Any] {
        [
            "machines": machines,
            "targets": benchmarks.flatMap { report in report.targets.map { target($0, of: report) } },
            "summary": summary, "benchmarks": benchmarks.map(chapter), "isQuick": benchmarks.contains(where: \.quick),
            "metrics": metrics,
        ]
    }

    private var machines: [[String: Any]] {
        benchmarks.map { report in
            let (machine, noise) = (report.machine, report.noise)
            let realTime = noise.realTimeWakeUpMilliseconds.map(number) ?? "none here"
            return [
                "benchmark": report.benchmark, "date": report.date,
                "machine":
                    "\(machine.processor), \(machine.cores) cores, \(machine.memoryBytes >> 20) MiB, \(machine.system)",
                "cache": "\(machine.cacheBytes >> 20) MiB", "ratio": "±\(number(noise.ratio * 100)) %",
                "wakeUp": number(noise.wakeUpMilliseconds), "realTimeWakeUp": realTime,
                "stop": number(noise.longestStopMilliseconds), "stopped": "\(number(noise.stoppedPercent)) %",
                "priority": report.realTime == true ? "in real time" : "as started",
            ]
        }
    }

    private var summary: String {
        let verdicts = benchmarks.flatMap(\.targets).map(\.verdict)
        let missed = verdicts.count { $0 == "missed" }
        let undecided = verdicts.count { $0 == "undecided" }
        return
            "\(verdicts.count) targets: \(verdicts.count - missed - undecided) met, \(missed) missed, \(undecided) undecided"
    }

    private func target(_ target: Stored.Target, of report: Stored) -> [String: Any] {
        let sign = target.atLeast ? "≥" : "≤"
        return [
            "benchmark": report.benchmark, "what": target.what, "unit": target.unit == "1" ? "" : target.unit,
            "wanted": "\(sign) \(number(target.wanted))", "aim": target.aim.map { "\(sign) \(number($0))" } ?? "",
            "reached": number(target.reached), "verdict": target.verdict,
            "words": target.verdict == "met" && target.aimVerdict == "met" ? "met, and the aim" : target.verdict,
        ]
    }

    private func chapter(_ report: Stored) -> [String: Any] {
        [
            "benchmark": report.benchmark,
            "tables": report.tables.map { table -> [String: Any] in
                [
                    "title": table.title, "note": table.note,
                    "columns": table.columns.map { ["title": $0.title, "side": $0.isText ? "text" : "number"] },
                    "rule": table.columns.map { $0.isText ? "---" : "--:" }.joined(separator: "|"),
                    "rows": table.rows.map { row in
                        ["cells": zip(table.columns, row).map { ["text": $1, "side": $0.isText ? "text" : "number"] }]
                    },
                ]
            },
            "figures": report.figures.map { figure -> [String: Any] in
                ["name": figure.name, "caption": figure.caption, "picture": picture(figure.name)]
            },
        ]
    }

    /// Returns a picture as a data URL; empty if there is none.
    private func picture(_ name: String) -> String {
        for (suffix, kind) in [("svg", "svg+xml"), ("png", "png")] {
            if let data = try? Data(contentsOf: folder.appending(path: "\(name).\(suffix)")) {
                return "data:image/\(kind);base64,\(data.base64EncodedString())"
            }
        }
        return ""
    }

    /// Every line of the results.
    private var metrics: [[String: Any]] {
        let known = ["metric", "subject", "unit", "median", "low", "high", "p99", "p999", "min", "max", "n"]
        return benchmarks.flatMap { report in
            report.results.map { result in
                var row: [String: Any] = ["benchmark": report.benchmark]
                for key in known { row[key] = result[key]?.text ?? "" }
                let conditions = result.filter { !known.contains($0.key) }.sorted { $0.key < $1.key }
                row["conditions"] = conditions.map { "\($0.key) \($0.value.text)" }.joined(separator: ", ")
                return row
            }
        }
    }

    private func number(_ value: Double) -> String { Scalar.number(value).text }
}
