import CLatencyProbe
import Processes
import Servers

/// Executes commands on a probed app.
final class ProbedAppPerformer {
    /// The name of the part that performs it.
    static let part = "probed-app"

    private var app: ProbedApp?
    private var sounds: ProbedApp.Sounds?
    private var hasLoopback = false
    private var server = ""
    /// The rest of a reply that is longer than a packet. The caller requests it in segments.
    private var reply: ArraySlice<Double> = []

    func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open":
            (server, hasLoopback) = (words[1], words[2] != ServerKind.pipewire.rawValue)
            app = try ProbedApp(server: server, isDevice: !hasLoopback, appFirst: words.contains("app-first"))
        case "more": return take()
        case "close":
            app?.close()
            (app, sounds) = (nil, nil)
        default:
            guard let app else { throw BenchmarkError("no app is open") }
            reply = ArraySlice(try perform(words, app))
            return [Double(reply.count)]
        }
        return []
    }

    private func take() -> [Double] {
        defer { reply = reply.dropFirst(2_000) }
        return Array(reply.prefix(2_000))
    }

    private func perform(_ words: [String], _ app: ProbedApp) throws -> [Double] {
        let number = words.count > 1 ? Int(words[1]) ?? 0 : 0
        switch words[0] {
        case "ways": try app.connectThrough(overLoopback: words[1] == "loopback")
        case "voices": try app.playThrough(voices: number)
        case "through": return try app.sendThrough(number, overLoopback: words[2] == "loopback")
        case "iodelay":
            return try app.readDelays(number, overLoopback: hasLoopback, server: server)
        case "outputs":
            try app.connectOutputs()
            sounds = try app.makeSounds()
        case "untimed": return try app.postUntimed(number, try made())
        case "timed": return try app.postTimed(number, try made())
        case "act": return try app.act(number, words[2...].compactMap { Int($0).flatMap(Action.init) }, try made())
        case "wakes": return try app.noteWakes(seconds: Double(words[1]) ?? 0)
        default: throw BenchmarkError("unknown command of the probed app")
        }
        return []
    }

    private func made() throws -> ProbedApp.Sounds {
        guard let sounds else { throw BenchmarkError("the app is not connected to the probe") }
        return sounds
    }
}

extension Performer {
    /// Sends a command whose reply may be long.
    func askAtLength(_ words: String...) throws -> [Double] {
        try askAtLength(words)
    }

    func askAtLength(_ words: [String]) throws -> [Double] {
        let count = Int(try ask(words.joined(separator: " ")).first ?? 0)
        var all: [Double] = []
        while all.count < count { all += try ask("more") }
        return all
    }
}
