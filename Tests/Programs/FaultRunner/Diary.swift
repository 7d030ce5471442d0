import AudioRendering
import Foundation
import Platform

/// Prints a line at once.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// What happened in a run, a line each, in the order of its happening.
final class Diary: Sendable {
    private let lines = Locked<[String]>([])
    private let isPrinted: Bool

    init(isPrinted: Bool) { self.isPrinted = isPrinted }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
        if isPrinted { say(line) }
    }

    /// Whether a call was given up: on a server that hangs, one call more says nothing more.
    var isStuck: Bool { lines.withLock { $0.contains { $0.contains(": error timedOut") } } }

    var noted: [String] { lines.withLock { $0 } }

    /// Makes a call, and notes what it returned or threw, and that it took too long. Returns nil when it threw.
    @discardableResult
    func attempt<Value>(_ name: String, within limit: Double = 5, _ body: () throws -> Value) -> Value? {
        let begun = Date()
        defer {
            let seconds = Date().timeIntervalSince(begun)
            if seconds > limit { note("FAULT: \(name) took \(seconds) s of \(limit)") }
        }
        do {
            let value = try body()
            note(Value.self == Void.self ? "\(name): done" : "\(name): \(Self.describe(value))")
            return value
        } catch {
            note("\(name): error \(Self.describe(error))")
            return nil
        }
    }

    private static func describe(_ value: Any) -> String {
        guard let format = value as? HardwareFormat else { return "\(value)" }
        return
            "\(format.sampleRate) Hz, \(format.periodFrames) frames, \(format.outputChannels) out, \(format.inputChannels) in"
    }

    static func describe(_ error: any Error) -> String {
        guard let error = error as? DriverError else { return "\(type(of: error)): \(error)" }
        let name =
            switch error {
            case .noServer: "noServer"
            case .cannotStartServer: "cannotStartServer"
            case .timedOut: "timedOut"
            case .refused: "refused"
            case .serverLost: "serverLost"
            case .notOpen: "notOpen"
            case .tooFewDescriptors: "tooFewDescriptors"
            }
        return "\(name): \(error)"
    }

    static func describe(_ event: DriverEvent) -> String {
        switch event {
        case .formatChanged(let format): "formatChanged \(describe(format as Any))"
        case .devicesChanged(let devices): "devicesChanged \(devices.count)"
        case .xrun(let count): "xrun \(count)"
        case .serverLost: "serverLost"
        case .serverReturned(let format): "serverReturned \(describe(format as Any))"
        case .serverGone: "serverGone"
        }
    }

    /// What is wrong in the order of a driver's events: it is lost when it was there, and comes back or is given up when it was lost.
    static func findFault(in events: [DriverEvent]) -> String? {
        var isLost = false
        for event in events {
            switch event {
            case .serverLost where isLost: return "the server is lost twice"
            case .serverReturned where !isLost, .serverGone where !isLost:
                return "what was not lost returned or is gone"
            case .serverLost: isLost = true
            case .serverReturned, .serverGone: isLost = false
            case .formatChanged(let format) where format.sampleRate <= 0 || format.periodFrames <= 0:
                return "a format of \(format.sampleRate) Hz and \(format.periodFrames) frames"
            case .formatChanged, .xrun, .devicesChanged: break
            }
        }
        return nil
    }
}
