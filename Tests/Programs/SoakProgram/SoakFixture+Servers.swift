import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestRandom
import TestSupport

/// Servers that die, hang, and are patched by others (group SRV).
extension SoakFixture {
    func endServer(_ fault: Fault, _ random: inout SeededGenerator) throws -> Fault {
        let isOther = random.oneIn(4)
        let rate = isOther ? random.pick([44_100, 96_000]) : 48_000
        let period = isOther ? random.pick([128, 512, 1_024]) : 256
        if random.oneIn(2) { try patchSomething(&random) }
        let before = driverEvents.noted
        let (losses, returns) = (before.count { $0 == .serverLost }, before.count(where: isReturn))
        let number = journal.note("\(fault.rawValue); returns with \(rate) Hz, \(period) frames")
        for listener in listeners { listener.begin(Span(event: number, nature: .fades)) }
        let (place, frames) = (music.currentTime, gameVoice?.framesRendered ?? 0)
        var begin = Date()
        server.end(inOrder: fault == .serverEnded)
        if !driverEvents.wait(limit: 20, until: { $0.count { $0 == .serverLost } > losses }) {
            examiner.note("The server was ended, and that was not told in 20 s (SRV-1).")
        }
        if server.kind != .managed {
            // SRV-1: calls meanwhile throw, and do not hang.
            do {
                _ = try engine.requestPeriod(frames: 512)
                examiner.note("A call to a dead server succeeded (SRV-1).")
            } catch {}
        }
        let devices = try loseDevices()
        if server.kind != .managed {
            try server.start(sampleRate: rate, periodFrames: period)
            begin = Date()
        }
        guard driverEvents.wait(limit: 60, until: { $0.count(where: isReturn) > returns }), letPass(256) else {
            throw TestFailure("The server returned, and nothing is rendered on it in 60 s (SRV-2).")
        }
        counts.recoveries.append(Date().timeIntervalSince(begin))
        checkPlace(of: place, frames)
        try plugMicrophone()
        for device in devices { try plug(device.name, device.kind, returns: true) }
        return fault
    }

    private func isReturn(_ event: DriverEvent) -> Bool {
        if case .serverReturned = event { true } else { false }
    }

    /// SRV-2: players go on at their position.
    private func checkPlace(of time: Double, _ frames: UInt64) {
        let now = music.currentTime
        let later = (now - time + music.duration).truncatingRemainder(dividingBy: music.duration)
        if later > 10 { examiner.note("Music stood at \(time) s, and after the server's return at \(now) s (SRV-2).") }
        if let voice = gameVoice, voice.state == .ended || voice.framesRendered < frames, !counts.isDeckOn {
            examiner.note(
                "A voice had played \(frames) frames, and after the server's return \(voice.framesRendered), \(voice.state) (SRV-2)."
            )
        }
    }

    /// A call to a server that answers nobody comes back all the same; thawed, it goes on.
    func freezeServer() {
        event("server frozen") {
            server.freeze()
            let begin = Date()
            do { _ = try engine.requestPeriod(frames: 300) } catch { journal.note("as it must: \(error)") }
            if Date().timeIntervalSince(begin) > 10 {
                examiner.note("A call to a frozen server took \(Date().timeIntervalSince(begin)) s, and has 3.")
            }
            server.thaw()
            if !letPass(4_800) { examiner.note("A server was thawed, and nothing is rendered.") }
        }
    }

    /// A device stands still in the midst of the graph, and goes on. Others may wait for it, in a server that runs all within the period.
    func freezeClient(_ random: inout SeededGenerator) throws {
        let listener = random.pick(listeners)
        try event("\(listener.name) is frozen", .cut) {
            kill(listener.device.identifier, SIGSTOP)
            letPass(4_800, limit: 2)
            kill(listener.device.identifier, SIGCONT)
            if !letPass(4_800) { throw TestFailure("A client was frozen and thawed, and nothing is rendered.") }
        }
        // What the server has thrown out is plugged in anew.
        if listener.device.hasEnded {
            try unplug(listener, inOrder: true)
            try plug(listener.name, listener.kind)
        }
    }

    // ---- Others' patching ---------------------------------------------------------------------------------------------------------

    /// Our outputs and what they are connected to.
    private func links() throws -> [(from: String, to: String)] {
        var links: [(from: String, to: String)] = []
        var own = ""
        for line in try run("jack_lsp", ["-c"]).split(separator: "\n").map(String.init) {
            if !line.hasPrefix(" ") {
                own = line
            } else if own.hasPrefix("session-soak:") {
                let other = line.trimmingCharacters(in: .whitespaces)
                if listeners.contains(where: { other.hasPrefix($0.name + ":playback") }) { links.append((own, other)) }
            }
        }
        return links
    }

    func repatch(_ random: inout SeededGenerator) throws {
        let links = try links()
        guard !links.isEmpty else { return }
        let link = random.pick(links)
        guard let listener = listeners.first(where: { link.to.hasPrefix($0.name + ":") }) else { return }
        try event("another client takes \(link.from) from \(link.to), and gives it back", .cut, on: listener) {
            try run("jack_disconnect", [link.from, link.to])
            letPass(2_400)
            try run("jack_connect", [link.from, link.to])
            letPass(2_400)
        }
    }

    /// A user's own connection, which is to be there after the server's return, too; to the server's own ports, where nobody listens.
    private func patchSomething(_ random: inout SeededGenerator) throws {
        let from = "session-soak:out_\(1 + random.below(2))"
        try event("another client connects \(from)", .graph) {
            try run("jack_connect", [from, "system:playback_\(1 + random.below(2))"])
            settle()
        }
    }

    func foreignClient() throws {
        try event("another client comes, connects, and dies", .graph) {
            let client = try ChildProcess(
                "jack_metro", ["-b", "120", "-n", "foreign"], environment: server.environment)
            let ports = wait(limit: 10) { (try? run("jack_lsp", ["foreign"]).contains("foreign:")) ?? false }
            if ports, let port = try run("jack_lsp", ["foreign"]).split(separator: "\n").first {
                try run("jack_connect", [String(port), "session-soak:in_1"])
                letPass(2_400)
            }
            client.send(SIGKILL)
            client.reap()
            settle()
        }
    }
}
