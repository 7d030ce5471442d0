import Foundation

/// Tells what happens: JSON lines, lines for people, or the log on the screen. Main thread only.
final class Reporter {
    enum Style { case json, lines, screen, silent }

    let style: Style
    /// The present time on the scene's clock, which the scene keeps up.
    var now = 0.0
    /// The last lines, for the screen.
    private(set) var log: [String] = []
    private var lastPositionLine = -Double.infinity
    /// Sentences that wait until the screen is closed.
    private var held: [String]?

    init(style: Style) {
        self.style = style
        held = style == .screen ? [] : nil
    }

    func tell(_ event: PlayerEvent) {
        switch style {
        case .json: Self.write(event.json + "\n", to: 1)
        case .lines: if let line = line(for: event) { Self.write(line + "\n", to: 1) }
        case .screen:
            if case .position = event.kind { return }
            if let line = line(for: event) { log = (log + [line]).suffix(50) }
        case .silent: break
        }
    }

    /// What ends the run or decides its status: one clear sentence on standard error, once no screen is in its way, and where
    /// events are asked for one of those.
    func fail(_ failure: PlayerFailure) {
        let sentence = "player: \(failure.message)\n"
        if style == .json || style == .screen { tell(error(failure)) }
        if held != nil { held?.append(sentence) } else { Self.write(sentence, to: 2) }
    }

    /// What was asked for and cannot be now: the same, but a screen shows it and that is all.
    func refuse(_ failure: PlayerFailure) {
        if style == .screen { tell(error(failure)) } else { fail(failure) }
    }

    /// Says what waited for that.
    func screenIsClosed() {
        held?.forEach { Self.write($0, to: 2) }
        held = nil
    }

    private func error(_ failure: PlayerFailure) -> PlayerEvent {
        PlayerEvent(time: now, kind: .error(code: Int(failure.status.rawValue), message: failure.message))
    }

    // For people the position is worth a line every five seconds.
    private func line(for event: PlayerEvent) -> String? {
        if case .position = event.kind {
            guard event.time - lastPositionLine >= 4.9 else { return nil }
            lastPositionLine = event.time
        }
        let clock = Text.clock(event.time)
        return event.line.map { "\(String(repeating: " ", count: max(0, 7 - clock.count)))\(clock)  \($0)" }
    }

    // Whole, whatever the pipe takes at once; a reader that has gone is not our failure.
    private static func write(_ text: String, to descriptor: Int32) {
        var rest = Array(text.utf8)[...]
        while !rest.isEmpty {
            let count = rest.withUnsafeBytes { Foundation.write(descriptor, $0.baseAddress, $0.count) }
            if count < 0, errno == EINTR { continue }
            guard count > 0 else { return }
            rest = rest.dropFirst(count)
        }
    }
}
