import AudioRendering
import AudioSessions
import CLoad
import Foundation
import JackDriver
import Processes
import Servers

/// An app whose session streams files from disk, all from the same frame on, in a loop.
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
        default: throw BenchmarkError("unknown command of the streaming app")
        }
        return []
    }

    /// Returns the milliseconds until all files were open and read ahead. `paths`: a folder, and
    /// the suffixes of the files' names.
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
            guard now() < limit else { throw BenchmarkError("the server runs no cycles") }
            poll(nil, 0, 1)
        }
        guard engine.counters.lateCommands == 0, engine.counters.playingVoices == streams.count else {
            throw BenchmarkError("not all streams began on the same frame")
        }
        return took
    }

    /// Returns the underrun frames of all streams; the number of playing streams; the bytes that
    /// this process has read from disk; and the playhead of the furthest stream, in frames.
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

    /// Pauses one stream for a moment, which the level check must detect.
    private func skip() throws {
        guard let voice = voices.first else { throw BenchmarkError("nothing plays") }
        try voice.pause()
        poll(nil, 0, 50)
        try voice.resume()
        poll(nil, 0, 100)
    }
}

/// A receiver that checks the sum of all streams for its level.
final class StreamTap {
    static let part = "stream-tap"
    private var tap: OpaquePointer?

    func perform(_ words: [String]) throws -> [Double] {
        switch words.first {
        case "open":
            let level = Float(words[2]) ?? 0
            tap = level_tap_open(words[1], "stream-tap", level, StreamFiles.tolerance)
            for input in 0..<2 {
                let port = "\(StreamApp.clientName):out_\(input + 1)"
                guard level_tap_connect(try requireOpen(), port, UInt32(input)) else {
                    throw BenchmarkError("cannot connect the receiver")
                }
            }
        case "begin": level_tap_begin(try requireOpen())
        case "heard":
            let heard = level_tap_heard(try requireOpen())
            return [Double(heard.frames), Double(heard.deviating), Double(heard.gaps), Double(heard.xruns)]
        case "close":
            level_tap_close(tap)
            tap = nil
        default: throw BenchmarkError("unknown command of the receiver")
        }
        return []
    }

    private func requireOpen() throws -> OpaquePointer {
        guard let tap else { throw BenchmarkError("no client is open") }
        return tap
    }
}
