import SessionProgramSupport

/// The player's screen.
extension ScreenLayout {
    /// Returns one line per row. `levels` are the levels of the meters.
    func lines(_ status: PlayerStatus, _ observer: SessionObserver, levels: [Float]) -> [Line] {
        page(
            facts(status, observer, levels), log: status.log,
            keys: [
                "  space play/pause  ←→ seek  ↑↓ volume  n next  b back  i interrupt  s silent  p prompt  q quit",
                "  space play  ←→ seek  ↑↓ volume  n next  b back  i interrupt  s silent  p prompt  q quit",
                "  space play ←→ ↑↓ n next b back i interrupt s silent p prompt q quit",
                "  space play ←→ ↑↓ n b i interrupt s silent p prompt q quit",
                "  space ←→ ↑↓ n b i s p  q quit",
                "  q quit",
            ])
    }

    private func facts(_ status: PlayerStatus, _ observer: SessionObserver, _ levels: [Float]) -> [Line] {
        let sessions = observer.statuses
        let activity = sessions.first?.state == .interrupted ? "interrupted" : status.isPlaying ? "playing" : "paused"
        var lines = [headline("player", observer), Line()]
        lines.append(Line("  \(status.file)   \(activity)   \(status.format)", isBold: true))
        lines += [positionBar(status.position, of: status.duration), Line()]
        for (index, level) in levels.enumerated() {
            lines.append(meter(level, isClipped: status.peaks[index] > 1, index))
        }
        lines += status.loudness.map { [loudness($0)] } ?? []
        let silence = status.silentSwitch ? "   silent switch ON" : ""
        lines += [Line("  Volume    \(Text.oneDecimal(status.volumeDecibels)) dB\(silence)"), Line()]
        for session in sessions { lines += sessionLines(session) }
        lines.append(Line("  Route     \(status.route)"))
        return lines
            + hardwareLines(
                observer.hardware, detail: tuning(status), latency: nil, xruns: status.xruns, cpuLoad: status.cpuLoad)
    }

    /// The loudness range is shown only if there is room for it.
    private func loudness(_ loudness: OutputLoudness) -> Line {
        let levels = [("M", loudness.momentary), ("S", loudness.shortTerm), ("I", loudness.integrated)]
        let scales = levels.map { "\($0) \(Text.level($1))" }.joined(separator: "  ")
        let range = columns >= 80 ? "   range \(Text.oneDecimal(loudness.range)) LU" : ""
        return Line("  Loudness  \(scales) LUFS   max \(Text.level(loudness.truePeak)) dBTP\(range)")
    }

    private func tuning(_ status: PlayerStatus) -> String {
        switch status.tuning {
        case nil: ""
        case .underWay: ", auto"
        case .settled: ", auto, settled"
        }
    }
}
