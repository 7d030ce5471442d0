import ArbiterService
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

@testable import SessionCommands

/// `audiosession adopt`, with real files.
@Suite struct AdoptionCommandTests {
    private let folder: TemporaryDirectory
    private let adoption: Adoption
    private let file: ProgramEntriesFile
    private let own: String

    init() throws {
        folder = try TemporaryDirectory()
        // The folder is created on demand.
        file = ProgramEntriesFile(path: folder.file("config/audiosession/programs.yaml"))
        own = folder.file("audiosession.yaml")
        adoption = Adoption(entriesFile: file, configuration: own) { true }
    }

    private func write(_ text: String, to path: String) throws {
        try text.write(toFile: path, atomically: true, encoding: .utf8)
    }

    @Test("Entries are added first, changed in place and removed, and the file is read again as written")
    func changes() throws {
        let name = "a \"quoted\" \\ *&b: {é} #1"
        #expect(try adoption.ignore("mpv").text == "'mpv': ignored.")
        #expect(try adoption.set(name, kind: .movie, attenuation: nil).text.hasSuffix("': movie."))
        #expect(try adoption.set(name, kind: nil, attenuation: 20.5).text.contains("movie, lowered by 20.5 dB"))
        #expect(
            try file.read().entries == [.init(name, kind: .movie, attenuation: 20.5), .init("mpv", isIgnored: true)])
        #expect(try adoption.set("mpv", kind: nil, attenuation: 3).text == "'mpv': lowered by 3 dB.")
        _ = try adoption.set("mpv", kind: .game, attenuation: nil)
        #expect(try file.read().entries.map(\.isIgnored) == [false, false])
        _ = try adoption.reset(name)
        #expect(try file.read().entries == [.init("mpv", kind: .game, attenuation: 3)])
        let change = try adoption.set("mpv", kind: nil, attenuation: nil, ducksOnlyWhileAudible: false)
        #expect(change.text == "'mpv': game, lowered by 3 dB, lowers others while it plays.")
        #expect(
            try file.read().entries == [.init("mpv", kind: .game, attenuation: 3, ducksOnlyWhileAudible: false)])
        _ = try adoption.reset("mpv")
        #expect(try file.read().entries == [] && file.read().warnings == [])
    }

    @Test(
        "Names with characters that YAML does not take verbatim are read again",
        arguments: [
            "\u{85}", "\u{9B}", "\u{FFFE}", "\u{2028}", "\u{202E}", "\u{1F600}", "é\u{E000}", "&a", "\\",
        ])
    func names(part: String) throws {
        for name in [part, "a\(part)b"] {
            _ = try adoption.ignore(name)
            #expect(try file.read().entries.contains { $0.name == name })
        }
        // One that only consists of a byte order mark cannot be read again, and changes nothing.
        #expect(throws: CommandError.self) { try adoption.ignore("\u{FEFF}") }
        #expect(try file.read().entries.count == 2)
    }

    @Test("A new file is its user's only; one that is a link, or has another mode, stays so")
    func link() throws {
        func mode(_ path: String) throws -> Int? {
            try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
        }
        _ = try adoption.ignore("mpv")
        #expect(try mode(file.path) == 0o600)
        let target = folder.file("dotfiles.yaml")
        try FileManager.default.moveItem(atPath: file.path, toPath: target)
        try FileManager.default.setAttributes([.posixPermissions: 0o644], ofItemAtPath: target)
        try FileManager.default.createSymbolicLink(atPath: file.path, withDestinationPath: target)
        _ = try adoption.ignore("vlc")
        #expect(try FileManager.default.destinationOfSymbolicLink(atPath: file.path) == target)
        #expect(try ProgramEntriesFile(path: target).read().entries.map(\.name) == ["vlc", "mpv"])
        #expect(try mode(target) == 0o644)
        let files = try FileManager.default.contentsOfDirectory(atPath: folder.file("config/audiosession")).sorted()
        #expect(files == ["programs.yaml", "programs.yaml.lock"])
    }

    @Test("The user's own file is not changed; `set` keeps what it says, and its entries come last")
    func ownFile() throws {
        let text = "# mine\nforeign-programs:\n  - match: mpv\n    session: movie\n"
        try write(text, to: own)
        _ = try adoption.set("mpv", kind: nil, attenuation: 6)
        #expect(try file.read().entries == [.init("mpv", kind: .movie, attenuation: 6)])
        #expect(try String(contentsOfFile: own, encoding: .utf8) == text)
        let list = try adoption.list(nil)
        #expect(
            list.text.hasSuffix(
                "entry 'mpv': movie, lowered by 6 dB (\(file.path))\nentry 'mpv': movie (\(own))"))
        _ = try adoption.reset("mpv")
        let error = #expect(throws: CommandError.self) { try adoption.reset("mpv") }
        #expect(error?.status == .noInput && error?.message.contains("only you can remove") == true)
    }

    @Test(
        "A broken file is reported and stays as it is", arguments: ["foreign-programs: {{", "duck: {attenuation: 3}"])
    func broken(text: String) throws {
        _ = try adoption.ignore("mpv")
        try write(text, to: file.path)
        let error = #expect(throws: CommandError.self) { try adoption.ignore("vlc") }
        #expect(error?.message.contains("'\(file.path)' is not applied: line ") == true, "\(error?.message ?? "")")
        #expect(try String(contentsOfFile: file.path, encoding: .utf8) == text)
    }

    @Test("Names that no entry can have, and a file that cannot be written, are reported")
    func errors() throws {
        for name in ["", "a\u{1b}", String(repeating: "a", count: 129)] {
            #expect(throws: CommandError.self) { try adoption.ignore(name) }
        }
        let nowhere = Adoption(entriesFile: .init(path: "/proc/audiosession/programs.yaml"), configuration: own) {
            true
        }
        let error = #expect(throws: CommandError.self) { try nowhere.ignore("mpv") }
        #expect(error?.status == .tryAgain && error?.message.contains("cannot be written") == true)
    }

    @Test("The list shows adopted programs with what decided, and only those")
    func list() throws {
        let arbiter = try PolicyArbiterClient.scene()
        let session = try arbiter.add(app: 104, .playback)
        arbiter.adopted = [.init(app: AppID(104), program: "/usr/bin/mpv", by: AppID(105))]
        arbiter.descriptions = [
            .init(
                session: session,
                description: .init(name: "mpv", evidence: "role", detail: "Movie", controls: ["level", "hold"])),
            .init(
                session: SessionID(1),
                description: .init(name: "an app that names itself", evidence: "settings", controls: ["level"])),
        ]
        let list = try adoption.list(arbiter.report)
        let text = list.text
        #expect(text.hasPrefix("session \(session.rawValue) (mpv, pid 104): adopted, playback: inactive"))
        #expect(text.hasSuffix("It is controlled by the level of its streams and holding its streams."))
        let object = try JSONSerialization.jsonObject(with: Data(list.json.utf8)) as? [String: Any]
        let programs = try #require(object?["programs"] as? [[String: Any]])
        #expect(programs.count == 1 && programs.first?["program"] as? String == "/usr/bin/mpv")
        #expect(programs.first?["controls"] as? [String] == ["level", "hold"])
        // An older audiosession-adopt does not describe what it adopts.
        arbiter.descriptions = []
        #expect(
            try adoption.list(arbiter.report).text == "session \(session.rawValue) (mpv, pid 104): "
                + "adopted, playback: inactive (DUCK-7 by session 3 (maps, pid 103))")
        let idle = Adoption(entriesFile: file, configuration: own) { false }
        #expect(try idle.list(nil).text.contains("audiosession-adopt does not run"))
    }
}
