import AudioInstruments
import AudioRendering
import Foundation
import Testing

/// Files on the disk.
@Suite struct MIDIFileDiskTests {
    let testFolder: TestFolder
    let file = MIDIFile(tracks: [.init(events: [.init(tick: 5, .text("a"))])])

    var folder: String { testFolder.path }

    init() throws { testFolder = try TestFolder() }

    private func cause<Result>(_ body: () throws -> Result) -> MIDIFileError.Cause? {
        let error = #expect(throws: MIDIFileError.self) { _ = try body() }
        #expect(error?.path != nil)
        return error?.cause
    }

    @Test("a file is written and read, also under a name that is not UTF-8")
    func names() throws {
        try file.write(to: folder + "/a.mid")
        #expect(try MIDIFile(path: folder + "/a.mid") == file)
        let latin = AudioFilePath(bytes: Array(folder.utf8) + [UInt8(ascii: "/"), 0xE9])
        try file.write(to: latin)
        #expect(try MIDIFile(path: latin) == file)
        let long = folder + "/" + String(repeating: "x", count: 251) + ".mid"
        try file.write(to: long)
        #expect(try MIDIFile(path: long) == file)
    }

    @Test("an existing file is replaced, keeps its permissions, and remains if the new one is invalid")
    func replacement() throws {
        let path = folder + "/a.mid"
        try Data([1, 2, 3]).write(to: URL(fileURLWithPath: path))
        try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
        try FileManager.default.createSymbolicLink(atPath: folder + "/link.mid", withDestinationPath: "a.mid")
        #expect(cause { try MIDIFile(format: .singleTrack, tracks: []).write(to: path) } == .trackCount(0, format: 0))
        #expect(FileManager.default.contents(atPath: path) == Data([1, 2, 3]))
        try file.write(to: folder + "/link.mid")
        #expect(try MIDIFile(path: path) == file)
        #expect(try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int == 0o640)
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: folder + "/link.mid") == "a.mid")
        #expect(try testFolder.entries() == ["a.mid", "link.mid"])
    }

    @Test("what cannot be read or written is refused with the reason")
    func refused() throws {
        #expect(cause { try MIDIFile(path: folder + "/none") } == .notFound)
        #expect(cause { try MIDIFile(path: "a\0b") } == .notFound)
        #expect(cause { try MIDIFile(path: folder) } == .notAFile)
        #expect(cause { try MIDIFile(path: "/dev/zero") } == .notAFile)
        let pipe = folder + "/pipe"
        #expect(mkfifo(pipe, 0o600) == 0)
        #expect(cause { try MIDIFile(path: pipe) } == .notAFile)
        #expect(cause { try file.write(to: pipe) } == .notAFile)
        #expect(cause { try file.write(to: "/dev/null") } == .notAFile)
        #expect(cause { try file.write(to: folder) } == .notAFile)
        let tooLong = folder + "/" + String(repeating: "x", count: 300)
        for path in [folder + "/none/a.mid", "", "a\0b", folder + "/a.mid/", tooLong] {
            guard case .notWritable = cause({ try file.write(to: path) }) else {
                Issue.record("'\(path)' is not refused")
                continue
            }
        }
        #expect(try testFolder.entries() == ["pipe"])
        // Files without content but with a size: neither is read into memory.
        let huge = folder + "/huge"
        for (content, expected) in [
            ("RIFF", MIDIFileError.Cause.tooLarge(byteCount: 1 << 40, limit: MIDIFile.maximumByteCount)),
            ("text", .notMIDI),
        ] {
            try Data(content.utf8).write(to: URL(fileURLWithPath: huge))
            #expect(truncate(huge, 1 << 40) == 0)
            #expect(cause { try MIDIFile(path: huge) } == expected)
        }
        try Data().write(to: URL(fileURLWithPath: huge))
        let error = #expect(throws: MIDIFileError.self) { try MIDIFile(path: huge) }
        #expect(error?.cause == .notMIDI)
        #expect(error?.path == huge)
        #expect(error.map { "\($0)".contains("'\(huge)'") } == true)
    }
}
