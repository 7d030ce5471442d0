import AudioSessionTypes
import Testing

@testable import DesktopBridge

/// The published position and its jumps, on a clock that the tests set. No bus is involved.
@Suite("desktop: positions")
struct PositionTests {
    private static let second: UInt64 = 1_000_000_000

    /// Returns a player whose record is right at a time in seconds.
    private static func player(
        _ state: NowPlayingInfo.PlaybackState, at position: Double, since time: Double, track: String = "1",
        rate: Double = 1, duration: Double? = 300, session: UInt64 = 1
    ) -> MediaPlayer {
        let info = NowPlayingInfo(state, trackIdentifier: track, duration: duration, position: position, rate: rate)
        return MediaPlayer(
            name: "p", number: session, commands: [], playbackState: state,
            record: NowPlayingRecord(info: info, time: nanoseconds(time)))
    }

    private static func nanoseconds(_ seconds: Double) -> UInt64 { UInt64(seconds * Double(second)) }

    /// Publishes players one after another. Returns whether each has jumped, and the last one.
    private func publish(_ players: [(MediaPlayer, at: Double)]) -> (jumps: [Bool], last: PublishedPlayer?) {
        var last: PublishedPlayer?
        var jumps: [Bool] = []
        for (player, time) in players {
            let now = Self.nanoseconds(time)
            let next = PublishedPlayer(player)
            if let last { jumps.append(next.hasJumped(from: last, at: now)) }
            last = next
        }
        return (jumps, last)
    }

    @Test("REMOTE-3: the position follows from the record and the clock, at most to the end")
    func positions() {
        func position(_ player: MediaPlayer, at time: Double) -> Int64 {
            PublishedPlayer(player).position(at: Self.nanoseconds(time))
        }
        let playing = Self.player(.playing, at: 10, since: 100, rate: 1.5)
        #expect(position(playing, at: 100) == 10_000_000)
        #expect(position(playing, at: 102) == 13_000_000)
        #expect(position(playing, at: 99) == 10_000_000)
        #expect(position(playing, at: 10_000) == 300_000_000)
        #expect(position(Self.player(.paused, at: 10, since: 100), at: 102) == 10_000_000)
        #expect(position(Self.player(.stopped, at: 0, since: 100), at: 102) == 0)
        #expect(position(Self.player(.playing, at: .infinity, since: 0, duration: nil), at: 1) == .max)
        #expect(position(Self.player(.playing, at: .nan, since: 0, duration: nil), at: 1) == 0)
        #expect(position(Self.player(.playing, at: -5, since: 0, duration: -3), at: 1) == 0)
    }

    @Test("Pause, resumption, a change of rate and delayed publication are no jumps")
    func noJumps() {
        let (jumps, last) = publish([
            (Self.player(.playing, at: 10, since: 100), at: 100),
            (Self.player(.paused, at: 15, since: 105), at: 105.5),
            (Self.player(.playing, at: 15, since: 110), at: 110.5),
            (Self.player(.playing, at: 16, since: 111, rate: 2), at: 111.5),
            (Self.player(.playing, at: 18.1, since: 112, rate: 2), at: 112),
        ])
        #expect(jumps == [false, false, false, false])
        #expect(last?.position(at: Self.nanoseconds(113)) == 20_100_000)
    }

    @Test("A position that differs by more than 0.2 s is a jump, forward and backward, also while paused")
    func jumps() {
        let (jumps, _) = publish([
            (Self.player(.playing, at: 10, since: 100), at: 100),
            (Self.player(.playing, at: 15.19, since: 105), at: 105),
            (Self.player(.playing, at: 16.40, since: 106), at: 106),
            (Self.player(.playing, at: 10, since: 107), at: 107),
            (Self.player(.paused, at: 11, since: 108), at: 108),
            (Self.player(.paused, at: 50, since: 109), at: 109),
            (Self.player(.paused, at: 50, since: 110), at: 110),
        ])
        #expect(jumps == [false, true, true, false, true, false])
    }

    @Test("A track that begins at 0 is no jump; one that begins elsewhere is")
    func tracks() {
        let (jumps, _) = publish([
            (Self.player(.playing, at: 10, since: 100), at: 100),
            (Self.player(.playing, at: 0, since: 105, track: "2"), at: 105.1),
            (Self.player(.playing, at: 30, since: 106, track: "3"), at: 106),
            // Another session's track has been playing since before.
            (Self.player(.playing, at: 0, since: 90, track: "3", session: 2), at: 110),
        ])
        #expect(jumps == [false, true, true])
    }

    @Test("A stopped track is expected to start at 0")
    func stopped() {
        let (jumps, _) = publish([
            (Self.player(.stopped, at: 0, since: 100), at: 100),
            (Self.player(.playing, at: 0, since: 105), at: 105),
            (Self.player(.stopped, at: 10, since: 115), at: 115),
            (Self.player(.playing, at: 10, since: 120), at: 120),
        ])
        #expect(jumps == [false, false, true])
    }

    @Test("Without a record there is no position and no jump")
    func noRecord() {
        let empty = MediaPlayer(name: "p", number: 1, commands: [], playbackState: .playing, record: nil)
        let playing = Self.player(.playing, at: 0, since: 100)
        let (jumps, last) = publish([(playing, at: 100), (empty, at: 105), (playing, at: 100), (empty, at: 110)])
        #expect(jumps == [false, false, false])
        #expect(last?.position(at: Self.nanoseconds(112)) == 0)
    }

    @Test("Only properties that differ are changes")
    func changes() {
        let first = Self.player(.playing, at: 10, since: 100)
        func changes(_ change: (inout MediaPlayer) -> Void) -> PlayerProperties.Changes {
            var next = first
            change(&next)
            return PlayerProperties(next).changes(from: PlayerProperties(first))
        }
        #expect(changes { $0.record?.info.position = 99 } == .init(root: [], player: []))
        #expect(changes { $0.playbackState = .paused } == .init(root: [], player: ["PlaybackStatus"]))
        #expect(changes { $0.number = 2 } == .init(root: [], player: ["Metadata"]))
        #expect(changes { $0.record = nil } == .init(root: [], player: ["Metadata"]))
        #expect(changes { $0.name = "q" } == .init(root: ["Identity"], player: []))
        #expect(changes { $0.desktopEntry = "q" } == .init(root: ["DesktopEntry"], player: []))
        #expect(
            changes { $0.commands = [.quit, .setRate, .seek] }
                == .init(root: ["CanQuit"], player: ["MinimumRate", "MaximumRate", "CanSeek"]))
        var withEntry = first
        withEntry.desktopEntry = "q"
        // It ceases to exist.
        #expect(
            PlayerProperties(first).changes(from: PlayerProperties(withEntry)) == .init(root: [], player: []))
    }
}
