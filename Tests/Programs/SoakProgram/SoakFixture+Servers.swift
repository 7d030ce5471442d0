import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import TestRandom
import TestSupport

/// Servers that die, hang, and whose connections others change (group SRV).
extension SoakFixture {
    /// Ends the server and starts it again, possibly with another sample rate and buffer size.
    /// Checks that the driver reports the loss and recovers, and that playback continues at its
    /// position.
    func endServer(_ fault: Fault, _ random: inout SeededGenerator) throws -> Fault {
        let isOther = random.oneIn(4)
        let rate = isOther ? random.pick([44_100, 96_000]) : 48_000
        let period = isOther ? random.pick([128, 512, 1_024]) : 256
        if random.oneIn(2) { try addUserConnection(&random) }
        let before = driverEvents.noted
        let (losses, returns) = (before.count { $0 == .serverLost }, before.count(where: isReturn))
        let number = journal.note("\(fault.rawValue); returns with \(rate) Hz, \(period) frames")
        for listener in listeners { listener.begin(Span(event: number, nature: .fades)) }
        let (position, frames) = (music.currentTime, gameVoice?.framesRendered ?? 0)
        var begin = Date()
        server.end(inOrder: fault == .serverEnded)
        if !driverEvents.wait(limit: 20, until: { $0.count { $0 == .serverLost } > losses }) {
            checker.note("The server ended, but the driver did not report it within 20 s (SRV-1).")
        }
        if server.kind != .managed {
            // SRV-1: calls meanwhile throw and do not hang.
            do {
                _ = try engine.requestPeriod(frames: 512)
                checker.note("A call to a dead server succeeded (SRV-1).")
            } catch {}
        }
        let devices = try removeLostDevices()
        if server.kind != .managed {
            try server.start(sampleRate: rate, periodFrames: period)
            begin = Date()
        }
        guard driverEvents.wait(limit: 60, until: { $0.count(where: isReturn) > returns }), letPass(256) else {
            throw TestFailure("The server returned, but nothing was rendered within 60 s (SRV-2).")
        }
        counts.recoveries.append(Date().timeIntervalSince(begin))
        checkPosition(of: position, frames)
        try plugMicrophone()
        for device in devices { try plug(device.name, device.kind, returns: true) }
        return fault
    }

    private func isReturn(_ event: DriverEvent) -> Bool {
        if case .serverReturned = event { true } else { false }
    }

    /// SRV-2: players continue at their position.
    private func checkPosition(of time: Double, _ frames: UInt64) {
        let now = music.currentTime
        let advance = (now - time + music.duration).truncatingRemainder(dividingBy: music.duration)
        if advance > 10 {
            checker.note("The music was at \(time) s, but is at \(now) s after the server's return (SRV-2).")
        }
        if let voice = gameVoice, voice.state == .ended || voice.framesRendered < frames, !counts.isDeckOn {
            checker.note(
                "A voice had rendered \(frames) frames, but has \(voice.framesRendered) after the server's return, \(voice.state) (SRV-2)."
            )
        }
    }

    /// Suspends the server process. A call to the unresponsive server must return within its
    /// timeout; after the process resumes, rendering must continue.
    func suspendServer() {
        event("server suspended") {
            server.suspend()
            let begin = Date()
            do { _ = try engine.requestPeriod(frames: 300) } catch {
                journal.note("the call failed as expected: \(error)")
            }
            if Date().timeIntervalSince(begin) > 10 {
                checker.note(
                    "A call to a suspended server took \(Date().timeIntervalSince(begin)) s; its timeout is 3 s.")
            }
            server.resume()
            if !letPass(4_800) { checker.note("The server process has resumed, but nothing is rendered.") }
        }
    }

    /// Suspends and resumes the process of a device in the graph. On a server whose clients run
    /// within the period, the other clients may wait for it.
    func suspendClient(_ random: inout SeededGenerator) throws {
        let listener = random.pick(listeners)
        try event("\(listener.name) is suspended", .cut) {
            kill(listener.device.identifier, SIGSTOP)
            letPass(4_800, limit: 2)
            kill(listener.device.identifier, SIGCONT)
            if !letPass(4_800) { throw TestFailure("A client was suspended and resumed, but nothing is rendered.") }
        }
        // Plugs the device in again if the server has removed it.
        if listener.device.hasEnded {
            try unplug(listener, inOrder: true)
            try plug(listener.name, listener.kind)
        }
    }

    // ---- Connections by other clients
    // ---------------------------------------------------------------

    /// Returns this app's outputs and the ports that they are connected to.
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

    func reconnect(_ random: inout SeededGenerator) throws {
        let links = try links()
        guard !links.isEmpty else { return }
        let link = random.pick(links)
        guard let listener = listeners.first(where: { link.to.hasPrefix($0.name + ":") }) else { return }
        try event("another client disconnects \(link.from) from \(link.to), and connects it again", .cut, on: listener)
        {
            try run("jack_disconnect", [link.from, link.to])
            letPass(2_400)
            try run("jack_connect", [link.from, link.to])
            letPass(2_400)
        }
    }

    /// Makes a user's own connection, which the driver must restore after the server's return. It
    /// is to the server's own ports, which no device records.
    private func addUserConnection(_ random: inout SeededGenerator) throws {
        let from = "session-soak:out_\(1 + random.below(2))"
        try event("another client connects \(from)", .graph) {
            try run("jack_connect", [from, "system:playback_\(1 + random.below(2))"])
            settle()
        }
    }

    func foreignClient() throws {
        try event("another client opens, connects, and dies", .graph) {
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
