import AudioRendering
import CSessionGate

/// A gate in plain memory, for tests that play the arbiter.
///
/// Unchecked `Sendable`: the page is made for one writer, the test, and any readers.
final class TestGate: @unchecked Sendable {
    let page: OpaquePointer
    private var serial: UInt32 = 0

    init?(open: Bool = true) {
        guard let page = sgate_page_create() else { return nil }
        self.page = page
        set(paused: !open)
    }

    deinit { sgate_page_destroy(page) }

    /// Another page with the same two words, as a new arbiter hands it out. What is set on either later has the same serial.
    func copy() -> TestGate? {
        guard let copy = TestGate() else { return nil }
        copy.serial = serial
        sgate_page_set_verdict(copy.page, sgate_page_verdict(page))
        sgate_page_set_volume(copy.page, sgate_page_volume(page))
        return copy
    }

    func setVolume(_ gain: Float, rampMilliseconds: UInt16) {
        sgate_page_set_volume(page, sgate_volume_t(gain: gain, ramp_ms: rampMilliseconds))
    }

    func set(
        paused: Bool = false, muted: Bool = false, decibels: Double = 0, rampMilliseconds: UInt16 = 5,
        inputGranted: Bool = false
    ) {
        serial += 1
        sgate_page_set_verdict(
            page,
            sgate_verdict_t(
                attenuation: UInt16(-decibels * 256), ramp_ms: rampMilliseconds, paused: paused, muted: muted,
                input_granted: inputGranted, serial: serial))
    }
}

/// An engine on the offline driver with one open session bus.
struct Stage {
    let driver: OfflineDriver
    let engine: AudioEngine
    let gate: TestGate
    let bus: SessionBus

    struct NoMemory: Error {}

    init(
        sampleRate: Int = 48_000, channels: Int = 2, inputs: Int = 0, periodFrames: Int = 256,
        configuration: AudioEngine.Configuration = AudioEngine.Configuration()
    ) throws {
        driver = OfflineDriver(
            sampleRate: sampleRate, channels: channels, inputChannels: inputs, periodFrames: periodFrames)
        engine = try AudioEngine(driver: driver, configuration: configuration)
        guard let gate = TestGate() else { throw NoMemory() }
        self.gate = gate
        try engine.open()
        bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
    }
}
