// A drum machine: plays patterns of 16 steps on the beats of a transport.
//
//     StepSequencer --tempo 96 --swing 58             # on the engine's own transport
// StepSequencer --leader                          # is the leader of the JACK server's transport
//     StepSequencer --follow --kick x.....x.x.......  # in step with it, wherever it is started
//     StepSequencer --midi-clock                      # follows a MIDI clock at its port "clock"
import ArgumentParser
import AudioRendering
import AudioSessions
import Foundation

/// Returns the velocity of each of 16 steps, a bar of 4/4; nil: a rest. "X" is louder than "x".
func velocities(_ pattern: String) throws -> [UInt8?] {
    guard pattern.count == 16, pattern.allSatisfy({ "xX.".contains($0) }) else {
        throw ValidationError("'\(pattern)' is not a pattern of 16 steps: x is a hit, X a louder one, . a rest.")
    }
    return pattern.map { $0 == "." ? nil : $0 == "X" ? 127 : 100 }
}

/// What is played, and when.
struct Groove {
    let patterns: [(drum: Drum, velocities: [UInt8?])]
    /// How far every second step is into its pair of steps, in percent. A pair is half a beat.
    let swing: Double

    /// Posts the hits of a range of beats.
    func post(_ beats: BeatRange, to instrument: AudioInstrument, _ queue: CommandQueue) throws {
        // Steps 0, 2, 4…, then 1, 3, 5…
        for (first, offset) in [(0, 0), (1, 0.5 * swing / 100)] {
            for pair in beats.steps(every: 0.5, offset: offset) {
                try queue.at(Double(pair) * 0.5 + offset, in: beats.pass) {
                    try post(step: 2 * pair + first, to: instrument, queue)
                }
            }
        }
    }

    private func post(step: Int, to instrument: AudioInstrument, _ queue: CommandQueue) throws {
        for (drum, velocities) in patterns {
            guard let velocity = velocities[step & 15] else { continue }
            try queue.send(.noteOn(channel: 9, key: drum.rawValue, velocity: velocity), to: instrument)
        }
    }
}

struct StepSequencer: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "StepSequencer", abstract: "Plays drum patterns on the beats of a transport.",
        discussion: "A pattern has 16 steps: x is a hit, X a louder one, . a rest. Ctrl-C ends the program.")

    @Option(help: ArgumentHelp("1 to 1,000; with --follow or --midi-clock, others may set it.", valueName: "bpm"))
    var tempo = 120.0
    @Option(help: ArgumentHelp("50 (straight) to 75: where every second step is in its pair.", valueName: "percent"))
    var swing = 50.0
    @Flag(help: "Follow the server's transport, which other programs start (jack_transport).")
    var follow = false
    @Flag(help: "Be the leader (timebase master) of the server's transport, and start it.")
    var leader = false
    @Flag(help: "Follow the MIDI clock that arrives at the port 'clock', and its start and stop.")
    var midiClock = false
    @Option(help: ArgumentHelp(valueName: "pattern")) var kick = "X.....x.x.X....."
    @Option(help: ArgumentHelp(valueName: "pattern")) var snare = "....X.......X..x"
    @Option(help: ArgumentHelp(valueName: "pattern")) var closedHat = "x.xxx.x.x.xxx.x."
    @Option(help: ArgumentHelp(valueName: "pattern")) var openHat = "......x.......x."

    var role: TransportRole { leader ? .leader : follow ? .follower : midiClock ? .midiClock : .own }
    /// Whether the program starts and stops the transport.
    var starts: Bool { role == .own || role == .leader }

    func validate() throws {
        guard (1...1_000).contains(tempo) else { throw ValidationError("The tempo is 1 to 1,000 beats per minute.") }
        guard (50...75).contains(swing) else { throw ValidationError("The swing is 50 to 75 percent.") }
        guard [follow, leader, midiClock].count(where: \.self) < 2 else {
            throw ValidationError("Use one of --follow, --leader and --midi-clock.")
        }
        _ = try groove()
    }

    private func groove() throws -> Groove {
        let patterns: [(Drum, String)] = [(.kick, kick), (.snare, snare), (.closedHat, closedHat), (.openHat, openHat)]
        return Groove(patterns: try patterns.map { ($0, try velocities($1)) }, swing: swing)
    }

    func run() throws {
        let session = AudioSession.shared
        try session.setCategory(.playback, options: .mixWithOthers)
        let events = session.events
        Task {  // after a call, say; meanwhile the session is silent
            for await case .interruptionEnded(shouldResume: true) in events { try? session.setActive(true) }
        }
        try session.setActive(true)
        let engine = try session.engine
        let transport = engine.transport
        let instrument = try engine.makeInstrument(Drum.allCases.map { try $0.zone() }, on: session.bus)

        let groove = try groove()
        // Called ahead of time, with one range of beats after the other.
        let scheduler = try engine.makeBeatScheduler { beats, queue in
            do { try groove.post(beats, to: instrument, queue) } catch { report("\(error)") }
        }
        let observation = engine.observe { event in
            if case .transportChanged(let position) = event { report(describe(position)) }
        }

        let clock = midiClock ? try engine.makeMIDIInput(name: "clock") : nil
        try clock?.connect(to: transport)
        try transport.setTempo(tempo)
        do {
            try transport.setRole(role)
        } catch DriverError.refused where role == .leader {
            report("Another program is the leader of the server's transport. End it, or follow it with --follow.")
            throw ExitCode.failure
        }
        let how =
            switch role {
            case .own: "Playing at \(tempo) BPM"
            case .leader: "Leader of the server's transport at \(tempo) BPM"
            case .follower: "Following the server's transport"
            case .midiClock, .midiTimeCode: "Following MIDI at the port 'clock'"
            }
        report("\(how), swing \(swing)%. Ctrl-C ends.")
        if starts { try transport.start() }

        signal(SIGINT, SIG_IGN)
        let interrupt = DispatchSource.makeSignalSource(signal: SIGINT, queue: .main)
        interrupt.setEventHandler {
            observation.cancel()
            if starts { try? transport.stop() }
            try? session.setActive(false, options: .notifyOthersOnDeactivation)
            StepSequencer.exit()
        }
        interrupt.activate()
        withExtendedLifetime((scheduler, observation, clock)) { dispatchMain() }
    }
}

func describe(_ position: TransportPosition) -> String {
    let state = position.isRolling ? "rolling" : position.isStarting ? "starting" : "stopped"
    return String(format: "Bar %ld, beat %ld, %g BPM, ", position.bar, Int(position.beatInBar), position.tempo) + state
}

/// Prints a line at once, also to a file or a pipe.
func report(_ line: String) {
    print(line)
    fflush(nil)
}

StepSequencer.main()
