import AudioInstruments
import AudioRendering
import TestSupport
import Testing

/// The zones that SFZ files become.
@Suite struct SFZLoadingTests {
    private let folder: SFZTestFolder

    init() throws {
        folder = try SFZTestFolder()
        try folder.writeSound("a.wav")
        try folder.writeSound("looped.wav", loop: 100...499, rootKey: 72)
    }

    private func zone(_ opcodes: String) throws -> InstrumentZone {
        try #require(try folder.load("<region> sample=a.wav \(opcodes)").zones.first)
    }

    @Test("ranges, pitch, gain and envelope in the units of zones")
    func values() throws {
        let zone = try zone(
            """
            lokey=c4 hikey=72 pitch_keycenter=65 lovel=0 hivel=100 loprog=2 hiprog=3 seq_length=3 seq_position=2
            tune=-20 transpose=12 pitch_keytrack=50 volume=-12 group_volume=6 amplitude=50 phase=invert pan=-50
            amp_veltrack=40 offset=10 ampeg_delay=0.05 ampeg_attack=0.1 ampeg_hold=0.2 ampeg_decay=0.3 ampeg_sustain=50
            ampeg_release=0.4 bend_up=1200 bend_down=-1200
            """.replacing("\n", with: " "))
        #expect(zone.keys == 60...72 && zone.rootKey == 65 && zone.velocities == 1...100 && zone.programs == 2...3)
        #expect(zone.roundRobin == .init(position: 2, of: 3))
        #expect(zone.tuning == 1_180 && zone.keyTracking == 50 && zone.startFrame == 10 && zone.pan == -0.5)
        #expect(abs(zone.gain + 0.5 * 0.501187) < 1e-6 && zone.velocityTracking == 0.4)
        #expect(
            zone.envelope
                == .init(
                    delay: 0.05, attack: 0.1, hold: 0.2, decay: 0.3, sustain: 0.5, release: 0.4, curve: .exponential))
        #expect(zone.filter == nil)
        #expect(zone.loop == nil && !zone.isOneShot && zone.trigger == .attack && zone.sound.sampleRate == 48_000)
    }

    @Test("loops: of the file, of the text, and modes; loop ends are the last frame")
    func loops() throws {
        func zone(_ opcodes: String) throws -> InstrumentZone {
            try #require(try folder.load("<region> sample=looped.wav \(opcodes)").zones.first)
        }
        #expect(try zone("").loop == 100..<500)
        #expect(try zone("loop_mode=no_loop").loop == nil)
        #expect(try zone("loop_mode=one_shot").isOneShot)
        #expect(try zone("loop_mode=one_shot").loop == nil)
        #expect(try zone("loop_start=50 loop_crossfade=0.01").loop == 50..<500)
        #expect(try zone("loop_start=50 loop_crossfade=0.01").loopFadeFrames == 50)
        #expect(try zone("loopmode=loop_sustain loopend=199").loop == 100..<200)
        #expect(try zone("loop_mode=loop_sustain").leavesLoop && !zone("loop_mode=loop_continuous").leavesLoop)
        #expect(try zone("trigger=release").loop == nil)
        #expect(try zone("end=299").loop == 100..<300)
        #expect(try zone("offset=50 end=299").loop == 50..<250, "in frames of the part that begins at 50")
        #expect(try zone("offset=150 end=299 loop_start=120").loop == 0..<180)
        #expect(try zone("offset=150 end=299 loop_start=120").startFrame == 30)
        #expect(try zone("pitch_keycenter=sample key=62").rootKey == 62)
        #expect(try zone("count=1").isOneShot)
        try folder.writeSound("exclusive.wav", loop: 100...1_000)
        let exclusive = try folder.load("<region> sample=exclusive.wav")
        #expect(exclusive.zones.first?.loop == 100..<1_000, "some programs write the frame after the last one")
        #expect(try self.zone("loop_mode=loop_continuous").loop == 0..<1_000)
        #expect(try zone("pitch_keycenter=sample").rootKey == 72)
        #expect(try self.zone("pitch_keycenter=sample").rootKey == 60)
        let empty = try folder.load("<region> sample=a.wav loop_mode=loop_sustain loop_start=2000")
        #expect(empty.zones[0].loop == nil && empty.problems.count == 1)
    }

    @Test("the end of a region is the last frame; regions of one sound share it, and parts are read alone")
    func sounds() throws {
        let zones = try folder.load(
            "<region> sample=a.wav <region> sample=a.wav key=1 <region> sample=a.wav end=99 <region> sample=a.wav end=2000"
        ).zones
        #expect(zones.map(\.sound.frameCount) == [1_000, 1_000, 100, 1_000])
        #expect(zones[0].sound === zones[1].sound)
        let slices = (0..<10).map { "<region> sample=a.wav offset=\($0 * 100) end=\($0 * 100 + 99)" }
        let file = try folder.read(slices.joined(separator: "\n"))
        let sliced = try file.load(memoryLimit: 4_000)
        for limit in [3_999, 0, Int.min] { #expect(throws: SFZFileError.self) { try file.load(memoryLimit: limit) } }
        let looped = try folder.load("<region> sample=looped.wav offset=150 end=299").zones[0]
        #expect(looped.sound.frameCount == 200 && looped.loop == 0..<200 && looped.startFrame == 50)
        #expect(sliced.zones.allSatisfy { $0.sound.frameCount == 100 && $0.startFrame == 0 })
    }

    @Test("choke groups, their fade, and regions that alternate at random")
    func groups() throws {
        let zones = try folder.load(
            """
            <region> sample=a.wav group=-7 off_by=2147483647
            <region> sample=a.wav group=2147483647 off_by=-7 off_mode=normal ampeg_release=0.2
            <region> sample=a.wav off_by=5 offmode=normal off_time=0.03
            """
        ).zones
        #expect(zones[0].group != zones[1].group && zones[0].group > 0 && zones[1].group > 0)
        #expect(zones[0].chokedBy == zones[1].group && zones[1].chokedBy == zones[0].group)
        #expect(zones[2].group == 0 && zones[2].chokedBy > 0)
        #expect(zones.prefix(3).map(\.chokeTime) == [0.006, 0.2, 0.03])
    }

    /// The notes, from 1 on, at which each region is played.
    private func turns(_ text: String) throws -> [[Int]] {
        let zones = try folder.load(text).zones
        return Dictionary(grouping: zones, by: \.pan).sorted { $0.key < $1.key }.map { _, zones in
            (1...12).filter { note in
                zones.contains { zone in
                    zone.roundRobin.map { (note - 1) % $0.count + 1 == $0.position } ?? true
                }
            }
        }
    }

    @Test("regions that alternate at random are played in turn, also within a sequence")
    func alternatives() throws {
        #expect(
            try turns(
                """
                <region> sample=a.wav pan=1 hirand=0.33 <region> sample=a.wav pan=2 lorand=0.33 hirand=0.66
                <region> sample=a.wav pan=3 lorand=0.66
                """) == [[1, 4, 7, 10], [2, 5, 8, 11], [3, 6, 9, 12]])
        #expect(
            try turns("<region> sample=a.wav pan=1 hirand=0.3 <region> sample=a.wav pan=2 lorand=0.3")
                == [[1, 4, 7, 10], [2, 3, 5, 6, 8, 9, 11, 12]])
        #expect(
            try turns(
                """
                <group> seq_length=2 seq_position=1 <region> sample=a.wav pan=1 hirand=0.5
                <region> sample=a.wav pan=2 lorand=0.5 <group> seq_length=2 seq_position=2 <region> sample=a.wav pan=3
                """) == [[1, 5, 9], [3, 7, 11], [2, 4, 6, 8, 10, 12]])
        #expect(try turns("<region> sample=a.wav pan=1 hirand=0.99") == [Array(1...12)])
        #expect(try turns("<region> sample=a.wav pan=1 hirand=1e-20") == [[1]])
        #expect(try turns("<region> sample=a.wav pan=1 lorand=0.99 seq_length=100") == [[1]])
    }

    @Test("a missing or damaged sound leaves out its regions, and is one problem")
    func missing() throws {
        try folder.write("no sound", to: "text.wav")
        let loaded = try folder.load(
            """
            <region> sample=none.wav <region> sample=text.wav <region> sample=a.wav offset=1000
            <region> sample=none.wav key=3 <region> sample=a.wav key=4
            """)
        #expect(loaded.zones.map(\.keys) == [4...4])
        #expect(loaded.problems.count == 3, "\(loaded.problems)")
        #expect("\(loaded.problems[1])".contains("cannot be decoded"), "\(loaded.problems)")
    }

    @Test("the range of the pitch bend is that of the regions")
    func bend() throws {
        let same = try folder.load("<global> bend_up=700 bend_down=-700 <region> sample=a.wav")
        #expect(same.configuration.bendRange == 7 && same.problems.isEmpty)
        let other = try folder.load("<region> sample=a.wav bend_up=1200")
        #expect(other.configuration.bendRange == 12 && other.problems.count == 1)
    }

    @Test("an engine plays the zones: the level, the keys, and a loop until the release")
    func playing() throws {
        let loaded = try folder.load(
            """
            <global> amp_veltrack=0 ampeg_release=0.001
            <region> sample=looped.wav key=60 volume=-6.0206 pan=0
            <region> sample=a.wav key=61 loop_mode=one_shot
            """)
        var configuration = loaded.configuration
        configuration.panLaw = nil
        let driver = OfflineDriver()
        let engine = try AudioEngine(driver: driver)
        let gate = try TestGate()
        let bus = try engine.makeSessionBus(gate: gate.page, owner: gate)
        try engine.start()
        let instrument = try engine.makeInstrument(loaded.zones, on: bus, configuration: configuration)
        /// The range of the first channel of the next frames.
        func levels(_ frames: Int) throws -> ClosedRange<Float> {
            let samples = try driver.render(frames: frames)[0]
            return (samples.min() ?? 0)...(samples.max() ?? 0)
        }
        _ = try levels(1_024)
        try instrument.send(.noteOn(channel: 0, key: 60, velocity: 1), .noteOn(channel: 0, key: 62, velocity: 1))
        _ = try levels(256)
        let held = try levels(4_096)
        #expect(abs(held.lowerBound - 0.25) < 1e-5 && abs(held.upperBound - 0.25) < 1e-5)
        try instrument.send(.noteOff(channel: 0, key: 60, velocity: 0), .noteOn(channel: 0, key: 61, velocity: 1))
        _ = try levels(256)
        #expect(try levels(512) == 0.5...0.5)
        try instrument.send(.noteOff(channel: 0, key: 61, velocity: 0))
        #expect(try levels(200) == 0.5...0.5, "it is played to its end")
        _ = try levels(256)
        #expect(try levels(256) == 0...0)
    }
}
