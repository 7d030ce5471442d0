import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestRandom
import TestSupport

/// Devices that come and go (groups ROUTE and MULTI).
extension SoakFixture {
    /// Beside the speaker; at most three at once.
    private static let devices: [(name: String, kind: HardwareKind)] = [
        ("Ears", .headphones), ("Screen", .hdmi), ("Desk", .usbAudio), ("Line", .lineOut), ("Air", .bluetoothA2DP),
    ]

    func changeDevices(_ fault: Fault, _ random: inout SeededGenerator) throws -> Fault {
        let others = listeners.filter { $0.name != "Speaker" }
        let isPlug = others.isEmpty || (others.count < 3 && fault == .devicePlugged)
        if isPlug {
            let free = Self.devices.filter { device in !others.contains { $0.name == device.name } }
            let device = random.pick(free)
            try plug(device.name, device.kind)
            return .devicePlugged
        }
        try pullOut(random.pick(others), inOrder: random.oneIn(3))
        return .devicePulledOut
    }

    private func pullOut(_ listener: RecordingDevice, inOrder: Bool) throws {
        let wasHeard = music.isPlaying && music.session.currentRoute.outputs.map(\.portName) == [listener.name]
        letDisksCatchUp()
        try multiRouteUntouched(but: listener) {
            let begins = listeners.map { ($0, $0.frames) }
            try unplug(listener, inOrder: inOrder)
            if wasHeard { try checkSilence(since: begins.filter { $0.0 !== listener }) }
        }
    }

    /// ROUTE-4: what played there has paused before a frame of it reached another device.
    func checkSilence(since begins: [(RecordingDevice, Int)]) throws {
        counts.silenceChecks += 1
        if !wait(until: { !music.isPlaying }) { examiner.note("The output is gone, and music plays on (ROUTE-4).") }
        if options.plant == .leak { try plantLeak() }
        letPass(4_800)
        let event = journal.note("music is silent since its device went")
        for (listener, begin) in begins {
            listener.add(
                Span(event: event, nature: .silent(channel: 0), begin: begin, end: max(begin, listener.frames)))
        }
    }

    /// MULTI-3: of several outputs one leaves; what goes to the others goes on, sample for sample.
    private func multiRouteUntouched(but leaving: RecordingDevice, _ body: () throws -> Void) throws {
        let names = Set(deck.currentRoute.outputs.map(\.portName))
        let staying = listeners.filter { $0 !== leaving && names.contains($0.name) && $0.name != "Speaker" }
        guard counts.isDeckOn, deck.isActive, names.contains(leaving.name), !staying.isEmpty else { return try body() }
        counts.untouchedChecks += 1
        try untouched([1], on: staying, "deck on \(staying.map(\.name)), \(leaving.name) leaves", body)
    }

    // ---- Planted ------------------------------------------------------------------------------------------------------------------

    /// Faults of ours, each until no xrun, which would excuse it, was near four of them.
    func plant(_ plant: SoakOptions.Plant) throws {
        var undisturbed = 0
        for round in 1...40 where undisturbed < 4 {
            let xruns = engine.statistics.xruns
            letPass(24_000)
            switch plant {
            case .click:
                try engine.play(.buffer(AudioBuffer([[0], [0.25]])), on: game.bus)
            case .jump:
                guard let voice = gameVoice else { return }
                try voice.seek(to: (Int(voice.framesRendered) + round * 2_000) % 1_000_000)
            case .leak:
                try pullOut(try plug("Ears", .headphones), inOrder: false)
                try play()
            }
            letPass(24_000)
            if engine.statistics.xruns == xruns { undisturbed += 1 }
        }
    }

    private func plantLeak() throws {
        let quiet = Signal.counting(frames: 2_000)
        try engine.play(.buffer(AudioBuffer([quiet, [Float](repeating: 0, count: 2_000)])), on: game.bus)
    }
}
