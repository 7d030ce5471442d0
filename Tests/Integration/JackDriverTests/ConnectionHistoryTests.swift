import AudioRendering
import Foundation
import TestSupport
import Testing

@testable import JackDriver

/// Tests of the connection history, and of how blocks of ports get their channels and names.
@Suite("Connection history")
struct ConnectionHistoryTests {
    private let a = PortLink(direction: .output, own: "out_1", far: "Phones:playback_1")
    private let b = PortLink(direction: .output, own: "out_2", far: "Phones:playback_2")
    private let start = ContinuousClock.now

    @Test(
        "SRV-2: a connection is restored when its remote port returns, although the server disconnected it before the port disappeared"
    )
    func leaves() {
        var history = ConnectionHistory()
        #expect(history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { _ in false }).isEmpty)
        // The client dies: its connections disappear before its ports.
        #expect(history.update(with: [], now: start, exists: { _ in true }, wasRegistered: { _ in false }).isEmpty)
        #expect(history.update(with: [], now: start, exists: { _ in false }, wasRegistered: { _ in false }).isEmpty)
        #expect(history.awaited == [a, b])
        let back = history.update(with: [], now: start, exists: { $0 == a.far }, wasRegistered: { _ in true })
        #expect(back == [a])
        history.record(a, isMade: true)
        #expect(history.restorable == [a, b])
    }

    @Test("SRV-2: a device that disappears or returns in parts gets no connections by default again")
    func parts() {
        var block = PortBlock(direction: .output, first: 0, count: 2, prefix: "out")
        #expect(block.firstLinks(to: [a.far, b.far], besides: []) == [a, b])
        block.setFar([a.far, b.far])
        // The user removes connection a; then the first port disappears before the second one.
        block.setFar([b.far])
        #expect(block.firstLinks(to: [a.far, b.far], besides: [b]).isEmpty)
        block.setFar([a.far, b.far])
        // A port that is new to the device is connected.
        let c = PortLink(direction: .output, own: "out_1", far: "Phones:playback_0")
        #expect(block.firstLinks(to: [c.far, b.far], besides: [b]) == [c])
        block.forgetFar()
        #expect(block.firstLinks(to: [a.far, b.far], besides: []) == [a, b])
    }

    @Test("A user-removed connection stays removed, also when its remote port disappears later")
    func takenApart() {
        var history = ConnectionHistory()
        _ = history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        _ = history.update(with: [b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        #expect(history.restorable == [b])
        let later = start + ConnectionHistory.grace + .seconds(1)
        _ = history.update(with: [b], now: later, exists: { _ in true }, wasRegistered: { _ in false })
        _ = history.update(with: [], now: later, exists: { _ in false }, wasRegistered: { _ in false })
        #expect(history.awaited == [b])
    }

    @Test("Who removed a connection is decided only by a check after the grace period")
    func decided() {
        var history = ConnectionHistory()
        _ = history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        #expect(!history.isUndecided)
        _ = history.update(with: [b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        #expect(history.isUndecided)
        let later = start + ConnectionHistory.grace + .milliseconds(50)
        _ = history.update(with: [b], now: later, exists: { _ in true }, wasRegistered: { _ in false })
        #expect(!history.isUndecided && history.restorable == [b])
        _ = history.update(with: [], now: later + .seconds(60), exists: { _ in false }, wasRegistered: { _ in false })
        let back = history.update(
            with: [], now: later + .seconds(61), exists: { _ in true }, wasRegistered: { _ in true })
        #expect(back == [b])
    }

    @Test("A remote port that disappeared and returned between two checks is connected again")
    func renewed() {
        var history = ConnectionHistory()
        _ = history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        let back = history.update(with: [], now: start, exists: { _ in true }, wasRegistered: { $0 == a.far })
        #expect(back == [a])
    }

    @Test("A remote port that returned between two checks is connected again, also after the grace period")
    func renewedLate() {
        var history = ConnectionHistory()
        _ = history.update(with: [a], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        _ = history.update(with: [], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        let later = start + ConnectionHistory.grace + .seconds(1)
        let back = history.update(with: [], now: later, exists: { _ in true }, wasRegistered: { _ in true })
        #expect(back == [a] && !history.isUndecided)
    }

    @Test("A remote port that returned is connected again while the server still lists its previous connections")
    func renewedBeforeCycle() {
        var history = ConnectionHistory()
        _ = history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        let back = history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { $0 == a.far })
        #expect(back == [a])
        // Its name may belong to a port that has disappeared again.
        let none = history.update(with: [a, b], now: start, exists: { _ in false }, wasRegistered: { _ in true })
        #expect(none.isEmpty && history.restorable == [a, b])
    }

    @Test("Remote ports whose names do not recur, and released ports of the app, are forgotten")
    func bounded() {
        var history = ConnectionHistory()
        let many = Set(
            (0...ConnectionHistory.maximumAwaited).map { PortLink(direction: .output, own: "out_1", far: "x:\($0)") })
        _ = history.update(with: many, now: start, exists: { _ in true }, wasRegistered: { _ in false })
        _ = history.update(with: [], now: start, exists: { _ in false }, wasRegistered: { _ in false })
        #expect(history.restorable.isEmpty)
        _ = history.update(with: [a, b], now: start, exists: { _ in true }, wasRegistered: { _ in false })
        history.forget(["out_1"])
        #expect(history.restorable == [b])
    }

    @Test("Blocks get the first free channels, and fewer if not enough are free")
    func channels() {
        func block(_ first: Int, _ count: Int) -> PortBlock {
            PortBlock(direction: .output, first: first, count: count, prefix: "p")
        }
        #expect(PortBlock.freeChannels(2, avoiding: [], limit: 64) == 0..<2)
        #expect(PortBlock.freeChannels(2, avoiding: [block(0, 2), block(4, 2)], limit: 64) == 2..<4)
        #expect(PortBlock.freeChannels(4, avoiding: [block(0, 2), block(4, 2)], limit: 64) == 6..<10)
        #expect(PortBlock.freeChannels(64, avoiding: [block(0, 2)], limit: 64) == 2..<64)
        #expect(PortBlock.freeChannels(8, avoiding: [block(0, 2), block(5, 59)], limit: 64) == 2..<5)
        #expect(PortBlock.freeChannels(1, avoiding: [block(0, 64)], limit: 64) == nil)
    }

    @Test(
        "Ports are named after their device",
        arguments: [
            ("Headphones", "headphones"), ("Kitchen: Speaker (2)", "kitchen-speaker-2"), ("日本", "device"),
            ("out", "out-2"), ("Taken", "taken-2"), ("", "device"),
        ])
    func names(_ name: String, _ prefix: String) {
        let taken = PortBlock(direction: .output, first: 0, count: 1, prefix: "taken")
        let port = DevicePort(uid: "u", name: name, type: .virtual, direction: .output, channels: 2)
        #expect(PortBlock.prefix(for: port, avoiding: [taken]) == prefix)
        let input = DevicePort(uid: "u", name: "Headset", type: .headsetMic, direction: .input, channels: 1)
        #expect(PortBlock.prefix(for: input, avoiding: []) == "headset_in")
    }

    @Test("Connections are saved in a file, including those of absent ports; an invalid file counts as missing")
    func file() throws {
        let folder = try TemporaryDirectory()
        let path = folder.file("state")
        let out = PortBlock(direction: .output, first: 0, count: 2, prefix: "out")
        let phones = PortBlock(direction: .output, first: 2, count: 2, prefix: "phones")
        let file = ConnectionFile(client: "an app/..", folder: path)
        #expect(file.links(of: out) == nil)
        file.write([a], of: [out])
        let link = PortLink(direction: .output, own: "phones_1", far: b.far)
        file.write([link], of: [phones])
        let again = ConnectionFile(client: "an app/..", folder: path)
        #expect(again.links(of: out) == [a])
        #expect(again.links(of: phones) == [link])
        #expect(ConnectionFile(client: "another", folder: path).links(of: out) == nil)
        try "no JSON".write(toFile: path + "/an_app_...json", atomically: true, encoding: .utf8)
        #expect(ConnectionFile(client: "an app/..", folder: path).links(of: out) == nil)
    }
}
