internal import SessionArbiter
internal import SessionPolicy

/// Checks that all apps use the same server, and that the type of each device is known.
struct DeviceTypes: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        guard case .running(let report, _) = machine.arbiter() else { return [] }
        return servers(report) + types(report, machine)
    }

    private func servers(_ report: ArbiterReport) -> [Finding] {
        let check = "apps' servers"
        let servers = SessionNames(report).servers
        switch servers.count {
        case 0: return []
        case 1: return [.ok(check, servers[0])]
        default:
            return [
                .warning(
                    check,
                    servers.joined(separator: "; ") + ": apps on one server cannot use the devices of another",
                    fix: "start all apps with the same JACK_DEFAULT_SERVER, and all or none through pw-jack")
            ]
        }
    }

    private func types(_ report: ArbiterReport, _ machine: Machine) -> [Finding] {
        let check = "devices"
        let devices = report.system.devices.filter { $0.server != nil }
        let unknown = devices.filter { $0.uid == AudioDevice.serverUID }
        guard !unknown.isEmpty else {
            return devices.isEmpty ? [] : [.ok(check, "\(Text.count(devices.count, "device")) of known type")]
        }
        let names = unknown.map { device in
            "'\(device.ports.first?.name ?? device.uid)'"
                + (device.server.map { " (\(ServerView.title(of: $0)))" } ?? "")
        }
        return [
            .warning(
                check,
                "\(Text.list(names)) \(names.count == 1 ? "is" : "are") of unknown type, so other devices are preferred",
                fix:
                    """
                    describe it in \(machine.configuration): under 'devices', with match: "…" (a client or port \
                    that `jack_lsp` lists, such as "system:playback_*") and its type, for example type: lineOut
                    """)
        ]
    }
}
