import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestRandom
import TestSupport

/// Plugs and unplugs devices (groups ROUTE and MULTI).
extension SoakFixture {
    /// The devices in addition to the speaker; at most three of them at once.
    private static let devices: [(name: String, kind: PortType)] = [
        ("Ears", .headphones), ("Screen", .hdmi), ("Interface", .usbAudio), ("Line", .lineOut), ("Air", .bluetoothA2DP),
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

    /// ROUTE-4: playback on the removed device has paused before a frame of it reaches another
    /// device.
    func checkSilence(since begins: [(RecordingDevice, Int)]) throws {
        counts.silenceChecks += 1
        if !wait(until: { !music.isPlaying }) {
            checker.note("The output is gone, but music continues to play (ROUTE-4).")
        }
        if options.inject == .leak { try injectLeak() }
        letPass(4_800)
        let event = journal.note("music is silent since its device was removed")
        for (listener, begin) in begins {
            listener.add(
                Span(event: event, nature: .silent(channel: 0), begin: begin, end: max(begin, listener.frames)))
        }
    }

    /// MULTI-3: when one of several outputs is removed, playback on the others continues, sample
    /// for sample.
    private func multiRouteUntouched(but leaving: RecordingDevice, _ body: () throws -> Void) throws {
        let names = Set(deck.currentRoute.outputs.map(\.portName))
        let staying = listeners.filter { $0 !== leaving && names.contains($0.name) && $0.name != "Speaker" }
        guard counts.isDeckOn, deck.isActive, names.contains(leaving.name), !staying.isEmpty else { return try body() }
        counts.untouchedChecks += 1
        try untouched([1], on: staying, "deck on \(staying.map(\.name)), \(leaving.name) is removed", body)
    }

    // ---- Injected faults
    // ----------------------------------------------------------------------------

    /// Injects faults until four of them were not near an xrun, which would excuse them.
    func inject(_ inject: SoakOptions.InjectedFault) throws {
        var undisturbed = 0
        for round in 1...40 where undisturbed < 4 {
            let xruns = engine.statistics.xruns
            letPass(24_000)
            switch inject {
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

    private func injectLeak() throws {
        let quiet = Signal.counting(frames: 2_000)
        try engine.play(.buffer(AudioBuffer([quiet, [Float](repeating: 0, count: 2_000)])), on: game.bus)
    }
}
