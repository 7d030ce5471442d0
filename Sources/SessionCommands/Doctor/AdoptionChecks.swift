internal import DesktopBridge

/// Checks what `audiosession-adopt` can reach, and whether something else lowers programs too.
struct AdoptionCheck: DoctorCheck {
    private static let check = "adoption"

    func examine(_ machine: Machine) -> [Finding] {
        guard let process = machine.adoption() else { return [notRunning(machine)] }
        let (bus, pipeWire) = (busFinding(machine), machine.pipeWire())
        let findings = bus + pipeWireFindings(pipeWire)
        guard case .running(let inspection) = pipeWire else { return findings }
        let scope = bus.isEmpty ? "streams and media players" : "streams"
        return [.ok(Self.check, "running, pid \(process): \(scope), PipeWire \(inspection.version)")] + findings
    }

    private func notRunning(_ machine: Machine) -> Finding {
        for (name, variable) in [("audiosession-adopt", nil), ("audiosession-hand", "AUDIOSESSION_HAND")]
        where machine.program(name) == nil {
            return .warning(
                Self.check,
                "the program \(name) is missing, so that programs which do not use the library cannot be adopted",
                fix: "install it next to audiosession" + (variable.map { ", or set \($0) to its path" } ?? ""))
        }
        return .ok(
            Self.check,
            "audiosession-adopt does not run, so programs that do not use the library are not lowered; "
                + "`audiosession-adopt` starts it")
    }

    private func busFinding(_ machine: Machine) -> [Finding] {
        switch machine.sessionBus() {
        case .reachable: []
        case .absent(let reason), .unreachable(let reason):
            [
                .warning(
                    Self.check,
                    "media players are not seen, because the session bus cannot be reached (\(reason)): their streams "
                        + "are held instead",
                    fix: "start audiosession-adopt in the desktop's session")
            ]
        }
    }

    private func pipeWireFindings(_ state: PipeWireState) -> [Finding] {
        switch state {
        case .absent(let reason):
            return [
                .warning(
                    Self.check, "only media players are controlled, without lowering them: \(reason)",
                    fix: "systemctl --user start pipewire wireplumber pipewire-pulse")
            ]
        case .running(let inspection):
            return [pulse(inspection), roles(inspection), jack(inspection)].compactMap(\.self)
        }
    }

    private func pulse(_ inspection: PipeWireInspection) -> Finding? {
        guard !inspection.hasPulse else { return nil }
        return .warning(
            Self.check, "pipewire-pulse does not run, so programs that use PulseAudio are not seen",
            fix: "systemctl --user start pipewire-pulse")
    }

    private func roles(_ inspection: PipeWireInspection) -> Finding? {
        guard let first = inspection.roles.first else { return nil }
        // WirePlumber 0.4 has endpoints, later versions loopback nodes.
        let place =
            first.hasPrefix("endpoint.")
            ? "remove default_policy.endpoints from ~/.config/wireplumber/policy.lua.d"
            : "set policy.linking.role-based.loopbacks = disabled in the profile in ~/.config/wireplumber"
        return .warning(
            Self.check,
            """
            WirePlumber lowers and pauses programs by their role, too (\(Text.list(inspection.roles.prefix(3).map(\.self)))): \
            it and audiosession-adopt would both lower the same program
            """,
            fix: "\(place), and restart WirePlumber; or end audiosession-adopt")
    }

    private func jack(_ inspection: PipeWireInspection) -> Finding? {
        guard !inspection.jackClients.isEmpty else { return nil }
        let names =
            inspection.jackClients.count > 3
            ? inspection.jackClients.prefix(3) + ["others"] : inspection.jackClients[...]
        return .ok(
            Self.check,
            "programs of JACK cannot be lowered: \(Text.list(Array(names))); those that use this library fade themselves"
        )
    }
}
