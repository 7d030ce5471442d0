import AudioRendering
import AudioSessions
import CLoad
import Foundation
import JackDriver
import Processes
import Servers

/// An app whose session streams files from disk, all from the same frame on, over and over.
final class StreamApp {
    static let part = "stream-app"
    static let clientName = "stream-app"

    private var host: AudioSessionHost?
    private var session: AudioSession?
    private var voices: [Voice] = []

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "play": return [try play(words[1], readAhead: Double(words[2]) ?? 1, Array(words[3...]))]
        case "sample": return try sample()
        case "skip": try skip()
        case "memory": return [residentKibibytes(), Double(load_heap_bytes()) / 1_024]
        case "close":
            try? session?.setActive(false)
            host?.close()
            (voices, session, host) = ([], nil, nil)
        default: throw BenchmarkError("an app that streams knows no such word")
        }
        return []
    }

    /// Milliseconds until all of them were open and read ahead. `paths`: a folder, and what ends their names.
    private func play(_ server: String, readAhead: Double, _ paths: [String]) throws -> Double {
        let host = AudioSessionHost(
            driver: JackDriver(configuration: .init(server: .named(server), clientName: Self.clientName, inputs: 0)),
            configuration: .init(maximumVoices: 128, readAhead: readAhead))
        let session = try AudioSession(host: host)
        try session.setCategory(.playback)
        try session.setActive(true)
        (self.host, self.session) = (host, session)
        let engine = try session.engine
        let names = try FileManager.default.contentsOfDirectory(atPath: paths[0]).sorted()
        var streams: [FileStream] = []
        let took = try milliseconds {
            streams = try names.map { name in
                let stream = try FileStream(
                    file: AudioFile(path: paths[0] + "/" + name), sampleRate: Server.sampleRate, loops: .max,
                    readAhead: engine.configuration.readAhead)
                stream.fill()
                return stream
            }
        }
        let time = engine.currentFrame + 9_600
        voices = try streams.map { try engine.play(.stream($0), on: session.bus, at: time) }
        let limit = now() + 5_000_000_000
        while engine.currentFrame < time + 4_800 {
            guard now() < limit else { throw BenchmarkError("no cycle runs") }
            poll(nil, 0, 1)
        }
        guard engine.counters.lateCommands == 0, engine.counters.playingVoices == streams.count else {
            throw BenchmarkError("not all streams began on the same frame")
        }
        return took
    }

    /// Frames that came too late, of all streams; streams that play; bytes that this process had read from disk; frames that the furthest was played.
    private func sample() throws -> [Double] {
        let counters = try session?.engine.counters
        let text = (try? String(contentsOfFile: "/proc/self/io", encoding: .utf8)) ?? ""
        let line = text.split(separator: "\n").first { $0.hasPrefix("read_bytes") }
        let bytes = line?.split(separator: " ").last.flatMap { Double($0) } ?? 0
        return [
            Double(counters?.underrunFrames ?? 0), Double(counters?.playingVoices ?? 0), bytes,
            Double(voices.map(\.framesRendered).max() ?? 0),
        ]
    }

    /// One stream stands still for a moment: what listens must find that.
    private func skip() throws {
        guard let voice = voices.first else { throw BenchmarkError("nothing plays") }
        try voice.pause()
        poll(nil, 0, 50)
        try voice.resume()
        poll(nil, 0, 100)
    }
}

/// A listener for the level that all streams come to.
final class StreamEar {
    static let part = "stream-ear"
    private var ear: OpaquePointer?

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open":
            let level = Float(words[2]) ?? 0
            ear = level_ear_open(words[1], "stream-ear", level, StreamFiles.tolerance)
            for input in 0..<2 {
                guard level_ear_connect(try opened(), "\(StreamApp.clientName):out_\(input + 1)", UInt32(input)) else {
                    throw BenchmarkError("it could not be connected")
                }
            }
        case "begin": level_ear_begin(try opened())
        case "heard":
            let heard = level_ear_heard(try opened())
            return [Double(heard.frames), Double(heard.deviating), Double(heard.gaps), Double(heard.xruns)]
        case "close":
            level_ear_close(ear)
            ear = nil
        default: throw BenchmarkError("an ear knows no such word")
        }
        return []
    }

    private func opened() throws -> OpaquePointer {
        guard let ear else { throw BenchmarkError("no client is open") }
        return ear
    }
}
