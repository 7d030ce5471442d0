import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import SessionPolicy
import TestSupport
import Testing

/// Players that remote controls drive, and what they publish (REMOTE-1, REMOTE-3).
@Suite struct PlayerRemoteControlTests {
    private func send(_ command: RemoteCommand, _ host: AudioSessionHost) throws {
        try host.sendRemoteCommand(command)
        host.settle()
    }

    /// Waits until what the session publishes satisfies a condition, and returns it.
    private func published(
        _ session: AudioSession, _ condition: (NowPlayingInfo) -> Bool
    ) throws -> NowPlayingInfo {
        let remote = session.remoteControl
        #expect(eventually { remote.nowPlaying.map(condition) ?? false }, "\(String(describing: remote.nowPlaying))")
        return try #require(remote.nowPlaying)
    }

    @Test("REMOTE-1: play, pause, toggle, stop, skip, seek and rate drive a player; pause never starts it")
    func player() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        let remote = try PlayerRemoteControl(player)
        try player.play()
        _ = try stage.render(48_000)
        try send(.pause, stage.host)
        #expect(player.isPaused)
        try send(.pause, stage.host)
        #expect(player.isPaused)
        try send(.togglePlayPause, stage.host)
        #expect(player.isPlaying)
        try send(.seek(to: 0.5), stage.host)
        #expect(player.currentTime == 0.5)
        try send(.skip(by: 0.25), stage.host)
        #expect(player.currentTime == 0.75)
        try send(.skip(by: -10), stage.host)
        #expect(player.currentTime == 0)
        try send(.setRate(1.5), stage.host)
        #expect(player.rate == 1.5)
        try send(.stop, stage.host)
        #expect(!player.isPlaying && !player.isPaused && player.currentTime == 0)
        try send(.play, stage.host)
        #expect(player.isPlaying)
        #expect(throws: AudioSessionError.self) { try stage.host.sendRemoteCommand(.nextTrack) }
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-1: next, previous, shuffle and repeat drive a queue")
    func queue() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        for name in ["a", "b", "c"] {
            let samples = Signal.counting(frames: 48_000)
            queue.append(try stage.file("\(name).wav", [samples, samples]))
        }
        let remote = try PlayerRemoteControl(queue)
        try queue.play()
        _ = try stage.render(4_800)
        try send(.nextTrack, stage.host)
        #expect(queue.currentItem == queue.items[1])
        try send(.previousTrack, stage.host)
        #expect(queue.currentItem == queue.items[0])
        try send(.setRepeatMode(.all), stage.host)
        try send(.setShuffled(true), stage.host)
        #expect(queue.repeatMode == .all && queue.isShuffled)
        let info = try published(stage.session) { $0.isShuffled == true && $0.repeatMode == .all }
        #expect(info.title == "a" && info.playbackState == .playing && info.duration == 1)
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-3: a queue publishes each item when it is heard, and its end")
    func items() throws {
        let stage = try StereoFixture()
        let queue = try stage.queue()
        let samples = Signal.counting(frames: 24_000)
        for name in ["a", "b"] { queue.append(try stage.file("\(name).wav", [samples, samples])) }
        let remote = try PlayerRemoteControl(queue)
        #expect(try published(stage.session) { $0.title == "a" }.playbackState == .stopped)
        try queue.play()
        let first = try published(stage.session) { $0.playbackState == .playing }
        _ = try stage.render(30_000)
        let second = try published(stage.session) { $0.title == "b" }
        #expect(first.trackIdentifier != second.trackIdentifier && second.position < 0.2 && second.duration == 0.5)
        _ = try stage.render(48_000)
        #expect(try published(stage.session) { $0.playbackState == .stopped }.position == 0)
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-3: pause, seek, rate and repetition are published, and progress is not")
    func changes() throws {
        let stage = try PlaybackFixture()
        let player = stage.player
        player.numberOfLoops = -1
        let remote = try PlayerRemoteControl(player)
        try player.play()
        let playing = try published(stage.session) { $0.playbackState == .playing }
        #expect(playing.title == "count" && playing.duration == 2 && playing.rate == 1)
        _ = try stage.render(48_000)
        #expect(stage.session.remoteControl.nowPlaying == playing, "one second later")
        player.pause()
        let paused = try published(stage.session) { $0.playbackState == .paused }
        #expect(abs(paused.position - 1) < 0.01)
        player.currentTime = 1.5
        #expect(try published(stage.session) { $0.position == 1.5 }.playbackState == .paused)
        player.rate = 2
        #expect(try published(stage.session) { $0.rate == 2 }.position == 1.5)
        player.rate = 1
        try player.play()
        _ = try published(stage.session) { $0.playbackState == .playing && $0.rate == 1 }
        _ = try stage.render(48_000)
        #expect(try published(stage.session) { $0.position < 1 }.playbackState == .playing, "the next repetition")
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-3, INT-9: an interruption is published as a pause, and the end as playing")
    func interruption() throws {
        let stage = try PlaybackFixture()
        let remote = try PlayerRemoteControl(stage.player)
        try stage.player.play()
        _ = try stage.render(4_800)
        try stage.host.beginInterruption(by: .call)
        stage.host.settle()
        _ = try published(stage.session) { $0.playbackState == .paused }
        try stage.host.endInterruption()
        stage.host.settle()
        _ = try published(stage.session) { $0.playbackState == .playing }
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-3: title, artist and album come from the file, else its name is the title")
    func tags() throws {
        let stage = try StereoFixture()
        let path = stage.directory.file("tagged.flac")
        let sox = Process()
        sox.executableURL = URL(fileURLWithPath: "/usr/bin/sox")
        sox.arguments = [
            "-n", "-r", "48000", "-c", "2", "--add-comment", "TITLE=Ein Lied", "--add-comment", "ARTIST=Jemand",
            "--add-comment", "ALBUM=Alles", path, "synth", "1", "sine", "440",
        ]
        try sox.run()
        sox.waitUntilExit()
        #expect(sox.terminationStatus == 0)
        let tags = try AudioFile(path: path).tags
        #expect(tags.title == "Ein Lied" && tags.artist == "Jemand" && tags.album == "Alles")
        let player = try AudioPlayer(path: path, session: stage.session)
        let remote = try PlayerRemoteControl(player)
        let info = try published(stage.session) { $0.title == "Ein Lied" }
        #expect(info.artist == "Jemand" && info.album == "Alles" && info.artworkURL == nil)
        let plain = PlaybackSource.file(stage.directory.file("some.other.name.wav"))
        #expect(PlayerRemoteControl.description(plain).title == "some.other.name")
        #expect(PlayerRemoteControl.description(.data([1], name: "A download")).title == "A download")
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-3: an app's own description adds artwork; texts that are too long are shortened")
    func description() throws {
        let stage = try PlaybackFixture()
        do {
            let remote = try PlayerRemoteControl(stage.player) { _ in
                NowPlayingInfo(.stopped, title: "Own", artworkURL: "https://example.org/cover.png")
            }
            #expect(try published(stage.session) { $0.title == "Own" }.artworkURL == "https://example.org/cover.png")
            withExtendedLifetime(remote) {}
        }
        #expect(stage.session.remoteControl.nowPlaying == nil && stage.session.remoteControl.handledCommands.isEmpty)
        let long = try PlayerRemoteControl(stage.player) { _ in
            NowPlayingInfo(.stopped, title: String(repeating: "ä", count: 5_000), artworkURL: "cover.png")
        }
        let info = try published(stage.session) { $0.duration == 2 }
        #expect(info.title == String(repeating: "ä", count: 512) && info.artworkURL == nil)
        #expect(stage.session.lastRefusal == nil)
        withExtendedLifetime(long) {}
    }

    @Test("REMOTE-1: the remote control keeps its player, and both end with it")
    func lifetime() throws {
        let stage = try PlaybackFixture()
        weak var weakPlayer: AudioPlayer?
        do {
            let remote = try PlayerRemoteControl(try stage.makePlayer())
            try stage.session.setActive(true)
            stage.session.setPlaying(true)
            try send(.play, stage.host)
            #expect(try published(stage.session) { $0.playbackState == .playing }.title == "count")
            withExtendedLifetime(remote) {}
        }
        do {
            let player = try stage.makePlayer()
            weakPlayer = player
            let remote = try PlayerRemoteControl(player)
            try player.play()
            withExtendedLifetime(remote) {}
        }
        #expect(eventually { weakPlayer == nil })
        #expect(stage.session.remoteControl.nowPlaying == nil && stage.session.remoteControl.handledCommands.isEmpty)
    }

    @Test("REMOTE-1, REMOTE-3: a remote control that replaces another one keeps the commands and what it publishes")
    func replaced() throws {
        let stage = try PlaybackFixture()
        var remote = try PlayerRemoteControl(stage.player) { _ in NowPlayingInfo(.stopped, title: "First") }
        _ = try published(stage.session) { $0.title == "First" }
        try stage.session.remoteControl.setHandler(for: [.quit]) { _ in }
        let next = try stage.makePlayer()
        remote = try PlayerRemoteControl(next) { _ in NowPlayingInfo(.stopped, title: "Next") }
        try next.play()
        _ = try published(stage.session) { $0.title == "Next" && $0.playbackState == .playing }
        try send(.pause, stage.host)
        #expect(next.isPaused)
        #expect(stage.session.remoteControl.handledCommands.contains(.quit), "the app's own handler stays")
        // The same player, connected again.
        remote = try PlayerRemoteControl(next) { _ in NowPlayingInfo(.stopped, title: "Again") }
        _ = try published(stage.session) { $0.title == "Again" }
        try send(.play, stage.host)
        #expect(next.isPlaying)
        withExtendedLifetime(remote) {}
    }

    @Test("REMOTE-3: before a timed start the position stands still")
    func timedStart() throws {
        let stage = try PlaybackFixture()
        let remote = try PlayerRemoteControl(stage.player)
        try stage.session.setActive(true)
        try stage.player.play(atFrame: stage.host.engine.get().currentFrame + 4_800)
        #expect(try published(stage.session) { $0.playbackState == .paused }.position == 0)
        _ = try stage.render(9_600)
        _ = try published(stage.session) { $0.playbackState == .playing }
        stage.player.stop()
        try stage.player.play(atFrame: .max)
        _ = try published(stage.session) { $0.playbackState == .paused }
        withExtendedLifetime(remote) {}
    }
}
