internal import SessionArbiter
internal import SessionPolicy

/// Which servers the apps use, and whether each device there is known for what it is.
struct DeviceKinds: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        guard case .running(let report, _) = machine.arbiter() else { return [] }
        return servers(report) + kinds(report, machine)
    }

    private func servers(_ report: ArbiterReport) -> [Finding] {
        let check = "apps' servers"
        let servers = Directory(report).servers
        switch servers.count {
        case 0: return []
        case 1: return [.fine(check, servers[0])]
        default:
            return [
                .note(
                    check,
                    servers.joined(separator: "; ") + ": apps on one see and hear nothing of the other's devices",
                    cure: "start them with one JACK_DEFAULT_SERVER, all through pw-jack, or none")
            ]
        }
    }

    private func kinds(_ report: ArbiterReport, _ machine: Machine) -> [Finding] {
        let check = "devices"
        let devices = report.system.devices.filter { $0.server != nil }
        let unknown = devices.filter { $0.uid == Device.serverUID }
        guard !unknown.isEmpty else {
            return devices.isEmpty ? [] : [.fine(check, "\(Text.count(devices.count, "device")) of known kinds")]
        }
        let names = unknown.map { device in
            "'\(device.ports.first?.name ?? device.uid)'"
                + (device.server.map { " (\(ServerView.title(of: $0)))" } ?? "")
        }
        return [
            .note(
                check,
                "it is not known what \(Text.list(names)) \(names.count == 1 ? "is" : "are"), so any other goes before",
                cure:
                    """
                    name it in \(machine.configuration): [[device]], match = "…" (a client or a port that `jack_lsp` lists, such as \
                    "system:playback_*"), and type = "lineOut" or whichever it is
                    """)
        ]
    }
}
