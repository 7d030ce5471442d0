import AudioRendering
import TestSupport

/// An engine on the offline driver with one open session bus.
struct EngineFixture {
    let driver: OfflineDriver
    let engine: AudioEngine
    let gate: TestGate
    let bus: SessionBus

    init(
        sampleRate: Int = 48_000, channels: Int = 2, inputs: Int = 0, periodFrames: Int = 256,
        configuration: AudioEngine.Configuration = AudioEngine.Configuration()
    ) throws {
        driver = OfflineDriver(
            sampleRate: sampleRate, channels: channels, inputChannels: inputs, periodFrames: periodFrames)
        engine = try AudioEngine(driver: driver, configuration: configuration)
        gate = try TestGate()
        try engine.open()
        bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
    }
}
