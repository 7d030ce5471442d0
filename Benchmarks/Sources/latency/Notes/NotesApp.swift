import AudioRendering
import AudioSessions
import CProbe
import Foundation
import Processes
import Servers

/// A child process with an instrument, a client that sends notes to it and to FluidSynth, and one
/// that listens to both.
final class NotesApp: SessionApp {
    /// The name of the part that performs it.
    static let part = "notes"
    private static let emitter = "latency-notes-emitter", listener = "latency-notes-listener"
    private static let delayer = "latency-notes-injected", client = "latency-notes", peer = "latency-fluidsynth"
    /// The delay that must be measured behind the app.
    static let injectedDelay = 37
    /// The level of a note: 1,000 of them at one frame are not clipped, and add up exactly.
    private static let level: Float = 1 / 4_096

    /// What listens: at the app, behind the delay, at FluidSynth.
    private enum Tap: Int, CaseIterable { case app, injected, peer }

    private struct Ends {
        var probes: [Probe]
        var notes: OpaquePointer
        var onsets: [OpaquePointer]
        var changes: OpaquePointer
        var listener: Probe { probes[1] }
    }
    private var ends: Ends?
    private var instrument: AudioInstrument?
    private var input: MIDIInput?
    private var fluidSynth: pid_t = 0
    private var period: UInt32 = 0

    override func perform(_ words: [String]) throws -> [Double] {
        switch words[0] {
        case "open": try open(server: words[1], soundFont: words.count > 2 ? words[2] : nil)
        case "notes": return try playNotes(Int(words[1]) ?? 0)
        case "flood": return try flood(Int(words[1]) ?? 0, notes: UInt32(words[2]) ?? 0)
        case "close":
            endFluidSynth()
            (instrument, input) = (nil, nil)
            close()
            for probe in ends?.probes ?? [] { probe.close() }
        default: return try super.perform(words)
        }
        return []
    }

    private func open(server: String, soundFont: String?) throws {
        let emitter = try Probe(server, Self.emitter)
        let listener = try Probe(server, Self.listener, inputs: Tap.allCases.count)
        let delayer = try Probe(server, Self.delayer, outputs: 1, inputs: 1)
        let onsets = try Tap.allCases.map { try listener.plug(probe_plug_onset(listener.client, UInt32($0.rawValue))) }
        ends = Ends(
            probes: [emitter, listener, delayer], notes: try emitter.plug(probe_plug_notes(emitter.client)),
            onsets: onsets, changes: try listener.plug(probe_plug_changes(listener.client, 0)))
        probe_set_path(
            try delayer.plug(probe_plug_path(delayer.client, 0)), UInt32(Self.injectedDelay), 1, 0)
        for probe in [emitter, listener, delayer] { try probe.activate() }
        period = probe_period(listener.client)

        let host = Self.makeHost(server, Self.client, configuration: .init(maximumVoices: 2_048))
        let session = try open(host)
        let engine = try session.engine
        var zone = InstrumentZone(try AudioBuffer([[Self.level]]))
        (zone.isOneShot, zone.keyTracking, zone.velocityTracking) = (true, 0, 0)
        var configuration = AudioInstrument.Configuration()
        (configuration.polyphony, configuration.panLaw) = (2_048, nil)
        let instrument = try engine.makeInstrument([zone], on: session.bus, configuration: configuration)
        let input = try engine.makeMIDIInput(name: "keys")
        try input.connect(to: instrument)
        (self.instrument, self.input) = (instrument, input)
        if let soundFont { try startFluidSynth(server: server, soundFont: soundFont) }
        for (source, destination) in [
            ("\(Self.emitter):notes", "\(Self.client):keys"), ("\(Self.client):out_1", "\(Self.listener):in_1"),
            ("\(Self.client):out_1", "\(Self.delayer):in_1"), ("\(Self.delayer):out_1", "\(Self.listener):in_2"),
        ] {
            try wait(for: "the port '\(source)' or '\(destination)'") {
                (try? listener.connect(source, destination)) != nil
            }
        }
    }

    // MARK: FluidSynth

    /// Runs FluidSynth without effects, as a server, since without one it would end at the end of
    /// its input.
    private func startFluidSynth(server: String, soundFont: String) throws {
        guard let ends else { return }
        fluidSynth = try Spawn.process(
            "fluidsynth",
            [
                "--audio-driver=jack", "--midi-driver=jack", "--server", "--no-shell", "--reverb=0", "--chorus=0",
                "--sample-rate=\(Server.sampleRate)", "--gain=1", "-o", "shell.port=\(Int.random(in: 20_000..<60_000))",
                "-o", "audio.jack.id=\(Self.peer)", "-o", "midi.jack.id=\(Self.peer)", "-o", "audio.jack.autoconnect=0",
                "-o", "midi.autoconnect=0", soundFont,
            ], environment: ["JACK_DEFAULT_SERVER": server, "JACK_NO_START_SERVER": "1"], output: false)
        for (source, destination) in [
            ("\(Self.emitter):notes", "\(Self.peer):midi_00"), ("\(Self.peer):left", "\(Self.listener):in_3"),
        ] {
            try wait(for: "FluidSynth's ports", seconds: 20) {
                (try? ends.listener.connect(source, destination)) != nil
            }
        }
    }

    deinit { endFluidSynth() }

    private func endFluidSynth() {
        guard fluidSynth != 0 else { return }
        kill(fluidSynth, SIGKILL)  // its server may be dead
        var status: Int32 = 0
        waitpid(fluidSynth, &status, 0)
        fluidSynth = 0
    }

    // MARK: Trials

    /// The claves of a General MIDI drum set, at full velocity, and the end of all sounds.
    private static let note: UInt32 = 0x99 << 16 | 75 << 8 | 127, soundOff: UInt32 = 0xB9 << 16 | 120 << 8

    /// Returns the frames from a note to its sound for each tap, once for every note; and before,
    /// how many were repeated because the server was late.
    private func playNotes(_ count: Int) throws -> [Double] {
        try trials(count) { ends in
            for onset in ends.onsets { try ends.listener.reset(onset) }
            let (frame, _) = try send(Self.note, at: .random(in: 0..<period), count: 1)
            let heard = fluidSynth != 0 ? Tap.allCases : [.app, .injected]
            var found: [Double] = []
            for tap in heard {
                var onset: UInt32 = 0
                guard holds(within: 1, { probe_onset(ends.onsets[tap.rawValue], &onset) }) else { return nil }
                found.append(Double(frames(from: frame, to: onset)))
            }
            _ = try send(Self.soundOff, at: 0, count: 1)
            try wait(for: "silence") { heard.allSatisfy { probe_quiet(ends.onsets[$0.rawValue]) > 2 * period } }
            return found
        }
    }

    /// Sends notes within one period. Returns, for every trial, how many were not heard, and how
    /// many frames differ from the notes that they should play.
    private func flood(_ count: Int, notes: UInt32) throws -> [Double] {
        if let ends, fluidSynth != 0 { probe_disconnect(ends.listener.client, "\(Self.peer):midi_00") }
        return try trials(count) { ends in
            var change = probe_change_t()
            while probe_next_change(ends.changes, &change) {}
            try ends.listener.reset(ends.onsets[0])
            let offset = UInt32.random(in: 0..<period / 2)
            let (frame, written) = try send(Self.note, at: offset, count: notes)
            guard written == notes else { throw BenchmarkError("a port had no room for \(notes) messages") }
            var onset: UInt32 = 0
            guard holds(within: 1, { probe_onset(ends.onsets[0], &onset) }) else { return nil }
            try wait(for: "silence") { probe_quiet(ends.onsets[0]) > 2 * period }
            var expected = [Double](repeating: 0, count: Int(period - offset))
            for number in 0..<Int(notes) { expected[number * expected.count / Int(notes)] += 1 }
            let heard = played(ends.changes, from: frame, frames: expected.count)
            let lost = expected.reduce(0, +) - heard.reduce(0, +)
            return [lost, Double(zip(expected, heard).count { $0 != $1 })]
        }
    }

    /// Returns the number of notes at every frame, from the changes of their sum.
    private func played(_ changes: OpaquePointer, from frame: UInt32, frames count: Int) -> [Double] {
        var notes = [Double](repeating: 0, count: count)
        var change = probe_change_t()
        while probe_next_change(changes, &change) {
            let first = frames(from: frame, to: change.frame)
            for index in max(first, 0)..<max(count, first, 0) { notes[index] = Double(change.value / Self.level) }
        }
        return notes
    }

    private func send(_ message: UInt32, at offset: UInt32, count: UInt32) throws -> (frame: UInt32, written: UInt32) {
        guard let ends else { throw BenchmarkError("nothing is open") }
        var (frame, written): (UInt32, UInt32) = (0, 0)
        probe_send_notes(ends.notes, message, offset, count)
        try wait(for: "notes sent") { probe_sent_notes(ends.notes, &frame, &written) }
        return (frame, written)
    }

    /// Repeats a trial during which the server was late, or nothing was heard.
    private func trials(_ count: Int, _ trial: (Ends) throws -> [Double]?) throws -> [Double] {
        guard let ends else { throw BenchmarkError("nothing is open") }
        func disturbances() -> UInt64 {
            ends.probes.reduce(probe_xruns(ends.listener.client)) { $0 + probe_gaps($1.client) }
        }
        var (results, repeated, done) = ([Double](), 0, 0)
        while done < count {
            let before = disturbances()
            if let found = try trial(ends), disturbances() == before {
                results += found
                done += 1
            } else {
                repeated += 1
                guard repeated <= 20 + count else { throw BenchmarkError("\(repeated) trials were disturbed") }
            }
        }
        return [Double(repeated)] + results
    }
}
