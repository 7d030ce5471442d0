import AudioPlayback
import SessionProgramSupport

/// The recorder's screen.
extension ScreenLayout {
    /// Returns one line per row.
    func lines(_ status: RecorderStatus, _ observer: SessionObserver, _ meters: ScreenMeters) -> [Line] {
        page(
            facts(status, observer, meters), log: status.log,
            keys: [
                "  space pause/resume  n next file  m monitor  q stop and quit",
                "  space pause  n next  m monitor  q quit",
                "  space n m  q quit",
                "  q quit",
            ])
    }

    private func facts(_ status: RecorderStatus, _ observer: SessionObserver, _ meters: ScreenMeters) -> [Line] {
        var lines = [headline("recorder", observer), Line()]
        lines.append(
            Line(
                "  \(status.file)   file \(status.fileNumber)   \(text(status.activity))   \(status.format)",
                isBold: true))
        lines += [times(status), Line()]
        for (index, level) in meters.levels.enumerated() {
            let isClipped = index < status.levels.count && status.levels[index].clippedSamples > 0
            lines.append(meter(level, held: meters.held[index], isClipped: isClipped, index))
        }
        let monitor = status.monitorDecibels.map { "\(Text.oneDecimal($0)) dB" } ?? "off"
        lines += [Line("  Lost      \(status.lostFrames) frames"), Line("  Monitor   \(monitor)"), Line()]
        for session in observer.statuses { lines += sessionLines(session) }
        lines.append(Line("  Input     \(status.route)"))
        return lines
            + hardwareLines(
                observer.hardware, latency: status.inputLatency, xruns: status.xruns, cpuLoad: status.cpuLoad)
    }

    private func text(_ activity: RecorderStatus.Activity) -> String {
        switch activity {
        case .waiting(let text): text
        case .recording: "recording"
        case .paused: "paused"
        case .interrupted: "interrupted"
        case .ended: "ended"
        }
    }

    /// The recorded time, the time until the nearer limit, and the time that the disk has room for.
    private func times(_ status: RecorderStatus) -> Line {
        let limits = [status.secondsLeft, status.secondsOfSize].compactMap(\.self)
        let left = limits.min().map { "   remaining \(Text.clock($0))" } ?? ""
        let disk = status.secondsOfDisk.map { "   disk \(Text.longTime($0))" } ?? ""
        return Line("  Time      \(Text.clock(status.seconds))\(left)\(disk)", isBold: true)
    }
}
