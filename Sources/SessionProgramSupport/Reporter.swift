internal import Foundation
package import Platform

/// Reports events: as JSON lines, as lines of text, or as the log on the screen. Main thread only.
package final class Reporter<Kind: ProgramEventKind> {
    package let style: ReportStyle
    private let program: String
    /// The current time in seconds since the start; the program's controller updates it.
    package var now = 0.0
    /// The last lines, for the screen.
    package private(set) var log: [String] = []
    /// Why an event could not be written to standard output; later ones are not written.
    private var outputFailure: OutputFailure?
    private var lastPositionLine = -Double.infinity
    /// Messages to print when the screen is closed; nil if no screen is open.
    private var delayedMessages: [String]?

    /// `program`: the name that begins messages on standard error.
    package init(style: ReportStyle, program: String) {
        self.style = style
        self.program = program
        delayedMessages = style == .screen ? [] : nil
    }

    /// Reports what has happened by `now`.
    package func report(_ kind: Kind) { report(ProgramEvent(time: now, kind: kind)) }

    /// Reports an event in the style of this reporter. The log on the screen leaves out positions:
    /// the screen shows the position itself.
    package func report(_ event: ProgramEvent<Kind>) {
        switch style {
        case .json: write(event.json)
        case .lines: if let line = line(for: event) { write(line) }
        case .screen:
            if event.kind.isPosition { return }
            if let line = line(for: event) { log = (log + [line]).suffix(50) }
        case .silent: break
        }
    }

    /// Throws if an event could not be written.
    package func checkOutput() throws(OutputFailure) {
        if let outputFailure { throw outputFailure }
    }

    /// Reports a failure that ends the run or determines its status: as one sentence on standard
    /// error, delayed while the screen is open, and also as an event in the JSON lines and in the
    /// log on the screen.
    package func fail(_ failure: ProgramFailure) {
        let sentence = "\(program): \(failure.message.printable)\n"
        if style == .json || style == .screen { report(error(failure)) }
        if delayedMessages != nil { delayedMessages?.append(sentence) } else { StandardStream.writeError(sentence) }
    }

    /// Reports a request that cannot be fulfilled at the moment: like `fail`, but an open screen
    /// only shows it.
    package func refuse(_ failure: ProgramFailure) {
        if style == .screen { report(error(failure)) } else { fail(failure) }
    }

    /// Reports the error that ends the run. Returns the exit status.
    package func end(with error: any Error) -> Int32 {
        screenIsClosed()
        if let failure = error as? OutputFailure {
            if !failure.isReaderGone { StandardStream.writeError("\(program): \(failure)\n") }
            return failure.exitStatus
        }
        let failure = ProgramFailure(error)
        fail(failure)
        return failure.status.rawValue
    }

    /// Prints the delayed messages; later ones are printed at once.
    package func screenIsClosed() {
        delayedMessages?.forEach { StandardStream.writeError($0) }
        delayedMessages = nil
    }

    private func error(_ failure: ProgramFailure) -> Kind {
        .change(.error(code: Int(failure.status.rawValue), message: failure.message))
    }

    // As text, the position is reported every five seconds.
    private func line(for event: ProgramEvent<Kind>) -> String? {
        if event.kind.isPosition {
            guard event.time - lastPositionLine >= 4.9 else { return nil }
            lastPositionLine = event.time
        }
        let clock = Text.clock(event.time)
        return event.kind.line.map {
            "\(String(repeating: " ", count: max(0, 7 - clock.count)))\(clock)  \($0.printable)"
        }
    }

    private func write(_ line: String) {
        guard outputFailure == nil else { return }
        do throws(OutputFailure) { try StandardStream.write(line + "\n") } catch { outputFailure = error }
    }
}

/// How a reporter reports events.
package enum ReportStyle { case json, lines, screen, silent }
