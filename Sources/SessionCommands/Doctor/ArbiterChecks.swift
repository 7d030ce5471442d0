internal import ArbiterService
internal import SessionArbiter

/// Checks that the folder for sockets and locks is private to the user.
struct RuntimeFolderCheck: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "runtime folder"
        let fallback = "/tmp/audiosession-\(machine.user)"
        // Without a runtime folder, the sockets are in the fallback folder, which must be private.
        guard let runtime = machine.runtimeFolder, let facts = machine.owner(runtime), facts.isFolder else {
            if let owner = machine.owner(fallback),
                !owner.isFolder || owner.user != machine.user || owner.mode & 0o077 != 0
            {
                return [
                    .error(
                        check, "XDG_RUNTIME_DIR is not set, and '\(fallback)' is not a private folder of this user",
                        fix: "sudo rm -rf \(fallback)")
                ]
            }
            return [
                .warning(
                    check, "XDG_RUNTIME_DIR does not name a folder; '\(fallback)' is used instead",
                    fix:
                        """
                        log in through systemd-logind, or set it for all programs of the user: \
                        export XDG_RUNTIME_DIR=/run/user/\(machine.user)
                        """
                )
            ]
        }
        guard facts.user == machine.user else {
            return [
                .error(
                    check, "'\(runtime)' belongs to user \(facts.user), not to \(machine.user)",
                    fix: "export XDG_RUNTIME_DIR=/run/user/\(machine.user)")
            ]
        }
        let subfolder = runtime + "/audiosession"
        if let owner = machine.owner(subfolder),
            !owner.isFolder || owner.user != machine.user || owner.mode & 0o077 != 0
        {
            return [
                .error(
                    check, "'\(subfolder)' is not a private folder of this user, so it is not used",
                    fix: owner.user == machine.user && owner.isFolder
                        ? "chmod 700 \(subfolder)" : "sudo rm -rf \(subfolder)")
            ]
        }
        return [.ok(check, runtime)]
    }
}

/// Checks that the arbiter can be started and responds.
struct ArbiterCheck: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "arbiter"
        switch machine.arbiter() {
        case .running(let report, let path):
            let hung = report.clients.filter { !$0.isAnswering }
            guard let first = hung.first else {
                return [
                    .ok(
                        check,
                        "running at \(path), pid \(report.process), \(Text.count(report.clients.count, "program")) connected"
                    )
                ]
            }
            return [
                .error(
                    check,
                    "pid \(first.process) (\(first.program)) does not respond to the arbiter and will be disconnected",
                    fix: "kill -CONT \(first.process), or end it: kill \(first.process)")
            ]
        case .stale(let path):
            return [
                .error(
                    check, "the socket '\(path)' exists, but the arbiter that created it has died",
                    fix: "rm \(path) (the next program that needs the arbiter also removes it)")
            ]
        case .unreachable(let reason):
            return [
                .error(check, reason, fix: "kill the process that `fuser -v` lists for the socket, and try again")
            ]
        case .absent(let path):
            guard let program = machine.program("audiosessiond") else {
                return [
                    .error(
                        check, "program 'audiosessiond' was not found, so each app arbitrates only its own sessions",
                        fix: "install it next to the apps or on PATH, or export AUDIOSESSIOND=/path/to/audiosessiond")
                ]
            }
            return [.ok(check, "not running; the first program that needs it starts '\(program)' (\(path))")]
        }
    }
}

/// Checks that the settings file can be applied.
struct ConfigurationCheck: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "settings"
        do throws(ConfigurationError) {
            let warnings = try readServiceSettings(from: machine.root + machine.configuration).warnings
            guard let first = warnings.first else { return [.ok(check, machine.configuration)] }
            return [.warning(check, first, fix: "\"$EDITOR\" \(machine.configuration)")]
        } catch .missing {
            return [.ok(check, "defaults; '\(machine.configuration)' does not exist")]
        } catch {
            return [.error(check, error.description, fix: "\"$EDITOR\" \(machine.configuration)")]
        }
    }
}
