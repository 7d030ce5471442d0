import Foundation
import TestSupport
import Testing

/// `audiosession adopt` and settings that change while real programs play.
@Suite("foreign programs: settings", .serialized)
struct AdoptionSettingsTests {
    @Test(
        "A program that is ignored while it is lowered returns to its level, without a restart; reset lowers it again")
    func ignored() throws {
        let stage = try AdoptionStage()
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("pw-cat", "running"))
        let prompt = try stage.prompt()
        defer { prompt.send(SIGKILL) }
        try #require(recording.waits { $0.gain < 0.3 })
        #expect(try stage.audiosession("adopt", "list").contains("The role 'Game' of its streams decides"))
        try stage.audiosession("adopt", "ignore", "pw-cat")
        #expect(recording.waitsForUnity())
        #expect(try stage.audiosession("adopt", "list").contains("entry 'pw-cat': ignored"))
        #expect(try !stage.audiosession("status").contains("pw-cat"))
        try stage.audiosession("adopt", "reset", "pw-cat")
        #expect(recording.waits { $0.gain < 0.3 })
        try stage.audiosession("adopt", "set", "pw-cat", "--session", "music", "--attenuation", "40")
        #expect(recording.waits { $0.gain < 0.02 && $0.gain > 0 })
        let session = try stage.audiosession("adopt", "list")
        #expect(session.contains("The entry 'pw-cat' of the settings decides its session."), "\(session)")
    }

    @Test("A program that is ignored while a call holds it continues")
    func ignoredWhileHeld() throws {
        let stage = try AdoptionStage()
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        try #require(try stage.shows("pw-cat", "running"))
        try stage.audiosession("call", "ring")
        try #require(recording.waitsForSilence())
        try stage.audiosession("adopt", "ignore", "pw-cat")
        #expect(recording.waitsForUnity())
    }

    @Test("Files that are replaced apply; broken ones are reported, and the settings before them stay")
    func files() throws {
        let stage = try AdoptionStage()
        let program = try stage.desktop.play(role: "Game")
        defer { program.send(SIGKILL) }
        try #require(try stage.shows("pw-cat", "ambient", "running"))
        let folder = stage.desktop.folder.file("config/audiosession/")
        // As an editor saves it: a new file takes the place of the old one.
        func write(_ text: String, to name: String) throws {
            try text.write(toFile: folder + name, atomically: true, encoding: .utf8)
        }
        try write("foreign-programs: [{match: pw-cat, session: music}]\n", to: "audiosession.yaml")
        #expect(try stage.shows("pw-cat", "adopted, playback:", "running"))
        try write("foreign-programs: [{match: pw-cat, session: movie}]\n", to: "programs.yaml")
        #expect(try stage.shows("pw-cat", "moviePlayback", "running"))
        try write("foreign-programs: [{match: pw-cat, session: opera}]\n", to: "programs.yaml")
        #expect(eventually { stage.adoptionOutput.contains("Its previous entries stay in effect.") })
        try write("foreign-programs: {{\n", to: "audiosession.yaml")
        #expect(eventually { stage.adoptionOutput.contains("The previous settings stay in effect.") })
        #expect(try stage.shows("pw-cat", "moviePlayback", "running"))
        try FileManager.default.removeItem(atPath: folder + "programs.yaml")
        #expect(try stage.shows("pw-cat", "adopted, playback:", "running"))
    }
}
