import AudioInstruments
import AudioRendering
import Foundation
import Testing

/// The text of SFZ files: headers, what regions inherit, variables, included files.
@Suite struct SFZReadingTests {
    private let folder: SFZTestFolder

    init() throws {
        folder = try SFZTestFolder()
        try folder.writeSound("a.wav")
        try folder.writeSound("b.wav")
    }

    @Test("regions inherit from their group, master and the whole file; later values replace earlier ones")
    func inheritance() throws {
        let zones = try folder.load(
            """
            <global> volume=-6 sample=a.wav pan=10
            <master> lokey=10 hikey=20
            <group> ampeg_release=0.5 pan=-100
            <region> lokey=12
            <region> volume=0 volume=6
            <group>
            <region> hikey=19
            <master>
            <region>
            <global>
            <region> sample=a.wav
            """
        ).zones
        #expect(zones.map(\.keys) == [12...20, 10...20, 10...19, 0...127, 0...127])
        #expect(zones.map(\.pan) == [-1, -1, 0.1, 0.1, 0])
        #expect(zones.map(\.envelope.release) == [0.5, 0.5, 0.001, 0.001, 0.001])
        let gains = zones.map { (20 * log10(Double($0.gain)) * 10).rounded() / 10 }
        #expect(gains == [-6, 6, -6, -6, 0])
    }

    @Test("comments, line ends, several opcodes in a line, spaces in values")
    func layout() throws {
        try folder.writeSound("My Sounds/C sharp = 4.wav")
        let file = try folder.read(
            "\u{FEFF}// <region> sample=none.wav\r\n<region>sample=a.wav key=c#4// key=1\r"
                + "/* <region> sample=none.wav\r\n */ <region> key=db4 /* key=1 */ volume=-3 sample=b.wav  \n"
                + "<region> sample=My Sounds\\C sharp = 4.wav\t key=B-1 <region>sample=a.wav key=g9 // */ /*\n"
                + "<region> key=C-1 sample=a.wav")
        #expect(file.problems.isEmpty, "\(file.problems)")
        let names = file.soundPaths.map { String(decoding: $0.lastComponent.bytes, as: UTF8.self) }
        #expect(names == ["a.wav", "b.wav", "C sharp = 4.wav"])
        let zones = try file.load().zones
        #expect(zones.map(\.keys) == [61...61, 61...61, 11...11, 127...127, 0...0])
        #expect(zones.map(\.rootKey) == [61, 61, 11, 127, 0])
    }

    @Test("variables: the shortest name that is defined applies, with the value that it has at the place of use")
    func variables() throws {
        let file = try folder.read(
            """
            #define $KEY 60
            #define $KEYS 62 #define $FILE $NAME.wav
            #define $NAME b
            <region> sample=$FILE lokey=$KEY hikey=$KEY3 pitch_$CENTER=64
            #define $KEY 6
            #define $CENTER keycenter #define $NAME a
            #define $LOOP $LOOP
            <region> sample=$FILE lokey=$KEY hikey=$KEY3 pitch_$CENTER=64 volume=$LOOP
            """)
        let zones = try file.load().zones
        // $KEY3 is $KEY and a 3.
        #expect(zones.map(\.keys) == [60...127, 6...63])
        #expect(zones.map(\.rootKey) == [60, 64])
        #expect(file.soundPaths.map(\.lastComponent.description) == ["b.wav", "a.wav"])
        #expect(
            file.problems.map(\.kind) == [
                .playedOtherwise(opcode: "hikey", how: "603 is limited to 255.0"),
                .undefinedVariable("CENTER"), .unsupportedOpcode("pitch_$center", count: 1),
                .undefinedVariable("LOOP"),
                .invalidValue(opcode: "volume", value: "$LOOP", valid: "a number from -144.0 to 48.0"),
            ])
    }

    @Test("included files share variables and headers; a file that includes itself ends")
    func includes() throws {
        try folder.write("<region> sample=a.wav key=$KEY\n", to: "Parts/Regions.SFZ")
        try folder.write("#include \"main.sfz\"\n<region> sample=a.wav", to: "main.sfz")
        let file = try folder.read(
            """
            #define $KEY 70
            <group> volume=-1 #include "parts\\regions.sfz" <region> key=3 sample=b.wav
            #include "none.sfz"
            #include none.sfz
            """)
        #expect(try file.load().zones.map(\.keys) == [70...70, 3...3])
        #expect(file.problems.map(\.line) == [3, 4])
        #expect("\(file.problems[0])".contains("There is no file"), "\(file.problems)")
        let own = try SFZFile(path: folder.path + "/main.sfz")
        // Within the deepest file, and within each of the others after what it includes.
        #expect(own.regionCount == 33)
        let kinds = own.problems.map(\.kind)
        guard case .notIncluded("main.sfz", let reason) = kinds.first, kinds.count == 1 else {
            Issue.record("\(kinds)")
            return
        }
        #expect(reason.contains("nested up to 32 deep"))
    }

    @Test("the control header: default path, offsets of keys, values of controllers")
    func control() throws {
        try folder.writeSound("Samples/x-one.wav")
        let file = try folder.read(
            """
            <control> default_path=Samples\\x- note_offset=1 octave_offset=-1 set_cc20=5 label_cc20=Mix set_cc7=x
            <global> lokey=40
            <region> sample=ONE.WAV key=60
            <region> sample=one.wav hikey=72 locc20=5 lohdcc20=0.03
            <region> sample=one.wav key=60 locc20=6
            <region> sample=one.wav key=60 hicc7=99
            <region> sample=one.wav hikey=10
            <control> note_offset=0 octave_offset=0 set_hdcc30=1 set_cc11=100
            <region> sample=a.wav key=60 lokey=-1 hicc30=0
            <region> sample=a.wav lokey=50 hikey=58 lohdcc30=0.9
            <region> sample=\\B.wav lokey=50 hikey=57 on_locc1=-1 sw_last=-1
            """)
        let zones = try file.load().zones
        #expect(zones.map(\.keys) == [49...49, 29...61, 50...58, 50...57])
        #expect(zones.map(\.rootKey) == [49, 49, 60, 60])
        #expect(
            file.problems.map(\.line) == [1, 8, 5, 7], "\(file.problems)")
    }

    @Test("what is not supported is listed once, with its first place and its number")
    func problems() throws {
        let file = try folder.read(
            """
            key=1
            <curve> v000=0
            <region> sample=a.wav cutoff2=500 amp_velcurve_1=0.1 amp_velcurve_127=1
            <region> sample=b.wav cutoff2=700 lfo01_freq=3 rubbish
            <region> sample=a.wav volume=loud pan=200 trigger=never loop_mode=no_loop
            <region> sample=*sine key=60
            <region> sample=*silence <region> sample=*silence group=4
            <region> key=61
            <region> sample=a.wav on_locc64=127 <region> sample=a.wav seq_position=3 seq_length=2
            <region> sample=a.wav trigger=first trigger=release_key
            """)
        #expect(
            file.problems.map(\.description) == [
                "the data, line 1: 'key=… before the first header' is neither a header nor an opcode; the rest of the line was skipped",
                "the data, line 2: header '<curve>' is not supported",
                "the data, line 3: opcode 'cutoffN' is not supported (used 2 times)",
                "the data, line 3: opcode 'amp_velcurve_N' is not supported (used 2 times)",
                "the data, line 4: opcode 'lfo01_freq' is not supported",
                "the data, line 5: 'volume=loud' has no effect; valid: a number from -144.0 to 48.0",
                "the data, line 5: 'pan': 200 is limited to 100.0",
                "the data, line 5: 'trigger=never' has no effect; valid: attack, legato, release",
                "the data, line 6: the region is not played: generator '*sine' is not supported",
                "the data, line 7: the region is not played: generator '*silence' is not supported",
                "the data, line 10: 'trigger': first is played as attack",
                "the data, line 10: 'trigger': release_key is played as release",
                "the data, line 9: the region is not played: controllers start no regions",
                "the data, line 9: the region is not played: its seq_position is greater than its seq_length",
            ])
        #expect(file.regionCount == 4)
    }

    @Test("the articulation of the default keyswitch is played, otherwise that of the lowest one")
    func keyswitches() throws {
        let text = """
            <global> sw_lokey=24 sw_hikey=26 <group> sw_last=25 <region> sample=a.wav key=60
            <group> sw_last=24 <region> sample=a.wav key=61 <region> sample=a.wav key=63 sw_down=30
            <group> <region> sample=a.wav key=62
            """
        #expect(try folder.load(text).zones.map(\.keys.lowerBound) == [61, 62])
        let other = try folder.load("<control> <global> sw_default=25\n" + text.replacing("<global>", with: "<master>"))
        #expect(other.zones.map(\.keys.lowerBound) == [60, 62])
        #expect(other.problems.contains { $0.description.contains("another keyswitch than 25") })
    }

    @Test("a file that cannot be read, or plays nothing, is an error that says why")
    func errors() throws {
        func reason(_ body: () throws -> Void) -> String {
            do { try body() } catch { return "\(error)" }
            return "no error"
        }
        #expect(reason { _ = try SFZFile(path: folder.path + "/none.sfz") }.contains("check the path"))
        #expect(reason { _ = try SFZFile(path: folder.path) }.contains("is not a file"))
        #expect(reason { _ = try folder.read("") }.contains("no region with a sound file"))
        #expect(reason { _ = try folder.read("<region> sample=*sine") }.contains("'*sine' is not supported"))
        #expect(reason { _ = try folder.load("<region> sample=none.wav") }.contains("check the path"))
        #expect(reason { _ = try folder.read("<region> sample=a.wav").load(memoryLimit: 3_999) }.contains("allow more"))
        #expect(throws: Never.self) { try folder.read("<region> sample=a.wav").load(memoryLimit: 4_000) }
    }
}
