internal import ArbiterService
internal import DesktopBridge
internal import Foundation
internal import JackDriver
internal import Platform

extension Machine {
    /// The machine that this process runs on.
    public static var real: Machine {
        var machine = Machine()
        machine.user = geteuid()
        machine.realtimePriority = Int(clamping: limit(__RLIMIT_RTPRIO.number) ?? 99)
        machine.lockedMemory = limit(__RLIMIT_MEMLOCK.number).map { Int(clamping: $0) }
        machine.environment = ProcessInfo.processInfo.environment
        machine.jackLibrary = JackDriver.libraryVersion
        machine.server = { ManagedServers.look() }
        machine.arbiter = { SocketArbiterClient.look() }
        machine.sessionBus = { SessionBusState.current() }
        machine.adoption = { Adoption.process }
        machine.pipeWire = { inspectPipeWire() }
        machine.program = { name in
            try? ProgramLaunch.find(name, orNamedBy: name.uppercased().replacingOccurrences(of: "-", with: "_"))
        }
        machine.configuration = ConfigurationFile.defaultPath
        return machine
    }

    /// Seconds that `audiosession-hand` may take; it limits itself to 2 s.
    private static let inspectionLimit = 3.0

    private static func inspectPipeWire() -> PipeWireState {
        do throws(SystemFailure) {
            let hand = try ProgramLaunch.find("audiosession-hand", orNamedBy: "AUDIOSESSION_HAND")
            let lines = try ProgramLaunch.output(of: hand, arguments: ["--inspect"], timeoutSeconds: inspectionLimit)
            var inspection = PipeWireInspection(lines: lines)
            // systemd may listen at its socket, and start it for the first program.
            let folder = ProcessInfo.processInfo.environment["XDG_RUNTIME_DIR"]
            if folder.map({ access($0 + "/pulse/native", F_OK) == 0 }) == true { inspection.hasPulse = true }
            return .running(inspection)
        } catch {
            return .absent(reason: error.reason.hasSuffix(".") ? String(error.reason.dropLast()) : error.reason)
        }
    }

    /// Returns the limit of a resource; nil if it is unlimited, 0 if it cannot be read.
    private static func limit(_ resource: __rlimit_resource_t) -> UInt64? {
        var limits = rlimit()
        guard getrlimit(resource, &limits) == 0 else { return 0 }
        // RLIM_INFINITY, which Swift does not import.
        return limits.rlim_cur == rlim_t.max ? nil : UInt64(limits.rlim_cur)
    }
}

extension __rlimit_resource {
    fileprivate var number: __rlimit_resource_t { __rlimit_resource_t(rawValue) }
}
