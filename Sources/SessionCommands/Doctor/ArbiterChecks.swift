internal import ArbiterService
internal import SessionArbiter

/// Checks that the folder for sockets and locks is private to the user.
struct RuntimeFolderCheck: DoctorCheck {
    private static let check = "runtime folder"

    func examine(_ machine: Machine) -> [Finding] {
        let fallback = "/tmp/audiosession-\(machine.user)"
        // Without a runtime folder, the sockets are in the fallback folder, which must be private.
        guard let runtime = machine.runtimeFolder, let facts = machine.owner(runtime), facts.isFolder else {
            if let finding = notPrivate(fallback, machine, "XDG_RUNTIME_DIR does not name a folder, and ") {
                return [finding]
            }
            return [
                .warning(
                    Self.check, "XDG_RUNTIME_DIR does not name a folder; '\(fallback)' is used instead",
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
                    Self.check, "'\(runtime)' belongs to user \(facts.user), not to \(machine.user)",
                    fix: "export XDG_RUNTIME_DIR=/run/user/\(machine.user)")
            ]
        }
        return [notPrivate(runtime + "/audiosession", machine) ?? .ok(Self.check, runtime)]
    }

    /// Returns an error if there is something else than a private folder at the path.
    private func notPrivate(_ folder: String, _ machine: Machine, _ introduction: String = "") -> Finding? {
        guard let owner = machine.owner(folder) else { return nil }
        let finding = introduction + "'\(folder)' is not a private folder of this user"
        guard owner.isFolder, owner.user == machine.user else {
            return .error(Self.check, finding + ", so it is not used", fix: "sudo rm -rf \(folder)")
        }
        guard owner.mode != 0o700 else { return nil }
        let mode = String(owner.mode, radix: 8)
        return .error(
            Self.check, finding + ": its mode is \(mode), not 700, so it is not used", fix: "chmod 700 \(folder)")
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
        case .withoutSocket(let path, let process):
            return [
                .error(
                    check,
                    "pid \(process) holds the lock, but does not listen at '\(path)', so each app arbitrates only its own sessions",
                    fix: "kill -CONT \(process) if it is stopped, otherwise end it: kill \(process)")
            ]
        case .noFolder(let reason):
            // The check of the folder reports this, with the right fix.
            guard !RuntimeFolderCheck().examine(machine).contains(where: { $0.state == .error }) else { return [] }
            return [.error(check, reason, fix: "export XDG_RUNTIME_DIR=/run/user/\(machine.user)")]
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
