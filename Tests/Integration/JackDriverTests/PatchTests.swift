import AudioRendering
import Foundation
import TestSupport
import Testing

@testable import JackDriver

/// What is remembered of connections, and where blocks of ports get their channels and names.
@Suite("Patching")
struct PatchTests {
    private let a = PortLink(direction: .output, own: "out_1", far: "Phones:playback_1")
    private let b = PortLink(direction: .output, own: "out_2", far: "Phones:playback_2")
    private let start = ContinuousClock.now

    @Test("SRV-2: a connection whose far end leaves comes back with it, though it was taken apart before its port went")
    func leaves() {
        var patch = PatchMemory()
        #expect(patch.look(at: [a, b], now: start, exists: { _ in true }, isRenewed: { _ in false }).isEmpty)
        // The client dies: first its connections go, then its ports.
        #expect(patch.look(at: [], now: start, exists: { _ in true }, isRenewed: { _ in false }).isEmpty)
        #expect(patch.look(at: [], now: start, exists: { _ in false }, isRenewed: { _ in false }).isEmpty)
        #expect(patch.awaited == [a, b])
        let back = patch.look(at: [], now: start, exists: { $0 == a.far }, isRenewed: { _ in true })
        #expect(back == [a])
        patch.note(a, isMade: true)
        #expect(patch.restorable == [a, b])
    }

    @Test("One that somebody took apart stays so, also when its far end leaves later")
    func takenApart() {
        var patch = PatchMemory()
        _ = patch.look(at: [a, b], now: start, exists: { _ in true }, isRenewed: { _ in false })
        _ = patch.look(at: [b], now: start, exists: { _ in true }, isRenewed: { _ in false })
        #expect(patch.restorable == [b])
        let later = start + PatchMemory.grace + .seconds(1)
        _ = patch.look(at: [b], now: later, exists: { _ in true }, isRenewed: { _ in false })
        _ = patch.look(at: [], now: later, exists: { _ in false }, isRenewed: { _ in false })
        #expect(patch.awaited == [b])
    }

    @Test("One that was taken apart is undecided until a look after the grace, whatever happens next")
    func decided() {
        var patch = PatchMemory()
        _ = patch.look(at: [a, b], now: start, exists: { _ in true }, isRenewed: { _ in false })
        #expect(!patch.isUndecided)
        _ = patch.look(at: [b], now: start, exists: { _ in true }, isRenewed: { _ in false })
        #expect(patch.isUndecided)
        let later = start + PatchMemory.grace + .milliseconds(50)
        _ = patch.look(at: [b], now: later, exists: { _ in true }, isRenewed: { _ in false })
        #expect(!patch.isUndecided && patch.restorable == [b])
        _ = patch.look(at: [], now: later + .seconds(60), exists: { _ in false }, isRenewed: { _ in false })
        let back = patch.look(at: [], now: later + .seconds(61), exists: { _ in true }, isRenewed: { _ in true })
        #expect(back == [b])
    }

    @Test("A far end that was away and back between two looks is connected again")
    func renewed() {
        var patch = PatchMemory()
        _ = patch.look(at: [a, b], now: start, exists: { _ in true }, isRenewed: { _ in false })
        let back = patch.look(at: [], now: start, exists: { _ in true }, isRenewed: { $0 == a.far })
        #expect(back == [a])
    }

    @Test("Far ends under ever new names are forgotten, and so are own ports that are given back")
    func bounded() {
        var patch = PatchMemory()
        let many = Set((0...PatchMemory.mostAwaited).map { PortLink(direction: .output, own: "out_1", far: "x:\($0)") })
        _ = patch.look(at: many, now: start, exists: { _ in true }, isRenewed: { _ in false })
        _ = patch.look(at: [], now: start, exists: { _ in false }, isRenewed: { _ in false })
        #expect(patch.restorable.isEmpty)
        _ = patch.look(at: [a, b], now: start, exists: { _ in true }, isRenewed: { _ in false })
        patch.forget(["out_1"])
        #expect(patch.restorable == [b])
    }

    @Test("Blocks get the first channels that are free, and fewer where there are no more")
    func channels() {
        func block(_ first: Int, _ count: Int) -> PortBlock {
            PortBlock(direction: .output, first: first, count: count, prefix: "p")
        }
        #expect(PortBlock.freeChannels(2, besides: [], limit: 64) == 0..<2)
        #expect(PortBlock.freeChannels(2, besides: [block(0, 2), block(4, 2)], limit: 64) == 2..<4)
        #expect(PortBlock.freeChannels(4, besides: [block(0, 2), block(4, 2)], limit: 64) == 6..<10)
        #expect(PortBlock.freeChannels(64, besides: [block(0, 2)], limit: 64) == 2..<64)
        #expect(PortBlock.freeChannels(8, besides: [block(0, 2), block(5, 59)], limit: 64) == 2..<5)
        #expect(PortBlock.freeChannels(1, besides: [block(0, 64)], limit: 64) == nil)
    }

    @Test(
        "Ports are called after their device",
        arguments: [
            ("Headphones", "headphones"), ("Kitchen: Speaker (2)", "kitchen-speaker-2"), ("日本", "device"),
            ("out", "out-2"), ("Taken", "taken-2"), ("", "device"),
        ])
    func names(_ name: String, _ prefix: String) {
        let taken = PortBlock(direction: .output, first: 0, count: 1, prefix: "taken")
        let port = HardwarePort(uid: "u", name: name, kind: .virtual, direction: .output, channels: 2)
        #expect(PortBlock.prefix(for: port, besides: [taken]) == prefix)
        let input = HardwarePort(uid: "u", name: "Headset", kind: .headsetMic, direction: .input, channels: 1)
        #expect(PortBlock.prefix(for: input, besides: []) == "headset_in")
    }

    @Test("Connections are kept in a file, those of ports that are away too; what is no such file is as none")
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
