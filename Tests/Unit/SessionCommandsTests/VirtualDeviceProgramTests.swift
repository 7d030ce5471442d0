import Foundation
import TestSupport
import Testing

/// `audiosession device` on a running server.
@Suite(.serialized) struct VirtualDeviceProgramTests {
    private let server: JackServer
    private let audiosession: AudiosessionRun

    init() throws {
        server = try JackServer(try ServerName())
        audiosession = try AudiosessionRun(server.environment)
    }

    private var listed: [[String: Any]] {
        get throws { try audiosession.object("device list")["devices"] as? [[String: Any]] ?? [] }
    }

    // SIM-4
    @Test("SIM-4: a virtual device is a program on the running server, and ends when it is unplugged")
    func plugged() throws {
        let name = "phones-\(getpid())"
        let done = try audiosession.object("device plug \(name) --type headphones --inputs 1")
        #expect(done["silent"] as? Bool == false)
        let device = try #require(try listed.first { $0["name"] as? String == name })
        #expect(device["virtual"] as? Bool == true && device["silent"] as? Bool == false)
        #expect(device["server"] as? String == done["server"] as? String || !TestServer.current.isJackd)
        #expect((device["ports"] as? [[String: Any]])?.map { $0["type"] as? String } == ["headphones", "headsetMic"])
        #expect(try audiosession("device plug \(name) --type hdmi").status == 64, "already exists")
        #expect(try audiosession("device unplug \(name)").status == 0)
        #expect(try !listed.contains { $0["name"] as? String == name })
    }

    // SIM-4
    @Test("SIM-4: a virtual device ends with its server")
    func serverEnds() throws {
        let name = "screen-\(getpid())"
        _ = try audiosession.object("device plug \(name) --type hdmi")
        let process = try #require(try Self.process(of: name))
        server.kill()
        try OtherProcess.waitForEnd(of: process)
        #expect(try !listed.contains { $0["name"] as? String == name })
    }

    private static func process(of name: String) throws -> pid_t? {
        try FileManager.default.contentsOfDirectory(atPath: "/proc").compactMap { pid_t($0) }.first { process in
            let text = FileManager.default.contents(atPath: "/proc/\(process)/cmdline")?.split(separator: 0) ?? []
            return text.first.map { String(decoding: $0, as: UTF8.self).hasSuffix("/audiosession-device") } == true
                && text.contains { String(decoding: $0, as: UTF8.self) == name }
        }
    }
}
