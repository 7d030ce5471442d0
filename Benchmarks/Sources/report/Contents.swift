import Foundation
import Reporting

/// The contents of the page, as input of its templates.
struct Contents {
    var reports: [Report]
    /// The folder of the figures.
    var folder: URL

    /// The values for `Pages`.
    var values: [String: Any] {
        [
            "machines": reports.map { machine($0.header) },
            "targets": reports.flatMap { report in report.findings.targets.map { target($0, of: report.header) } },
            "summary": summary, "benchmarks": reports.map(chapter),
            "isQuick": reports.contains(where: \.header.quick), "metrics": metrics,
        ]
    }

    private func machine(_ header: Report.Header) -> [String: Any] {
        let (machine, noise) = (header.machine, header.noise)
        return [
            "benchmark": header.benchmark, "date": header.date,
            "machine":
                "\(machine.processor), \(machine.cores) cores, \(machine.memoryBytes >> 20) MiB, \(machine.system)",
            "cache": "\(machine.cacheBytes >> 20) MiB", "ratio": "±\(digits(noise.ratio * 100)) %",
            "wakeUp": digits(noise.wakeUpMilliseconds),
            "realTimeWakeUp": noise.realTimeWakeUpMilliseconds.map(digits) ?? "none here",
            "stop": digits(noise.longestStopMilliseconds), "stopped": "\(digits(noise.stoppedPercent)) %",
            "priority": header.realTime == true ? "in real time" : "as started",
        ]
    }

    private var summary: String {
        let verdicts = reports.flatMap(\.findings.targets).map(\.verdict)
        func count(_ verdict: Target.Verdict) -> String { "\(verdicts.count { $0 == verdict }) \(verdict)" }
        return "\(verdicts.count) targets: \(count(.met)), \(count(.missed)), \(count(.undecided))"
    }

    private func target(_ target: Target, of header: Report.Header) -> [String: Any] {
        let sign = target.atLeast ? "≥" : "≤"
        return [
            "benchmark": header.benchmark, "what": target.what, "unit": target.unit == "1" ? "" : target.unit,
            "wanted": "\(sign) \(digits(target.wanted))", "aim": target.aim.map { "\(sign) \(digits($0))" } ?? "",
            "reached": digits(target.reached), "verdict": target.verdict.rawValue,
            "words": target.met && target.aimMet == true ? "met, and the aim" : target.verdict.rawValue,
        ]
    }

    private func chapter(_ report: Report) -> [String: Any] {
        [
            "benchmark": report.header.benchmark,
            "tables": report.findings.tables.map { table -> [String: Any] in
                [
                    "title": table.title, "note": table.note,
                    "columns": table.columns.map { ["title": $0.title, "side": $0.isText ? "text" : "number"] },
                    "rule": table.columns.map { $0.isText ? "---" : "--:" }.joined(separator: "|"),
                    "rows": table.rows.map { row in
                        ["cells": zip(table.columns, row).map { ["text": $1, "side": $0.isText ? "text" : "number"] }]
                    },
                ]
            },
            "figures": report.findings.figures.map { figure -> [String: Any] in
                ["file": figure.file, "caption": figure.caption, "picture": picture(figure.file)]
            },
        ]
    }

    /// Returns a picture as a data URL; empty if there is none.
    private func picture(_ file: String) -> String {
        guard let data = try? Data(contentsOf: folder.appending(path: file)) else { return "" }
        return "data:image/\(file.hasSuffix(".svg") ? "svg+xml" : "png");base64,\(data.base64EncodedString())"
    }

    /// Every result.
    private var metrics: [[String: Any]] {
        reports.flatMap { report in
            report.findings.results.map { result in
                let (statistics, conditions) = (result.statistics, result.conditions.values.sorted { $0.key < $1.key })
                return [
                    "benchmark": report.header.benchmark, "metric": result.metric, "subject": result.subject,
                    "unit": result.unit, "median": digits(statistics.median),
                    "low": digits(statistics.interval.lowerBound), "high": digits(statistics.interval.upperBound),
                    "p99": digits(statistics.p99), "min": digits(statistics.minimum),
                    "max": digits(statistics.maximum), "n": digits(Double(statistics.count)),
                    "conditions": conditions.map { "\($0.key) \($0.value.text)" }.joined(separator: ", "),
                ]
            }
        }
    }
}
