internal import ArbiterConfiguration
internal import SessionArbiter

/// Whether the folder for sockets and locks is the user's own.
struct RuntimeFolderCheck: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "runtime folder"
        let fallback = "/tmp/audiosession-\(machine.user)"
        guard let runtime = machine.runtimeFolder, let facts = machine.owner(runtime), facts.isFolder else {
            if let own = machine.owner(fallback), !own.isFolder || own.user != machine.user || own.mode & 0o077 != 0 {
                return [
                    .hazard(
                        check, "XDG_RUNTIME_DIR is not set, and '\(fallback)' is not a folder of this user's alone",
                        cure: "sudo rm -rf \(fallback)")
                ]
            }
            return [
                .note(
                    check, "XDG_RUNTIME_DIR names no folder; '\(fallback)' serves",
                    cure:
                        """
                        log in through systemd-logind, or set it for all of the user's programs alike: \
                        export XDG_RUNTIME_DIR=/run/user/\(machine.user)
                        """
                )
            ]
        }
        guard facts.user == machine.user else {
            return [
                .hazard(
                    check, "'\(runtime)' belongs to user \(facts.user), not to \(machine.user)",
                    cure: "export XDG_RUNTIME_DIR=/run/user/\(machine.user)")
            ]
        }
        let own = runtime + "/audiosession"
        if let folder = machine.owner(own), !folder.isFolder || folder.user != machine.user || folder.mode & 0o077 != 0
        {
            return [
                .hazard(
                    check, "'\(own)' is not a folder of this user's alone, so that it is not used",
                    cure: folder.user == machine.user && folder.isFolder ? "chmod 700 \(own)" : "sudo rm -rf \(own)")
            ]
        }
        return [.fine(check, runtime)]
    }
}

/// Whether the arbiter can be had, and answers.
struct ArbiterCheck: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "arbiter"
        switch machine.arbiter() {
        case .running(let report, let path):
            let silent = report.clients.filter { !$0.isAnswering }
            guard let one = silent.first else {
                return [
                    .fine(
                        check,
                        "runs at \(path), pid \(report.process), \(Text.count(report.clients.count, "program")) connected"
                    )
                ]
            }
            return [
                .hazard(
                    check, "pid \(one.process) (\(one.program)) does not answer it, and will be cut off",
                    cure: "kill -CONT \(one.process), or end it: kill \(one.process)")
            ]
        case .stale(let path):
            return [
                .hazard(
                    check, "the socket '\(path)' is there, but nobody listens: it died",
                    cure: "rm \(path) (the next program that needs the arbiter does so, too)")
            ]
        case .silent(let reason):
            return [
                .hazard(check, reason, cure: "kill the process that `fuser -v` names for the socket, and try again")
            ]
        case .absent(let path):
            guard let program = machine.program("audiosessiond") else {
                return [
                    .hazard(
                        check, "no program 'audiosessiond' is to be found, so that each app decides for itself alone",
                        cure: "install it beside the apps or on PATH, or export AUDIOSESSIOND=/path/to/audiosessiond")
                ]
            }
            return [.fine(check, "does not run; '\(program)' begins with the first program that needs it (\(path))")]
        }
    }
}

/// Whether the file of settings can be applied.
struct ConfigurationCheck: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "settings"
        guard machine.exists(machine.configuration) else {
            return [.fine(check, "all by default: there is no '\(machine.configuration)'")]
        }
        do throws(ConfigurationError) {
            let warnings = try readServiceSettings(from: machine.root + machine.configuration).warnings
            guard let first = warnings.first else { return [.fine(check, machine.configuration)] }
            return [.note(check, first, cure: "\"$EDITOR\" \(machine.configuration)")]
        } catch {
            return [.hazard(check, error.description, cure: "\"$EDITOR\" \(machine.configuration)")]
        }
    }
}
