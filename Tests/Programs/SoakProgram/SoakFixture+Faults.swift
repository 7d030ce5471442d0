import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestRandom
import TestSupport

extension SoakFixture {
    /// Performs a fault and checks that all playback continues.
    func perform(_ turn: FaultOrder.Turn) throws {
        var random = turn.random
        let performed: Fault
        switch turn.fault {
        case .serverKilled, .serverEnded: performed = try endServer(turn.fault, &random)
        case .devicePlugged, .devicePulledOut: performed = try changeDevices(turn.fault, &random)
        case .periodPreferred, .periodForeign: performed = try changePeriod(turn.fault, &random)
        case .rateChanged:
            performed = server.changesRate ? try changeRate(&random) : try endServer(.serverKilled, &random)
        default:
            performed = turn.fault
            try performOther(turn.fault, &random)
        }
        counts.faults[performed, default: 0] += 1
        try play()
        letPass(2_400 + random.below(9_600))
    }

    private func performOther(_ fault: Fault, _ random: inout SeededGenerator) throws {
        switch fault {
        case .serverSuspended: suspendServer()
        case .clientSuspended: try suspendClient(&random)
        case .reconnected: try reconnect(&random)
        case .foreignClient: try foreignClient()
        case .activation: deactivate(&random)
        case .category: changeCategory(&random)
        case .deck: switchDeck()
        case .input: switchInput()
        case .interruption: interrupt(&random)
        case .call: call(&random)
        case .fullDisk: try captureToFullDisk()
        case .truncatedFile: try truncateFile(&random)
        default: break
        }
    }

    // ---- Buffer sizes and rates
    // ---------------------------------------------------------------------

    /// Implements HW-5: a change of the buffer size is inaudible.
    private func changePeriod(_ fault: Fault, _ random: inout SeededGenerator) throws -> Fault {
        let frames = random.pick([16, 32, 64, 128, 256, 512, 1_024, 2_048, 4_096, 100, 3_000])
        let isForeign = fault == .periodForeign
        letDisksCatchUp()
        let what =
            "period \(engine.format?.periodFrames ?? 0) → \(frames) by \(isForeign ? "jack_bufsize" : "a session")"
        counts.untouchedChecks += 1
        // On PipeWire, another buffer size means another graph, which starts with a new cycle.
        let channels = server.kind == .pipewire ? [] : [0, 1]
        try event(what) {
            try untouched(channels, on: listeners, what) {
                if isForeign {
                    try run("jack_bufsize", ["\(frames)"])
                } else {
                    attempt(what) {
                        let rate = game.sampleRate > 0 ? game.sampleRate : 48_000
                        try game.setPreferredIOBufferDuration(Double(frames) / rate)
                    }
                }
                letPass(2_400)
            }
        }
        // Restores 256 frames, in case the server is too slow for so short a buffer.
        if frames < 128 {
            event("period back to 256") { attempt("period") { _ = try engine.requestPeriod(frames: 256) } }
            attempt("preferred buffer duration") { try game.setPreferredIOBufferDuration(0) }
        }
        return fault
    }

    private func changeRate(_ random: inout SeededGenerator) throws -> Fault {
        let rate = random.pick([44_100, 48_000, 96_000].filter { $0 != (engine.format?.sampleRate ?? 0) })
        event("rate → \(rate)", .moves) {
            attempt("rate") { try music.session.setPreferredSampleRate(Double(rate)) }
            settle()
        }
        return .rateChanged
    }

    // ---- Sessions
    // -----------------------------------------------------------------------------------

    private func deactivate(_ random: inout SeededGenerator) {
        let other = counts.isDeckOn ? deck : game
        let session = random.oneIn(2) ? music.session : other
        event("deactivation") {
            attempt("deactivation") { try session.setActive(false, options: .notifyOthersOnDeactivation) }
            letPass(2_400)
        }
    }

    private func changeCategory(_ random: inout SeededGenerator) {
        let category: AudioSession.Category = random.oneIn(2) ? .soloAmbient : .playback
        event("music's category → \(category)") {
            attempt("category") { try music.session.setCategory(category) }
            letPass(2_400)
        }
        event("music's category → playback") { attempt("category") { try music.session.setCategory(.playback) } }
    }

    /// MULTI-1: replaces the game by a session that plays to all outputs, or the reverse.
    func switchDeck() {
        event(counts.isDeckOn ? "deck off" : "deck on") {
            let (leaving, voice) = counts.isDeckOn ? (deck, deckVoice) : (game, gameVoice)
            attempt("leaving") {
                try voice?.stop(fadeFrames: 240)
                letPass(1_200)
                try leaving.setActive(false, options: .notifyOthersOnDeactivation)
            }
            counts.isDeckOn.toggle()
            letPass(1_200)
        }
    }

    func switchInput() {
        event(microphone.isRunning ? "input off" : "input on") {
            if microphone.isRunning {
                microphone.stop()
                attempt("deactivation") { try recorder.setActive(false) }
            } else {
                attempt("input") { try microphone.start() }
            }
            letPass(1_200)
        }
    }

    private func interrupt(_ random: inout SeededGenerator) {
        let interrupter: AudioSessionHost.Interrupter = random.pick([.app, .assistant, .alarm])
        letDisksCatchUp()
        event("interruption by \(interrupter)", .pauses) {
            attempt("interruption") { try host.beginInterruption(by: interrupter) }
            letPass(2_400)
        }
        event("its end", .pauses) {
            attempt("end") { try host.endInterruption(shouldResume: !random.oneIn(4)) }
            settle()
        }
    }

    private func call(_ random: inout SeededGenerator) {
        letDisksCatchUp()
        event("phone rings", .pauses) {
            attempt("ringing") { try host.ring() }
            letPass(2_400)
        }
        // Until players have resumed: on a loaded machine, that can take longer than the detector
        // allows after an event.
        if random.oneIn(2) {
            event("call is declined", .pauses) {
                attempt("declining") { try host.declineCall() }
                settle()
            }
        } else {
            event("call is accepted", .pauses) { attempt("accepting") { try host.acceptCall() } }
            letPass(2_400)
            event("call is over", .pauses) {
                attempt("end") { try host.endCall() }
                settle()
            }
        }
    }

    /// Runs one of JACK's command-line tools on the soak's server.
    @discardableResult
    func run(_ program: String, _ arguments: [String]) throws -> String {
        try ChildProcess.run(program, arguments, environment: server.environment).output
    }
}
