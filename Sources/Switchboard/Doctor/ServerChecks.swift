/// Whether there is a sound card, and this user may use it.
struct SoundCard: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "sound card"
        let cards = machine.text("/proc/asound/cards") ?? ""
        guard cards.contains("[") else {
            return [
                .hazard(
                    check, "none: sound is rendered and goes nowhere",
                    cure: "connect one (in a container: pass /dev/snd in), or `sudo modprobe snd-dummy` to try without")
            ]
        }
        let nodes = machine.names(in: "/dev/snd").filter { $0.hasPrefix("pcm") || $0.hasPrefix("control") }
        let shut = nodes.filter { !machine.mayWrite("/dev/snd/\($0)") }
        guard shut.isEmpty, !nodes.isEmpty else {
            return [
                .hazard(
                    "audio group",
                    nodes.isEmpty
                        ? "a sound card is there, but no /dev/snd to reach it by"
                        : "a sound card is there, but this user may not open /dev/snd/\(shut.first ?? "")",
                    cure: "sudo usermod -aG audio \"$USER\", then log in again")
            ]
        }
        let names = cards.split(separator: "\n").filter { $0.contains("[") }.compactMap { line in
            line.split(separator: " - ").dropFirst().first
        }
        return [.fine(check, names.isEmpty ? "there is one" : Text.list(names.map(String.init)))]
    }
}

/// Whether a JACK server can be reached, and with which period it runs.
struct JackServer: HazardCheck {
    /// Seconds: beyond, whoever plays along hears the delay; below, few machines keep up.
    private static let periods = 0.000_6...0.05

    func examine(_ machine: Machine) -> [Finding] {
        let server = machine.server()
        let check = "JACK server"
        guard let rate = server.sampleRate, let frames = server.periodFrames, rate > 0 else {
            if let pipeWire = pipeWireMistaken(machine) { return [pipeWire] }
            return [
                .note(
                    check, "\(server.summary); the first app starts the managed one",
                    cure: "audiosession server start")
            ]
        }
        let period = Double(frames) / Double(rate)
        if period > Self.periods.upperBound {
            return [
                .hazard(
                    "server period", "\(server.summary): every sound is that late",
                    cure: "audiosession server restart --period 1024 (of another server: jack_bufsize 1024)")
            ]
        }
        if period < Self.periods.lowerBound {
            return [
                .hazard(
                    "server period", "\(server.summary): hardly any machine keeps up with that",
                    cure: "audiosession server restart --period 128 (of another server: jack_bufsize 128)")
            ]
        }
        return [.fine(check, server.summary)]
    }

    /// PipeWire runs, but programs load another server's library and do not find it.
    private func pipeWireMistaken(_ machine: Machine) -> Finding? {
        guard JackLibrary.missesPipeWire(machine) else { return nil }
        return .hazard(
            "JACK server",
            "none reachable, though PipeWire runs: programs load the JACK library \(machine.jackLibrary), not PipeWire's",
            cure:
                """
                run programs through pw-jack, or: sudo cp /usr/share/doc/pipewire/examples/ld.so.conf.d/pipewire-jack-*.conf \
                /etc/ld.so.conf.d/ && sudo ldconfig
                """
        )
    }
}

/// Which library programs load to speak with a server.
struct JackLibrary: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        guard !machine.jackLibrary.isEmpty else {
            return [
                .hazard(
                    "JACK library", "it does not say its version",
                    cure: "sudo apt-get install --reinstall libjack-jackd2-0")
            ]
        }
        return [.fine("JACK library", Self.words(of: machine.jackLibrary, machine.server()))]
    }

    /// Which library the loader chose, and which server is reached by it.
    static func words(of version: String, _ server: ServerView) -> String {
        let owner = version.contains("PipeWire") ? ", PipeWire's own" : ""
        let reach = server.reachable ? "; it reaches \(server.title)" : "; it reaches no server"
        return version + owner + reach
    }

    static func missesPipeWire(_ machine: Machine) -> Bool {
        guard let folder = machine.runtimeFolder, machine.exists(folder + "/pipewire-0") else { return false }
        return !machine.jackLibrary.contains("PipeWire")
    }
}

/// What servers that died left in shared memory: there is room for eight, and each one that is left takes a place.
struct JackMemory: HazardCheck {
    private static let registry = "/dev/shm/jack-shm-registry"

    func examine(_ machine: Machine) -> [Finding] {
        let check = "JACK shared memory"
        let servers = (machine.bytes(Self.registry)).map(Self.servers) ?? []
        let dead = servers.filter { !machine.exists("/proc/\($0.process)") }
        guard !dead.isEmpty else {
            return [.fine(check, servers.isEmpty ? "no server has any" : "of servers that run only")]
        }
        let names = dead.map { "'\($0.name)'" }
        let cure =
            dead.count == servers.count
            ? "rm -rf /dev/shm/jack*"
            : "start and end a server of that name: jackd -n \(dead[0].name) -d dummy, then Ctrl-C"
        return [
            .hazard(
                check,
                "servers that are gone hold \(dead.count) of 8 places: \(Text.list(names))", cure: cure)
        ]
    }

    /// jackd2's registry: a header of 24 bytes whose last two numbers are its length and that of an entry, then eight servers of a pid and
    /// a name.
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
