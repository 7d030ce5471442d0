import AudioSessions
import Foundation
import SessionArbiter
import SessionPolicy
import TestSupport
import Testing

/// The session's remote control (REMOTE-1…3), in one process and between apps.
@Suite struct RemoteControlTests {
    @Test("REMOTE-1: a handler receives its commands, the events too, and others are refused")
    func handlers() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        let received = EventLog<RemoteCommand>()
        try session.remoteControl.setHandler(for: [.play, .pause, .seek]) { received.note($0) }
        #expect(session.remoteControl.handledCommands == [.play, .pause, .seek])
        #expect(throws: AudioSessionError.self) { try stage.host.sendRemoteCommand(.pause) }
        try session.setActive(true)
        session.setPlaying(true)
        try stage.host.sendRemoteCommand(.seek(to: 12.5))
        try stage.host.sendRemoteCommand(.togglePlayPause)
        try stage.drain()
        #expect(received.noted == [.seek(to: 12.5), .pause])
        let error = #expect(throws: AudioSessionError.self) { try stage.host.sendRemoteCommand(.nextTrack) }
        #expect(error?.errorCode == .badParam && error?.description.contains("play, pause, seek") == true)
        try session.remoteControl.setHandler(for: [.seek], nil)
        #expect(throws: AudioSessionError.self) { try stage.host.sendRemoteCommand(.seek(to: 1)) }
    }

    @Test("REMOTE-1: events deliver commands in order")
    func events() async throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try session.remoteControl.setHandler(for: [.play, .pause]) { _ in }
        try session.setActive(true)
        session.setPlaying(true)
        let events = session.events
        try stage.host.sendRemoteCommand(.pause)
        try stage.host.sendRemoteCommand(.play)
        var received: [RemoteCommand] = []
        for await event in events {
            if case .remoteCommand(let command) = event { received.append(command) }
            if received.count == 2 { break }
        }
        #expect(received == [.pause, .play])
    }

    @Test("REMOTE-3: invalid information throws and leaves what was published")
    func invalid() throws {
        let stage = HostFixture()
        let session = try stage.session(.playback)
        try session.remoteControl.setNowPlaying(NowPlayingInfo(.playing, title: "A"))
        let error = #expect(throws: AudioSessionError.self) {
            try session.remoteControl.setNowPlaying(NowPlayingInfo(.playing, artworkURL: "cover.png"))
        }
        #expect(error?.errorCode == .badParam && error?.description.contains("file:, http: or https:") == true)
        #expect(session.remoteControl.nowPlaying?.title == "A")
        #expect(stage.host.arbiter.status(of: .init(session.id))?.session.nowPlaying?.info.title == "A")
    }

    /// An app of its own, arbitrated by the service.
    private struct App {
        let host: AudioSessionHost
        let session: AudioSession
        let received = EventLog<RemoteCommand>()

        init(_ service: ServiceFolder, options: AudioSession.CategoryOptions = []) throws {
            let driver = OfflineDriver(sampleRate: 48_000, channels: 1, inputChannels: 1, periodFrames: 256)
            host = AudioSessionHost(
                driver: driver, arbiter: try RemoteArbiter(at: try ArbiterAddress(path: service.socket)))
            session = try AudioSession(host: host)
            try session.setCategory(.playback, options: options)
            let received = received
            try session.remoteControl.setHandler(for: [.play, .pause]) { received.note($0) }
        }

        func play() throws {
            try session.setActive(true)
            session.setPlaying(true)
        }
    }

    @Test("SRV-3, REMOTE-3: what an app published while no arbiter ran is right with the next one")
    func outage() throws {
        let service = try ServiceFolder()
        let app = try App(service)
        try app.play()
        try app.session.remoteControl.setNowPlaying(NowPlayingInfo(.playing, title: "First", position: 5))
        service.send(SIGSTOP)
        try app.session.remoteControl.setHandler(for: [.seek]) { _ in }
        let before = DispatchTime.now().uptimeNanoseconds
        try app.session.remoteControl.setNowPlaying(NowPlayingInfo(.playing, title: "Second", position: 100))
        let after = DispatchTime.now().uptimeNanoseconds
        poll(nil, 0, 600)  // the length of the outage
        let killed = DispatchTime.now().uptimeNanoseconds
        service.send(SIGKILL)
        let id = SessionID(app.session.id)
        let arrived = eventually {
            let known = app.host.arbiter.status(of: id)?.session
            return known?.nowPlaying?.info.title == "Second" && known?.remoteCommands.contains(.seek) == true
        }
        #expect(arrived)
        // The next arbiter counts from when it receives the position, so it is late by the way
        // there.
        let delay = Double(DispatchTime.now().uptimeNanoseconds - killed) / 1e9
        let known = try #require(app.host.arbiter.status(of: id)?.session.nowPlaying)
        let now = DispatchTime.now().uptimeNanoseconds
        let age = known.position(at: now) - 100
        #expect((Double(now - after) / 1e9 - delay...Double(now - before) / 1e9 + 0.001).contains(age))
    }

    @Test("REMOTE-2: of two apps the one that played last answers, and any program may send the command")
    func twoApps() throws {
        let service = try ServiceFolder()
        let (one, two, mixing) = (try App(service), try App(service), try App(service, options: .mixWithOthers))
        try one.play()
        try two.play()
        try mixing.play()
        try one.host.sendRemoteCommand(.pause)
        #expect(two.received.wait { $0.count == 1 } && two.received.noted == [.pause])
        try one.play()
        try two.host.sendRemoteCommand(.play)
        #expect(one.received.wait { $0.count == 1 } && one.received.noted == [.play])
        #expect(two.received.noted.count == 1 && mixing.received.noted.isEmpty)
    }
}
