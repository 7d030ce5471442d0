import Foundation

/// Tells what happens: JSON lines, lines for people, or the log on the screen. Main thread only.
final class Reporter {
    enum Style { case json, lines, screen, silent }

    let style: Style
    /// The last lines, for the screen.
    private(set) var log: [String] = []
    private var lastPositionLine = -Double.infinity

    init(style: Style) { self.style = style }

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

    /// One clear sentence on standard error; an `error` event as well where events are asked for.
    func fail(_ failure: PlayerFailure, at time: Double) {
        if style == .json {
            tell(PlayerEvent(time: time, kind: .error(code: Int(failure.status.rawValue), message: failure.message)))
        }
        Self.write("player: \(failure.message)\n", to: 2)
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
