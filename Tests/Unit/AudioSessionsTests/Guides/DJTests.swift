import AudioRendering
import AudioSessions
import Recipes
import TestSupport
import Testing

/// The DJ of the guide ("A DJ often needs to listen to one track of music while another track is playing"). The devices have channels of the
/// offline driver, one after the other.
@Suite struct DJTests {
    private static let (main, cue) = (0..<2, 2..<4)

    @Test(
        "MULTI-1, MULTI-3, MULTI-4: the dancers hear one record and the headphones the next, until the headphones are gone"
    )
    func decks() throws {
        // Four channels; the host is one app's.
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

        // The next record, for the DJ's ear.
        let next = try dj.play(AudioBuffer([samples, samples]))
        try next.setCue(1)
        var heard = try device.render(2_400)
        // The decks start a period after they are put on.
        for channel in Self.main { #expect(heard[channel].differs(from: 2_400 - 256) == nil) }
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 4_800 - 256) == nil) }
        for channel in Self.cue { #expect(heard[channel].differs(from: 2_400 - 256) == nil) }

        // The headphones are pulled out: no word of it on the dance floor.
        device.driver.unplug("Headphones")
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 7_200 - 256) == nil) }
        for channel in Self.cue { #expect(heard[channel].samples[480...].allSatisfy { $0 == 0 }) }
        #expect(session.isActive)

        // They are plugged in again, and the cue is there, where it would be by now.
        device.driver.plug(.output("Headphones", .headphones), firstOutput: 2)
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 9_600 - 256) == nil) }
        for channel in Self.cue { #expect(heard[channel].differs(fadingInFrom: 7_200 - 256) == nil) }

        // And over to the next record: both sound while the faders cross.
        try present.setMain(0)
        try next.setMain(1)
        _ = try device.render(2_400)
        heard = try device.render(2_400)
        for channel in Self.main { #expect(heard[channel].differs(from: 12_000 - 256) == nil) }
    }
}
