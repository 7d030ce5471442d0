public import Foundation
public import SessionArbiter
public import SessionPolicy

/// A decision of the log as a line: number, time, request, effects and rules.
public struct LogLine {
    /// Converts times of the arbiter's clock to wall-clock time.
    public struct Clock {
        private let steady: EventTime
        private let wall: Date
        private let format: DateFormatter

        /// Creates a clock from the time of both clocks at one moment.
        public init(steady: EventTime, wall: Date, zone: TimeZone = .current) {
            self.steady = steady
            self.wall = wall
            format = DateFormatter()
            format.locale = Locale(identifier: "en_US_POSIX")
            format.timeZone = zone
            format.dateFormat = "HH:mm:ss.SSS"
        }

        func text(_ time: EventTime) -> String {
            let seconds = (Double(time.nanoseconds) - Double(steady.nanoseconds)) / 1e9
            return format.string(from: wall.addingTimeInterval(seconds))
        }
    }

    private let decision: Decision

    public init(_ decision: Decision) { self.decision = decision }

    /// Returns the line, such as "12 14:03:22.123 session 5: activate → session 3 interrupted
    /// (ACT-2 by 5), session 5 activated (ACT-1)".
    public func text(_ clock: Clock) -> String {
        Text.lines([
            "\(decision.number)  \(clock.text(decision.event.time))  \(subject)\(decision.event.action.phrase) → \(result)"
        ])
    }

    /// Returns the decision as JSON on one line.
    public func json() throws -> String { try JSON.line(decision) }

    private var subject: String {
        if let session = decision.event.action.session { return "session \(session.rawValue): " }
        return decision.event.action.app.map { "app \($0.rawValue): " } ?? ""
    }

    /// Joins the phrases; a decision without phrases is reported as "done".
    private static func list(_ phrases: [String]) -> String {
        phrases.isEmpty ? "done" : phrases.joined(separator: ", ")
    }

    private var result: String {
        switch decision.outcome {
        case .refused(let refusal): "refused (\(refusal.code.rawValue)): \(refusal.description)"
        case .granted(let effects):
            Self.list(effects.compactMap(\.phrase))
        }
    }
}
