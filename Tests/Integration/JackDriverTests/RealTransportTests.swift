import AudioRendering
import CMIDIProbe
import Dispatch
import Foundation
import Glibc
import JackDriver
import TestSupport
import Testing

extension RealServers {
    /// The transport of a real server.
    @Suite("Transport", .serialized)
    struct RealTransportTests {
        private func server(_ name: ServerName) throws -> JackServer {
            try JackServer(name, periodFrames: 256, arguments: JackServer.synchronous)
        }

        /// Returns the indices of the samples whose transport frame is that of a step, as the
        /// listener saw the transport; `frame` is the exact place of a step.
        private func expected(_ recording: MIDIProbe.Recording, frame: (Int) -> Double) -> [Int] {
            let frames = (0..<400).map { Int((frame($0) + 0.500001).rounded(.down)) }
            let ends = recording.transport.dropFirst().map { Int($0.offset) } + [recording.audio.count]
            return zip(recording.transport, ends).flatMap { cycle, end -> [Int] in
                guard cycle.is_rolling else { return [] }
                let begin = Int(cycle.offset)
                return frames.map { begin + $0 - Int(cycle.frame) }
                    .filter { (begin..<min(end, recording.audio.count)).contains($0) }
            }
        }

        private func expected(_ recording: MIDIProbe.Recording, tempo: Double, step: Double = 0.25) -> [Int] {
            expected(recording) { Double($0) * 48_000 * 60 / tempo * step }
        }

        @Test("Two apps follow the server's transport: each beat is on its frame from the first one on, in step")
        func followers() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let one = try Sequencer(name, client: "one", tempo: 127.3)
            let two = try Sequencer(name, client: "two", sound: [2], tempo: 127.3)
            defer { for app in [one, two] { app.player.engine.close() } }
            let probe = try MIDIProbe(on: name)
            for app in ["one", "two"] { try probe.connect("\(app):out_1", to: "probe-listener:audio") }
            let recording = try probe.record(
                [], frames: 144_000,
                prepare: {
                    try one.transport.stop()
                    try one.transport.locate(toBeat: 0)
                    for app in [one, two] {
                        #expect(eventually { !app.transport.position.isRolling && app.transport.position.frame == 0 })
                    }
                },
                during: {
                    probe.waitForBegin()
                    try one.transport.start()
                    two.advance(beats: 1.3)
                    try two.transport.locate(toBeat: 33)  // while it rolls
                    #expect(eventually { one.transport.position.beat > 34.2 })
                    try two.transport.stop()
                    one.wait(rolling: false)
                    try one.transport.start()
                    two.wait(rolling: true)
                    one.advance(beats: 1)
                })
            let indices = expected(recording, tempo: 127.3)
            #expect(indices.count > 12 && recording.onsets == indices)
            #expect(recording.onsets.allSatisfy { recording.audio[$0] == 3 }, "both, on the same frame")
            #expect(one.player.engine.counters.lateCommands == 0 && two.player.engine.counters.lateCommands == 0)
            let first = recording.transport.first { $0.is_rolling }
            #expect(first?.frame == 0 && recording.onsets.first == first.map { Int($0.offset) })
        }

        @Test("An app is the leader: the others take its tempo and its beats, exactly", arguments: [120.7, 90])
        func leader(tempo: Double) throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let leader = try Sequencer(name, client: "leader", tempo: tempo, role: .leader)
            let follower = try Sequencer(name, client: "follower", sound: [2], tempo: 61)
            defer { for app in [leader, follower] { app.player.engine.close() } }
            #expect(leader.transport.isLeader && !follower.transport.isLeader)
            let probe = try MIDIProbe(on: name)
            for app in ["leader", "follower"] { try probe.connect("\(app):out_1", to: "probe-listener:audio") }
            let recording = try probe.record(
                [], frames: 120_000,
                prepare: {
                    try leader.transport.stop()
                    try leader.transport.locate(toBeat: 0)
                    #expect(
                        eventually { !follower.transport.position.isRolling && follower.transport.position.frame == 0 })
                },
                during: {
                    probe.waitForBegin()
                    try follower.transport.start()
                    follower.advance(beats: 2)
                    try follower.transport.locate(toBeat: 40)
                    #expect(eventually { leader.transport.position.beat > 41 })
                })
            #expect(recording.onsets == expected(recording, tempo: tempo))
            #expect(recording.onsets.allSatisfy { recording.audio[$0] == 3 })
            let position = follower.transport.position
            #expect(position.hasLeader && abs(position.tempo - tempo) < 1e-9 && position.meter == .common)
            #expect(position.bar > 10 && abs(position.beat - leader.transport.position.beat) < 1)
            // What other programs see.
            let rolling = recording.transport.filter { $0.is_rolling && $0.has_beats }
            #expect(rolling.count > 300)
            let perBeat = 48_000 * 60 / tempo
            let errors = rolling.map { $0.beat - Double($0.frame) / perBeat }
            let tolerance = TestServer.current.isJackd ? 1e-6 : 2.0 / 1_920
            #expect(
                errors.dropFirst(3).allSatisfy { abs($0) < tolerance }, "\(errors.min() ?? 0), \(errors.max() ?? 0)")
        }

        @Test("The leader changes its tempo while the transport rolls, and its map has changes of tempo and meter")
        func tempoChanges() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let leader = try Sequencer(name, client: "leader", tempo: 100, role: .leader)
            let follower = try Sequencer(name, client: "follower", sound: [2])
            defer { for app in [leader, follower] { app.player.engine.close() } }
            let map = try TempoMap([
                .init(beat: 0, tempo: 300), .init(beat: 3, tempo: 180, meter: Meter(3, 8)),
                .init(beat: 6, tempo: 400, meter: Meter(7, 8)),
            ])
            let probe = try MIDIProbe(on: name)
            try probe.connect("leader:out_1", to: "probe-listener:audio")
            try leader.transport.setTempoMap(map)
            var lateCommands: UInt64 = 0
            let recording = try probe.record(
                [], frames: 130_000,
                prepare: {
                    try leader.transport.stop()
                    try leader.transport.locate(toBeat: 0)
                    #expect(
                        eventually { !follower.transport.position.isRolling && follower.transport.position.frame == 0 })
                    lateCommands = leader.player.engine.counters.lateCommands
                },
                during: {
                    probe.waitForBegin()
                    try leader.transport.start()
                    #expect(eventually { leader.transport.position.beat > 9 })
                },
                // jackd waits for a client that is late.
                isLate: { _ in
                    TestServer.current == .pipewire && leader.player.engine.counters.lateCommands != lateCommands
                })
            // The leader's own beats pass through the server as well: jackd keeps them exact, but a
            // change of tempo within a period is heard of with the next one.
            let indices = expected(recording) { map.seconds(atBeat: Double($0) / 4) * 48_000 }
            let onsets = recording.onsets
            #expect(onsets.count >= 36)
            let distances = onsets.map { onset in indices.map { abs($0 - onset) }.min() ?? .max }
            #expect((distances.max() ?? .max) <= 256, "\(distances)")
            #expect(eventually { follower.transport.position.meter == Meter(7, 8) })
            #expect(follower.transport.position.tempo == 400)
            let before = leader.transport.position.beat
            try leader.transport.setTempo(60)
            #expect(eventually { follower.transport.position.tempo == 60 })
            let beats = (leader.transport.position.beat, follower.transport.position.beat)
            #expect(beats.0 > before && beats.0 < before + 60 && abs(beats.0 - beats.1) < 1, "\(before), \(beats)")
        }

        @Test("Another leader is replaced only on request, and knows it then")
        func leadership() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let one = try Sequencer(name, client: "one", tempo: 100, role: .leader)
            let two = try Sequencer(name, client: "two", tempo: 200)
            defer { for app in [one, two] { app.player.engine.close() } }
            #expect(throws: DriverError.self) { try two.transport.setRole(.leader) }
            #expect(two.transport.role == .follower && one.transport.isLeader && !two.transport.isLeader)
            try two.transport.start()
            #expect(eventually { two.transport.position.isRolling && two.transport.position.tempo == 100 })
            try two.transport.setRole(.leader, replacesLeader: true)
            #expect(two.transport.isLeader)
            #expect(eventually { one.transport.position.tempo == 200 && !one.transport.isLeader })
            try two.transport.setRole(.own)
            #expect(eventually { !one.transport.position.hasLeader })
            #expect(!two.transport.isLeader && eventually { !two.transport.position.isServers })
            try one.transport.setRole(.follower)
            try one.transport.setRole(.leader)
            #expect(one.transport.isLeader && eventually { one.transport.position.hasLeader })
        }

        @Test("Another program is the leader; when it hangs or is killed, the beats go on at its tempo")
        func foreignLeader() throws {
            let name = try ServerName()
            let server = try JackServer(name, periodFrames: 256)
            defer { server.stop() }
            let app = try Sequencer(name, tempo: 60)
            defer { app.player.engine.close() }
            let tool = try TransportTool(on: server)
            tool.send("master", "tempo 150", "play")
            #expect(eventually { app.transport.position.isRolling && app.transport.position.tempo == 150 })
            let probe = try MIDIProbe(on: name)
            try probe.connect("sequencer:out_1", to: "probe-listener:audio")
            let recording = try probe.record([], frames: 96_000)
            // The tool truncates its ticks in every period, and PipeWire once more, so their beats
            // are slower than the tempo; a busy machine may lose a period.
            let places = framesFromQuarters(recording, tempo: 150)
            let median = places.isEmpty ? .infinity : places.sorted()[places.count / 2]
            #expect(places.count > 15 && abs(median) <= 48, "\(places)")
            #expect(places.allSatisfy { abs($0) <= 256 + 48 }, "\(places)")
            let beats = recording.transport.filter(\.has_beats).map { $0.beat * 4 }
            let passed = (beats.last ?? 0).rounded(.up) - (beats.first ?? 0).rounded(.up)
            #expect(abs(Double(places.count) - passed) <= 1, "\(places.count) of \(passed)")
            // A synchronous jackd does not run without the program.
            if TestServer.current != .jackdSync { try hang(tool, app) }
            tool.process.send(SIGKILL)
            tool.process.reap()
            #expect(eventually { !app.transport.position.hasLeader })
            app.wait(rolling: true)
            #expect(app.transport.position.tempo == 150)
            let after = try probe.record([], frames: 48_000)
            #expect(zip(after.onsets, after.onsets.dropFirst()).allSatisfy { $1 - $0 == 4_800 })
            #expect(after.onsets.count >= 9)
        }

        /// Returns how many frames after a quarter of a beat each sound begins, by the beats that
        /// the listener saw. PipeWire's beats are those of the cycle before.
        private func framesFromQuarters(_ recording: MIDIProbe.Recording, tempo: Double) -> [Double] {
            let framesPerQuarter = 48_000 * 60 / tempo / 4
            let lag = TestServer.current.isJackd ? 0 : 256
            return recording.onsets.compactMap { onset in
                recording.transport.last { $0.has_beats && $0.offset <= onset }.map { cycle in
                    let quarters = cycle.beat * 4 + Double(onset - Int(cycle.offset) + lag) / framesPerQuarter
                    return (quarters - quarters.rounded()) * framesPerQuarter
                }
            }
        }

        private func hang(_ tool: TransportTool, _ app: Sequencer) throws {
            tool.process.send(SIGSTOP)
            app.advance(beats: 8)
            tool.process.send(SIGCONT)
            #expect(app.transport.position.tempo == 150)
        }

        @Test("A scheduler that hangs holds the server's transport up for two seconds at most")
        func bound() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let release = DispatchSemaphore(value: 0)
            let app = try Sequencer(name) { beats in
                if beats.lowerBound > 50 { release.wait() }
            }
            defer { app.player.engine.close() }
            defer { for _ in 1...100 { release.signal() } }
            try app.transport.start()
            app.wait(rolling: true)
            for beat in [100.0, 200] {  // it waits each time
                let begin = app.player.engine.currentFrame
                try app.transport.locate(toBeat: beat)
                #expect(eventually { app.transport.position.isStarting && app.transport.position.beat >= beat - 0.1 })
                app.wait(rolling: true)
                let frames = app.player.engine.currentFrame - begin
                #expect(frames >= 96_000 && frames < 480_000, "\(frames)")
            }
        }

        @Test("SRV-2: when the server returns, the app follows its transport and is its leader again")
        func loss() throws {
            let name = try ServerName()
            var server = try JackServer(name)
            defer { server.stop() }
            let app = try Sequencer(name, tempo: 77, role: .leader)
            defer { app.player.engine.close() }
            try app.transport.start()
            app.wait(rolling: true)
            server.kill()
            #expect(app.player.waitForEvent { $0 == .serverLost })
            #expect(!app.transport.isLeader)
            #expect(throws: DriverError.self) { try app.transport.start() }
            server = try JackServer(name)
            #expect(app.player.waitForEvent { if case .serverReturned = $0 { true } else { false } })
            #expect(eventually { app.transport.isLeader && app.transport.position.hasLeader })
            #expect(eventually { !app.transport.position.isRolling && app.transport.position.frame == 0 })
            try app.transport.start()
            app.wait(rolling: true)
            app.advance(beats: 1)
        }

        @Test("A suspended leader leaves the server without beats, and is the leader again afterwards")
        func suspension() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            let leader = try Sequencer(name, client: "leader", tempo: 77, role: .leader)
            let follower = try Sequencer(name, client: "follower")
            defer { for app in [leader, follower] { app.player.engine.close() } }
            #expect(eventually { follower.transport.position.hasLeader })
            leader.player.engine.suspend()
            #expect(eventually { !follower.transport.position.hasLeader })
            try leader.player.engine.start()
            #expect(eventually { follower.transport.position.hasLeader && leader.transport.isLeader })
            #expect(follower.transport.position.tempo == 77)
        }

        @Test(
            "A bounce while the server freewheels has the samples of an offline render",
            .jackdOnly("PipeWire 0.3 has another transport, or none, while it freewheels"))
        func freewheel() throws {
            let name = try ServerName()
            let server = try server(name)
            defer { server.stop() }
            // The hits overlap.
            let sound = Signal.counting(frames: 9_000).map { $0 / 4 }
            let threads = EventLog<String>()
            let app = try Sequencer(name, sound: sound, tempo: 131.7) { _ in threads.note(Self.threadName) }
            let engine = app.player.engine
            defer { engine.close() }
            let folder = try TemporaryDirectory()
            try engine.startCapture(path: folder.file("bounce.wav"))
            try ChildProcess.run("jack_freewheel", ["y"], environment: server.environment)
            defer { _ = try? ChildProcess.run("jack_freewheel", ["n"], environment: server.environment) }
            try app.transport.start()
            #expect(eventually { app.transport.position.beat > 500 })
            engine.stop()
            #expect(engine.stopCapture()?.lostPeriods == 0)
            let bounce = try SoundFile.read(folder.file("bounce.wav")).planes[0]
            let render = try self.render(sound, tempo: 131.7, frames: 2_000_000)
            let first = try #require(bounce.firstIndex { $0 != 0 })
            let begin = try #require(render.firstIndex { $0 != 0 })
            #expect(bounce.count - first > render.count)
            let difference = Signal.firstDifference(bounce[first...].prefix(render.count - begin), render[begin...])
            #expect(difference == nil && Signal.peak(render[begin...]) > Signal.peak(sound[...]), "the hits overlap")
            #expect(engine.counters.lateCommands == 0)
            #expect(threads.noted.contains("audio-jack\n"), "each cycle asks the schedulers first")
        }

        private static var threadName: String {
            (try? String(contentsOfFile: "/proc/thread-self/comm", encoding: .utf8)) ?? ""
        }

        /// Returns what a sequencer plays on the transport of the offline driver, in other periods.
        private func render(_ sound: [Float], tempo: Double, frames: Int) throws -> [Float] {
            let driver = OfflineDriver(channels: 1, periodFrames: 333)
            let engine = try AudioEngine(driver: driver)
            try engine.open()
            let gate = try TestGate(rampMilliseconds: 0)
            let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
            let scheduler = try Sequencer.schedule(on: engine, bus, sound)
            try engine.transport.setTempoMap(TempoMap(tempo: tempo))
            try engine.start()
            try engine.transport.setRole(.follower)
            try engine.transport.start()
            defer { withExtendedLifetime(scheduler) {} }
            return try driver.render(frames: frames)[0]
        }
    }
}
