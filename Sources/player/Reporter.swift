import Foundation

/// Reports events: as JSON lines, as lines of text, or as the log on the screen. Main thread only.
final class Reporter {
    enum Style { case json, lines, screen, silent }

    let style: Style
    /// The current time in seconds since the start; the playback controller updates it.
    var now = 0.0
    /// The last lines, for the screen.
    private(set) var log: [String] = []
    private var lastPositionLine = -Double.infinity
    /// Messages to print when the screen is closed; nil if no screen is open.
    private var delayedMessages: [String]?

    init(style: Style) {
        self.style = style
        delayedMessages = style == .screen ? [] : nil
    }

    /// Reports an event in the style of this reporter. The log on the screen leaves out positions:
    /// the screen shows the position itself.
    func report(_ event: PlayerEvent) {
        switch style {
        case .json: Self.write(event.json + "\n", to: 1)
        case .lines: if let line = line(for: event) { Self.write(line + "\n", to: 1) }
        case .screen:
            if case .position = event.kind { return }
            if let line = line(for: event) { log = (log + [line]).suffix(50) }
        case .silent: break
        }
    }

    /// Reports a failure that ends the run or determines its status: as one sentence on standard
    /// error, delayed while the screen is open, and also as an event in the JSON lines and in the
    /// log on the screen.
    func fail(_ failure: PlayerFailure) {
        let sentence = "player: \(failure.message)\n"
        if style == .json || style == .screen { report(error(failure)) }
        if delayedMessages != nil { delayedMessages?.append(sentence) } else { Self.write(sentence, to: 2) }
    }

    /// Reports a request that cannot be fulfilled at the moment: like `fail`, but an open screen
    /// only shows it.
    func refuse(_ failure: PlayerFailure) {
        if style == .screen { report(error(failure)) } else { fail(failure) }
    }

    /// Prints the delayed messages; later ones are printed at once.
    func screenIsClosed() {
        delayedMessages?.forEach { Self.write($0, to: 2) }
        delayedMessages = nil
    }

    private func error(_ failure: PlayerFailure) -> PlayerEvent {
        PlayerEvent(time: now, kind: .error(code: Int(failure.status.rawValue), message: failure.message))
    }

    // As text, the position is reported every five seconds.
    private func line(for event: PlayerEvent) -> String? {
        if case .position = event.kind {
            guard event.time - lastPositionLine >= 4.9 else { return nil }
            lastPositionLine = event.time
        }
        let clock = Text.clock(event.time)
        return event.line.map { "\(String(repeating: " ", count: max(0, 7 - clock.count)))\(clock)  \($0)" }
    }

    // Writes the whole text, however much the pipe accepts at once. A reader that has closed the
    // pipe is not an error.
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
