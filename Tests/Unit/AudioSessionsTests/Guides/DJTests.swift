import AudioRendering
import AudioSessions
import Recipes
import TestSupport
import Testing

/// The DJ of the guide ("A DJ often needs to listen to one track of music while another track is
/// playing"). The devices have consecutive channels of the offline driver.
@Suite struct DJTests {
    private static let (main, cue) = (0..<2, 2..<4)

    @Test(
        "MULTI-1, MULTI-3, MULTI-4: the hall plays one record and the headphones the next, until they are unplugged"
    )
    func decks() throws {
        // Four channels; the host is that of one app.
        let device = try Device(apps: 4)
        device.driver.plug(.output("Hall", .usbAudio), firstOutput: 0)
        device.driver.plug(.output("Headphones", .headphones), firstOutput: 2)
        let session = try device.session(of: 0)
        let dj = try DJ(session: session)
        let samples = Signal.counting(frames: 96_000)
        let present = try dj.play(AudioBuffer([samples, samples]))
        #expect(session.currentRoute.outputs.map(\.portName) == ["Hall", "Headphones"])
        try present.setMain(1)
        _ = try device.render(2_400)

        // The next record, on the DJ's cue.
        let next = try dj.play(AudioBuffer([samples, samples]))
        try next.setCue(1)
        var heard = try device.render(2_400)
        // The decks start one period after they are loaded.
        for channel in Self.main { #expect(heard[channel].differs(from: 2_400 - 256) == nil) }
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 4_800 - 256) == nil) }
        for channel in Self.cue { #expect(heard[channel].differs(from: 2_400 - 256) == nil) }

        // Unplugging the headphones does not affect the main output.
        device.driver.unplug("Headphones")
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 7_200 - 256) == nil) }
        for channel in Self.cue { #expect(heard[channel].samples[480...].allSatisfy { $0 == 0 }) }
        #expect(session.isActive)

        // Plugged in again, the headphones have the cue again, at its current position.
        device.driver.plug(.output("Headphones", .headphones), firstOutput: 2)
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 9_600 - 256) == nil) }
        for channel in Self.cue { #expect(heard[channel].differs(fadingInFrom: 7_200 - 256) == nil) }

        // Crossfade to the next record: both play while the faders move.
        try present.setMain(0)
        try next.setMain(1)
        _ = try device.render(2_400)
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 12_000 - 256) == nil) }
    }
}
