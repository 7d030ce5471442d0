import AudioRendering
import Foundation
import Platform

/// Prints a line immediately.
func say(_ line: String) { FileHandle.standardOutput.write(Data((line + "\n").utf8)) }

/// The log of a run: one line per event, in order.
final class RunLog: Sendable {
    private let lines = Mutex<[String]>([])
    private let isPrinted: Bool

    init(isPrinted: Bool) { self.isPrinted = isPrinted }

    func note(_ line: String) {
        lines.withLock { $0.append(line) }
        if isPrinted { say(line) }
    }

    /// Whether a call has timed out: on a server that hangs, further calls add no information.
    var isStuck: Bool { lines.withLock { $0.contains { $0.contains(": error timedOut") } } }

    var noted: [String] { lines.withLock { $0 } }

    /// Makes a call, and logs its result or error, and a fault if it took too long. Returns nil if
    /// the call threw.
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
            case .cannotCreateThread: "cannotCreateThread"
            }
        return "\(name): \(error)"
    }

    static func describe(_ event: DriverEvent) -> String {
        switch event {
        case .formatChanged(let format): "formatChanged \(describe(format as Any))"
        case .devicesChanged(let devices): "devicesChanged \(devices.count)"
        case .nodesChanged(let nodes): "nodesChanged \(nodes.count)"
        case .xrun(let count): "xrun \(count)"
        case .serverLost: "serverLost"
        case .serverReturned(let format): "serverReturned \(describe(format as Any))"
        case .serverGone: "serverGone"
        }
    }

    /// Describes what is wrong in the order of a driver's events. A server can be lost only while
    /// it is there, and can return or be given up only while it is lost.
    static func findFault(in events: [DriverEvent]) -> String? {
        var isLost = false
        for event in events {
            switch event {
            case .serverLost where isLost: return "the server is lost twice"
            case .serverReturned where !isLost, .serverGone where !isLost:
                return "a server that was not lost has returned or is gone"
            case .serverLost: isLost = true
            case .serverReturned, .serverGone: isLost = false
            case .formatChanged(let format) where format.sampleRate <= 0 || format.periodFrames <= 0:
                return "a format of \(format.sampleRate) Hz and \(format.periodFrames) frames"
            case .formatChanged, .xrun, .devicesChanged, .nodesChanged: break
            }
        }
        return nil
    }
}
