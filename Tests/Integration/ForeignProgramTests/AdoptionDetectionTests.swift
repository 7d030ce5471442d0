import Foundation
import TestSupport
import Testing

/// Programs that lower others only while they are audible.
@Suite("foreign programs: announcements", .serialized)
struct AdoptionDetectionTests {
    @Test("An assistant lowers music while it speaks, and not in its pauses (DUCK-2)")
    func announcements() throws {
        let stage = try AdoptionStage()
        let music = try stage.desktop.play(role: "Game")
        defer { music.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        let times = TestLength.times(4, long: 20)
        let assistant = try stage.desktop.speak(times: times + 1)
        defer { assistant.send(SIGKILL) }
        #expect(try stage.shows("pw-cat", "voicePrompt", "ducks only while audible"))
        #expect(try stage.audiosession("status", "--verbose").contains("only while its streams are audible"))
        let period = SpeechSignal.silence + SpeechSignal.speech
        try #require(eventually(seconds: Double(5 * times + 60)) { recording.frames().announcements.count >= times })
        try #require(recording.waits(frames: period))
        let frames = recording.frames()
        var delays: [Int] = []
        for announcement in frames.announcements.prefix(times) {
            // The pause before it: after the hold and the release of the previous one. Without
            // cycles that PipeWire skips.
            let pause = frames[max(0, announcement.lowerBound - 4_096)..<announcement.lowerBound]
                .filter { $0.gain > 0 }
            #expect(pause.count > 2_048 && pause.allSatisfy { $0.gain == 1 }, "It is lowered before the announcement.")
            let lowered = frames[announcement.lowerBound...].firstIndex { $0.gain > 0 && $0.gain < 1 }
            delays.append((lowered ?? frames.count) - announcement.lowerBound)
            let end = frames[max(announcement.lowerBound, announcement.upperBound - 4_096)..<announcement.upperBound]
                .filter { $0.gain > 0 }
            #expect(
                end.count > 2_048 && end.allSatisfy { abs($0.gain - 0.199_526) < 1e-4 }, "It is not lowered by 14 dB.")
        }
        // A busy machine delays single messages.
        #expect(delays.sorted()[times / 2] < 12_000, "frames until others are lowered: \(delays)")
    }

    @Test("A kill of the stream controller changes that for a moment only")
    func controllerKilled() throws {
        let stage = try AdoptionStage()
        let music = try stage.desktop.play(role: "Game")
        defer { music.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        let assistant = try stage.desktop.speak()
        defer { assistant.send(SIGKILL) }
        func lowers() -> Bool {
            eventually(seconds: 30) {
                recording.frames(from: max(0, recording.count - 4_096)).allSatisfy { $0.gain < 0.3 }
            }
                && eventually(seconds: 30) {
                    recording.frames(from: max(0, recording.count - 4_096)).allSatisfy { $0.gain == 1 }
                }
        }
        #expect(lowers())
        for _ in 0..<2 {
            try stage.killController()
            #expect(lowers())
        }
        #expect(!stage.adoptionOutput.contains("cannot be detected"), "\(stage.adoptionOutput)")
    }

    @Test("By a setting, a program lowers others while it plays; `adopt set` changes it at once")
    func settings() throws {
        let stage = try AdoptionStage(settings: "adoption: {ducks-only-while-audible: false}\n")
        let music = try stage.desktop.play(role: "Game")
        defer { music.send(SIGKILL) }
        let recording = try stage.desktop.record()
        try #require(recording.waitsForUnity())
        let assistant = try stage.desktop.speak()
        defer { assistant.send(SIGKILL) }
        // For longer than a pause between two announcements.
        try #require(try stage.shows("pw-cat", "ambient", "ducked"))
        let begin = recording.count
        try #require(recording.waits(frames: 2 * (SpeechSignal.silence + SpeechSignal.speech)))
        #expect(recording.frames(from: begin + 24_000).allSatisfy { $0.gain < 0.3 })
        try stage.audiosession("adopt", "set", "pw-cat", "--ducks-only-while-audible", "true")
        #expect(recording.waitsForUnity())
        #expect(try stage.shows("pw-cat", "ducks only while audible"))
    }
}
