import Foundation
import Platform

/// Reports events: as JSON lines, as lines of text, or as the log on the screen. Main thread only.
final class Reporter {
    enum Style { case json, lines, screen, silent }

    let style: Style
    /// The current time in seconds since the start; the playback controller updates it.
    var now = 0.0
    /// The last lines, for the screen.
    private(set) var log: [String] = []
    /// Why an event could not be written to standard output; later ones are not written.
    private var outputFailure: OutputFailure?
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
        case .json: write(event.json)
        case .lines: if let line = line(for: event) { write(line) }
        case .screen:
            if case .position = event.kind { return }
            if let line = line(for: event) { log = (log + [line]).suffix(50) }
        case .silent: break
        }
    }

    /// Throws if an event could not be written.
    func checkOutput() throws(OutputFailure) {
        if let outputFailure { throw outputFailure }
    }

    /// Reports a failure that ends the run or determines its status: as one sentence on standard
    /// error, delayed while the screen is open, and also as an event in the JSON lines and in the
    /// log on the screen.
    func fail(_ failure: PlayerFailure) {
        let sentence = "player: \(failure.message.printable)\n"
        if style == .json || style == .screen { report(error(failure)) }
        if delayedMessages != nil { delayedMessages?.append(sentence) } else { StandardStream.writeError(sentence) }
    }

    /// Reports a request that cannot be fulfilled at the moment: like `fail`, but an open screen
    /// only shows it.
    func refuse(_ failure: PlayerFailure) {
        if style == .screen { report(error(failure)) } else { fail(failure) }
    }

    /// Prints the delayed messages; later ones are printed at once.
    func screenIsClosed() {
        delayedMessages?.forEach { StandardStream.writeError($0) }
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
        return event.line.map {
            "\(String(repeating: " ", count: max(0, 7 - clock.count)))\(clock)  \($0.printable)"
        }
    }

    private func write(_ line: String) {
        guard outputFailure == nil else { return }
        do throws(OutputFailure) { try StandardStream.write(line + "\n") } catch { outputFailure = error }
    }
}
