@testable import AudioPlayback
import AudioSessions
import Foundation
import TestSupport
import Testing

/// The lookup of sounds by name, on themes that the test writes.
@Suite struct SoundThemeTests {
    private let directory: TemporaryDirectory

    init() throws { directory = try TemporaryDirectory() }

    /// Creates empty files, given by their paths below the folders `own` and `shared`.
    private func touch(_ paths: String...) throws {
        for path in paths { try write(path, "") }
    }

    private func write(_ path: String, _ text: String) throws {
        let file = directory.file(path)
        try FileManager.default.createDirectory(
            atPath: (file as NSString).deletingLastPathComponent, withIntermediateDirectories: true)
        try Data(text.utf8).write(to: URL(fileURLWithPath: file))
    }

    /// Writes the index of a theme.
    private func index(_ theme: String, inherits: String? = nil, _ folders: [(name: String, profile: String)]) throws {
        let text =
            "[Sound Theme]\nName=A theme\n# a comment\n" + (inherits.map { "Inherits=\($0)\n" } ?? "")
            + "Directories = " + folders.map(\.name).joined(separator: ",") + "\n"
            + folders.map { "[\($0.name)]\nOutputProfile=\($0.profile)\n" }.joined()
        try write("shared/sounds/\(theme)/index.theme", text)
    }

    private func theme(_ name: String? = nil, _ more: [String: String] = [:]) -> SoundTheme {
        var environment = ["XDG_DATA_HOME": directory.file("own"), "XDG_DATA_DIRS": directory.file("shared")]
        environment.merge(more) { $1 }
        return SoundTheme(name, environment: environment)
    }

    private func file(_ path: String) -> SoundTheme.Entry { .file(directory.file(path)) }

    @Test("A sound is found in its theme; oga precedes wav, and stereo precedes other profiles")
    func found() throws {
        try index("freedesktop", [("5.1", "5.1"), ("stereo", "stereo")])
        try touch(
            "shared/sounds/freedesktop/stereo/bell.wav", "shared/sounds/freedesktop/stereo/bell.oga",
            "shared/sounds/freedesktop/5.1/bell.oga", "shared/sounds/freedesktop/5.1/message.wav")
        #expect(theme().entry(of: "bell") == file("shared/sounds/freedesktop/stereo/bell.oga"))
        #expect(theme().entry(of: "message") == file("shared/sounds/freedesktop/5.1/message.wav"))
        #expect(theme().entry(of: "complete") == nil)
    }

    @Test("The user's folder precedes the system's, also for a theme that is installed there")
    func folders() throws {
        try index("freedesktop", [("stereo", "stereo")])
        try touch("shared/sounds/freedesktop/stereo/bell.oga", "own/sounds/freedesktop/stereo/bell.wav")
        #expect(theme().entry(of: "bell") == file("own/sounds/freedesktop/stereo/bell.wav"))
    }

    @Test("A theme inherits sounds, in order and also in a circle, and ends with freedesktop")
    func inheritance() throws {
        try index("a", inherits: "b, c", [("stereo", "stereo")])
        try index("b", inherits: "a", [("stereo", "stereo")])
        try index("c", [("stereo", "stereo")])
        try index("freedesktop", [("stereo", "stereo")])
        try touch(
            "shared/sounds/b/stereo/one.oga", "shared/sounds/c/stereo/one.oga", "shared/sounds/c/stereo/two.oga",
            "shared/sounds/freedesktop/stereo/two.oga", "shared/sounds/freedesktop/stereo/three.oga")
        #expect(theme("a").entry(of: "one") == file("shared/sounds/b/stereo/one.oga"))
        #expect(theme("a").entry(of: "two") == file("shared/sounds/c/stereo/two.oga"))
        #expect(theme("a").entry(of: "three") == file("shared/sounds/freedesktop/stereo/three.oga"))
        #expect(theme("missing").entry(of: "three") == file("shared/sounds/freedesktop/stereo/three.oga"))
    }

    @Test("A less specific name stands in, but only when no theme has the whole name")
    func lessSpecific() throws {
        try index("a", [("stereo", "stereo")])
        try index("freedesktop", [("stereo", "stereo")])
        try touch(
            "shared/sounds/a/stereo/dialog-warning.oga", "shared/sounds/freedesktop/stereo/dialog-warning-disk.oga")
        #expect(
            theme("a").entry(of: "dialog-warning-disk")
                == file("shared/sounds/freedesktop/stereo/dialog-warning-disk.oga"))
        #expect(theme("a").entry(of: "dialog-warning-fan-slow") == file("shared/sounds/a/stereo/dialog-warning.oga"))
        #expect(theme("a").entry(of: "dialog") == nil)
    }

    @Test("A theme that disables a sound hides the one that it would inherit")
    func disabled() throws {
        try index("a", [("stereo", "stereo")])
        try index("freedesktop", [("stereo", "stereo")])
        try touch("shared/sounds/a/stereo/bell.disabled", "shared/sounds/freedesktop/stereo/bell.oga")
        #expect(theme("a").entry(of: "bell") == .disabled)
    }

    @Test("A sound in the user's language precedes the one for all")
    func languages() throws {
        try index("freedesktop", [("stereo", "stereo")])
        let folder = "shared/sounds/freedesktop/stereo"
        try touch("\(folder)/bell.oga", "\(folder)/de/bell.oga", "\(folder)/de_AT/message.oga")
        #expect(theme(nil, ["LANG": "de_AT.UTF-8"]).entry(of: "bell") == file("\(folder)/de/bell.oga"))
        #expect(theme(nil, ["LC_ALL": "de_AT@euro"]).entry(of: "message") == file("\(folder)/de_AT/message.oga"))
        #expect(theme(nil, ["LANG": "fr"]).entry(of: "bell") == file("\(folder)/bell.oga"))
        #expect(theme(nil, ["LANG": "../de"]).entry(of: "bell") == file("\(folder)/bell.oga"))
    }

    @Test("A sound outside every theme is found, as apps install them")
    func unthemed() throws {
        try touch("shared/sounds/my-app-alarm.wav")
        #expect(theme().entry(of: "my-app-alarm") == file("shared/sounds/my-app-alarm.wav"))
    }

    @Test("Names and indexes that point elsewhere find nothing")
    func hostile() throws {
        try touch("own/secret.oga")
        try write("shared/sounds/evil/index.theme", "[Sound Theme]\nDirectories=../../own,/own\nInherits=../..,,evil\n")
        #expect(theme("evil").entry(of: "secret") == nil)
        for name in ["", "../secret", "/etc/passwd", "-", "--", String(repeating: "a-", count: 5_000)] {
            #expect(theme("evil").entry(of: name) == nil)
        }
        #expect(theme("../../own").entry(of: "secret") == nil)
    }

    @Test("The environment names the theme; an argument takes precedence")
    func choice() {
        #expect(theme().name == "freedesktop")
        #expect(theme(nil, ["AUDIOSESSION_SOUND_THEME": "ocean"]).name == "ocean")
        #expect(theme("yaru", ["AUDIOSESSION_SOUND_THEME": "ocean"]).name == "yaru")
        #expect(SoundTheme(environment: ["HOME": "/home/a"]).folders.first == "/home/a/.local/share/sounds")
        #expect(SoundTheme(environment: ["XDG_DATA_DIRS": "relative:/b"]).folders == ["/b/sounds"])
    }

    @Test("The errors name the sound, the theme and what to do")
    func errors() {
        let missing = #expect(throws: SystemSoundError.self) { try SystemSound("no such sound", theme: "none") }
        let text = missing.map { "\($0)" } ?? ""
        #expect(text.contains("'no such sound'") && text.contains("'none'") && text.contains("sound-theme-freedesktop"))
        #expect(
            SystemSoundError.disabled(name: "bell", theme: "quiet").description.contains("disables the sound 'bell'"))
    }

    @Test("PLAY-4: every sound of Debian's theme loads by its name")
    func installed() throws {
        for name: SystemSound.Name in [
            .bell, .message, .messageNewInstant, .complete, .dialogError, .dialogWarning, .dialogInformation,
            .cameraShutter, .trashEmpty, .deviceAdded, .phoneIncomingCall,
        ] {
            let sound = try SystemSound(name, theme: "freedesktop")
            #expect((0.05...30).contains(sound.duration), "\(name)")
        }
    }
}
