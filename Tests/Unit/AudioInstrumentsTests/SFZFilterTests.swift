import AudioInstruments
import AudioRendering
import TestSupport
import Testing

/// Filters of SFZ files, and what controllers change.
@Suite struct SFZFilterTests {
    private let folder: SFZTestFolder

    init() throws {
        folder = try SFZTestFolder()
        try folder.writeSound("a.wav")
    }

    private func load(_ text: String) throws -> (zone: InstrumentZone, problems: [SFZFile.Problem.Kind]) {
        let loaded = try folder.load(text)
        return (try #require(loaded.zones.first), loaded.problems.map(\.kind))
    }

    private func filter(_ opcodes: String) throws -> InstrumentZone.Filter? {
        try load("<region> sample=a.wav \(opcodes)").zone.filter
    }

    @Test("a cutoff frequency makes a filter, whose values have the units of zones")
    func values() throws {
        #expect(try filter("fil_type=lpf_4p resonance=3 fileg_depth=100") == nil)
        var fixed = InstrumentZone.Filter(.lowPass12, cutoff: 500)
        fixed.envelope.release = 0
        #expect(try filter("cutoff=500") == fixed)
        var expected = InstrumentZone.Filter(.highPass24, cutoff: 1_234.5, resonance: 4.5)
        expected.keyTracking = 50
        expected.centerKey = 62
        expected.velocityRange = -1_200
        expected.pressureRange = 600
        expected.envelopeRange = 2_400
        expected.envelope = .init(delay: 0.1, attack: 0.2, hold: 0.3, decay: 0.4, sustain: 0.25, release: 0.5)
        let loaded = try load(
            """
            <region> sample=a.wav fil_type=hpf_4p cutoff=1234.5 resonance=4.5 fil_keytrack=50 fil_keycenter=d4
            fil_veltrack=-1200 cutoff_chanaft=600 cutoff_polyaft=600 fileg_depth=2400 fileg_delay=0.1 fileg_attack=0.2
            fileg_hold=0.3 fileg_decay=0.4 fileg_sustain=25 fileg_release=0.5
            """.replacing("\n", with: " "))
        #expect(loaded.zone.filter == expected && loaded.problems.isEmpty, "\(loaded)")
        #expect(try filter("cutoff=0.01")?.cutoff == 1)
        let key = try load("<region> sample=a.wav cutoff=500 cutoff_polyaft=300")
        #expect(key.zone.filter?.pressureRange == 300 && key.problems.count == 1)
    }

    @Test(
        "types of filters, and those that are played otherwise",
        arguments: [
            ("lpf_1p", InstrumentZone.Filter.Response.lowPass6, 0), ("lpf_2p", .lowPass12, 0),
            ("LPF_2P_SV", .lowPass12, 0), ("lpf_4p", .lowPass24, 0), ("lpf_6p", .lowPass24, 1),
            ("hpf_1p", .highPass6, 0), ("hpf_2p", .highPass12, 0), ("hpf_4p", .highPass24, 0),
            ("bpf_2p", .bandPass, 0), ("bpf_1p", .bandPass, 1), ("brf_2p", .bandReject, 0), ("comb", nil, 1),
        ])
    func types(name: String, response: InstrumentZone.Filter.Response?, problems: Int) throws {
        let loaded = try load("<region> sample=a.wav filtype=\(name) cutoff=500")
        #expect(loaded.zone.filter?.response == response && loaded.problems.count == problems, "\(loaded.problems)")
    }

    @Test("a controller of the cutoff frequency is followed, from the value that it has at first")
    func followed() throws {
        let wheel = try load("<region> sample=a.wav cutoff=500 cutoff_oncc1=4800 cutoff_smoothcc1=20")
        #expect(wheel.zone.filter?.cutoff == 500 && wheel.problems.isEmpty)
        #expect(wheel.zone.filter?.controller == .init(1, range: 4_800, rest: 0))
        let set = try load("<control> set_cc74=127 <region> sample=a.wav cutoff=500 cutoff_cc74=-1200")
        #expect(set.zone.filter?.cutoff == 250 && set.problems.isEmpty)
        #expect(set.zone.filter?.controller == .init(74, range: -1_200, rest: 127))
        let bipolar = try load(
            "<control> set_cc74=127 <region> sample=a.wav cutoff=500 cutoff_oncc74=1200 cutoff_curvecc74=1")
        #expect(bipolar.zone.filter?.cutoff == 1_000 && bipolar.problems.isEmpty)
        #expect(bipolar.zone.filter?.controller == .init(74, range: 2_400, rest: 127))
        // The second one counts with its value; a curve that is not linear cannot be followed.
        let two = try load(
            "<control> set_cc2=127 <region> sample=a.wav cutoff=500 cutoff_oncc1=100 cutoff_oncc2=1200")
        #expect(two.zone.filter?.cutoff == 1_000 && two.zone.filter?.controller?.number == 1)
        #expect(two.problems.count == 1)
        let curved = try load("<region> sample=a.wav cutoff=500 cutoff_oncc1=100 cutoff_curvecc1=4")
        #expect(curved.zone.filter?.controller == nil && curved.problems.count == 1)
    }

    @Test("other opcodes have the value that their controllers have at first")
    func initial() throws {
        // The structure of a public piano: the velocity tracking is set by a controller.
        let piano = try load(
            """
            <control> set_hdcc99=0.73 set_cc72=127
            <global> amp_veltrack=0 amp_veltrack_oncc99=100 ampeg_release=0.1 ampeg_release_oncc72=2
            <region> sample=a.wav
            """)
        #expect(abs(piano.zone.velocityTracking - 93.0 / 127) < 1e-6)
        #expect(abs(piano.zone.envelope.release - 2.1) < 1e-9)
        #expect(piano.problems.count == 2, "\(piano.problems)")
        func zone(_ opcodes: String) throws -> InstrumentZone {
            try load("<control> set_cc20=64 set_cc21=127 set_cc200=127 <region> sample=a.wav \(opcodes)").zone
        }
        #expect(abs(try zone("tune_oncc20=127").tuning - 64) < 1e-9)
        #expect(abs(try zone("tune_oncc20=127 tune_curvecc20=1").tuning - 1) < 1e-9, "-1…1")
        #expect(abs(try zone("tune_curvecc20=2 tune_oncc20=127").tuning - 63) < 1e-9, "1…0")
        #expect(abs(try zone("tune_curvecc20=3 tune_oncc20=127").tuning + 1) < 1e-9, "1…-1")
        #expect(abs(try zone("tune_curvecc20=4 tune_oncc20=127").tuning - 64 * 64 / 127) < 1e-9, "squared")
        #expect(try zone("tune=5 tune_curvecc20=5").tuning == 5, "no amount")
        #expect(try zone("tune_oncc20=10 tune_oncc21=50 tune_oncc21=60 tune_oncc20=0").tuning == 60, "the last ones")
        #expect(try zone("offset_oncc21=100").startFrame == 100)
        #expect(try zone("pan_oncc21=300").pan == 1, "limited")
        #expect(try zone("gain_cc21=-144").gain < 1e-7)
        #expect(try zone("tune_oncc200=100").tuning == 100, "a controller without a message, but with a value")
        #expect(abs(try zone("amplitude_oncc20=100").gain - 64.0 / 127) < 1e-6, "a factor")
        #expect(try zone("amplitude_oncc30=100").gain == 0)
        #expect(try zone("amplitude_curvecc30=1").gain == 1)
    }

    @Test("controllers that stand for something else, and curves of the file, are not supported, and listed")
    func unsupported() throws {
        for opcode in ["tune_oncc131=100", "tune_curvecc1=7", "sample_oncc1=3", "tune_stepcc1=2", "key_oncc1=1"] {
            let loaded = try load("<region> sample=a.wav \(opcode)")
            guard case .unsupportedOpcode = loaded.problems.first else {
                Issue.record("\(opcode): \(loaded.problems)")
                continue
            }
            #expect(loaded.zone.tuning == 0)
        }
        let many = (0..<40).map { "tune_oncc\($0)=1" }.joined(separator: " ")
        #expect(try load("<region> sample=a.wav \(many)").problems.contains(.unsupportedOpcode("tune_onccN", count: 8)))
        let wrong = try load("<region> sample=a.wav tune_oncc1=loud")
        #expect(wrong.problems.count == 1 && "\(wrong.problems)".contains("tune_oncc1"))
    }

    @Test("an engine plays the filter: a tone above the cutoff frequency is attenuated")
    func playing() throws {
        try SoundFile.write(
            [Signal.sine(frequency: 8_000, sampleRate: 48_000, frames: 48_000)], sampleRate: 48_000,
            to: folder.path + "/tone.wav")
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
        _ = try driver.render(frames: 1_024)
        let loaded = try folder.load(
            """
            <global> amp_veltrack=0 sample=tone.wav <region> key=60 pitch_keycenter=60 cutoff=1000 fil_type=lpf_4p
            <region> key=61 pitch_keycenter=61
            """)
        var configuration = loaded.configuration
        configuration.panLaw = nil
        let instrument = try engine.makeInstrument(loaded.zones, on: bus, configuration: configuration)
        let start = engine.currentFrame
        try instrument.send(.noteOn(channel: 0, key: 60, velocity: 1), at: start)
        try instrument.send(.noteOff(channel: 0, key: 60, velocity: 1), at: start + 4_800)
        try instrument.send(.noteOn(channel: 0, key: 61, velocity: 1), at: start + 9_600)
        let output = try driver.render(frames: 14_400)[0]
        #expect(Signal.peak(output[1_000..<4_800]) < 0.5 / 3_000, "more than 70 dB at three octaves")
        #expect(Signal.peak(output[10_000...]) > 0.43)
    }
}
