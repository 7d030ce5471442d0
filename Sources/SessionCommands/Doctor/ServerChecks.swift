/// Checks that there is a sound card, and that this user may open it.
struct SoundCard: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "sound card"
        let cards = machine.text("/proc/asound/cards") ?? ""
        guard cards.contains("[") else {
            return [
                .error(
                    check, "none, so sound is rendered but not played",
                    fix: "connect one (in a container: pass /dev/snd in), or `sudo modprobe snd-dummy` for a test")
            ]
        }
        let nodes = machine.names(in: "/dev/snd").filter { $0.hasPrefix("pcm") || $0.hasPrefix("control") }
        let inaccessible = nodes.filter { !machine.mayWrite("/dev/snd/\($0)") }
        guard inaccessible.isEmpty, !nodes.isEmpty else {
            return [
                .error(
                    "audio group",
                    nodes.isEmpty
                        ? "there is a sound card, but /dev/snd has no files for it"
                        : "there is a sound card, but this user may not open /dev/snd/\(inaccessible.first ?? "")",
                    fix: "sudo usermod -aG audio \"$USER\", then log in again")
            ]
        }
        let names = cards.split(separator: "\n").filter { $0.contains("[") }.compactMap { line in
            line.split(separator: " - ").dropFirst().first
        }
        return [.ok(check, names.isEmpty ? "present" : Text.list(names.map(String.init)))]
    }
}

/// Checks that a JACK server can be reached, and that its period is reasonable.
struct JackServer: DoctorCheck {
    /// The reasonable periods in seconds. Longer ones delay live playing audibly; few machines can
    /// process shorter ones.
    private static let periods = 0.000_6...0.05

    func examine(_ machine: Machine) -> [Finding] {
        let server = machine.server()
        let check = "JACK server"
        guard let rate = server.sampleRate, let frames = server.periodFrames, rate > 0 else {
            if server.isHanging {
                return [
                    .error(
                        check, "\(server.summary), so apps cannot play",
                        fix:
                            "if it is stopped, continue it: kill -CONT $(pidof jackd jackdbus audiosession-server); otherwise end it: kill -KILL with its pid"
                    )
                ]
            }
            if let pipeWire = pipeWireUnreachableFinding(machine) { return [pipeWire] }
            return [
                .warning(
                    check, "\(server.summary); the first app starts the managed server",
                    fix: "audiosession server start")
            ]
        }
        let period = Double(frames) / Double(rate)
        if period > Self.periods.upperBound {
            return [
                .error(
                    "server period", "\(server.summary): the latency is at least one period",
                    fix: "audiosession server restart --period 1024 (for another server: jack_bufsize 1024)")
            ]
        }
        if period < Self.periods.lowerBound {
            return [
                .error(
                    "server period", "\(server.summary): few machines can process such short periods",
                    fix: "audiosession server restart --period 128 (for another server: jack_bufsize 128)")
            ]
        }
        return [.ok(check, server.summary)]
    }

    /// Returns an error if PipeWire is running but programs load another JACK library, so that they
    /// cannot find it.
    private func pipeWireUnreachableFinding(_ machine: Machine) -> Finding? {
        guard JackLibrary.loadsOtherLibraryThanPipeWire(machine) else { return nil }
        return .error(
            "JACK server",
            "not reachable although PipeWire is running: programs load the JACK library \(machine.jackLibrary), not PipeWire's",
            fix:
                """
                run programs through pw-jack, or: sudo cp /usr/share/doc/pipewire/examples/ld.so.conf.d/pipewire-jack-*.conf \
                /etc/ld.so.conf.d/ && sudo ldconfig
                """
        )
    }
}

/// Checks which JACK library programs load.
struct JackLibrary: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        guard !machine.jackLibrary.isEmpty else {
            return [
                .error(
                    "JACK library", "it reports no version",
                    fix: "sudo apt-get install --reinstall libjack-jackd2-0")
            ]
        }
        return [.ok("JACK library", machine.server().text(ofLibrary: machine.jackLibrary))]
    }

    /// Returns whether PipeWire is running, but programs load another JACK library than
    /// PipeWire's.
    static func loadsOtherLibraryThanPipeWire(_ machine: Machine) -> Bool {
        guard let folder = machine.runtimeFolder, machine.exists(folder + "/pipewire-0") else { return false }
        return !machine.jackLibrary.contains("PipeWire")
    }
}

/// Checks for entries that dead servers left in JACK's shared memory, which has slots for eight
/// servers.
struct JackMemory: DoctorCheck {
    private static let registry = "/dev/shm/jack-shm-registry"

    func examine(_ machine: Machine) -> [Finding] {
        let check = "JACK shared memory"
        let servers = (machine.bytes(Self.registry)).map(Self.servers) ?? []
        let dead = servers.filter { !machine.exists("/proc/\($0.process)") }
        guard !dead.isEmpty else {
            return [.ok(check, servers.isEmpty ? "unused" : "used by running servers only")]
        }
        let names = dead.map { "'\($0.name)'" }
        let fix =
            dead.count == servers.count
            ? "rm -rf /dev/shm/jack*"
            : "start and stop a server of that name: jackd -n \(dead[0].name) -d dummy, then Ctrl-C"
        return [
            .error(
                check,
                "servers that have died occupy \(dead.count) of 8 slots: \(Text.list(names))", fix: fix)
        ]
    }

    /// Parses jackd2's registry: a header of 24 bytes, whose last two numbers are its length and
    /// the length of an entry, followed by eight servers, each with a pid and a name.
    private static func servers(_ bytes: [UInt8]) -> [(process: Int32, name: String)] {
        let (headerLength, nameLength) = (24, 260)
        guard bytes.count >= headerLength, bytes.starts(with: Array("KCAJ".utf8)) else { return [] }
        return (0..<8).compactMap { index in
            let start = headerLength + index * (4 + nameLength)
            guard start + 4 + nameLength <= bytes.count else { return nil }
            let process = bytes[start..<start + 4].reversed().reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
            let field = bytes[start + 4..<start + 4 + nameLength].prefix { $0 != 0 }
            guard process != 0, !field.isEmpty else { return nil }
            // "jack-UID:NAME:".
            let parts = String(decoding: field, as: UTF8.self).split(separator: ":")
            return (Int32(bitPattern: process), parts.count > 1 ? String(parts[1]) : String(parts[0]))
        }
    }
}
