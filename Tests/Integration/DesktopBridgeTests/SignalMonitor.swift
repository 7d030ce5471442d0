import Foundation
import TestSupport

/// The signals of the player's object, as dbus-monitor prints them.
final class SignalMonitor {
    private let desktop: PrivateBus
    private let monitor: ChildProcess
    private var markers = 0

    init(_ desktop: PrivateBus) throws {
        self.desktop = desktop
        monitor = try ChildProcess(
            "dbus-monitor", ["--address", desktop.address, "type='signal',path='/org/mpris/MediaPlayer2'"])
        // It loses its name when it becomes a monitor.
        guard eventually({ [monitor] in monitor.output.contains("member=NameLost") }) else {
            throw TestFailure("dbus-monitor did not become ready: \(monitor.output)")
        }
        _ = try signals {}
    }

    deinit {
        monitor.send(SIGKILL)
        monitor.reap()
    }

    /// Returns the signals that the player has sent because of `action`, in order, in short:
    /// `Player: PlaybackStatus, Metadata` for PropertiesChanged, `Seeked 5000000`.
    func signals(of action: () throws -> Void) throws -> [String] {
        let begin = marker
        try action()
        // The reply comes after what was published, and the marker after the reply.
        try BusClient(desktop.address).call("org.freedesktop.DBus.Peer", "Ping")
        markers += 1
        try desktop.run(
            "dbus-send", "--bus=\(desktop.address)", "--type=signal", "/org/mpris/MediaPlayer2",
            "test.Markers." + marker)
        var text: [Substring] = []
        let isComplete = eventually {
            // Each signal begins in the first column.
            text = monitor.output.split(separator: /\n(?=signal )/)
            return text.last?.hasSuffix("member=\(marker)\n") ?? false
        }
        guard isComplete else { throw TestFailure("dbus-monitor printed no marker: \(monitor.output)") }
        let first = text.firstIndex { $0.hasSuffix("member=\(begin)") }.map { $0 + 1 } ?? 0
        return text[first...].dropLast().filter { !$0.contains("org.freedesktop.DBus; member=Name") }.map(summary)
    }

    private var marker: String { "m\(markers)" }

    private func summary(of signal: Substring) -> String {
        let lines = signal.split(separator: "\n")
        guard lines[0].hasSuffix("interface=org.freedesktop.DBus.Properties; member=PropertiesChanged") else {
            let member = lines[0].split(separator: "member=").last ?? ""
            let values = lines.dropFirst().compactMap { $0.split(separator: " ").last }
            return ([member] + values).joined(separator: " ")
        }
        let interface = lines[1].split(separator: "\"")[1].split(separator: ".").last ?? ""
        // The names of the outer dictionary have nine columns before them, invalidated ones six.
        let names = lines.compactMap { $0.firstMatch(of: /^(?: {9}| {6})string "(.*)"$/)?.1 }
        return "\(interface): " + names.joined(separator: ", ")
    }
}
