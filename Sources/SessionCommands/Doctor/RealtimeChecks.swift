/// Checks that this user's programs may use real-time scheduling, which JACK's threads need.
struct RealtimePriority: DoctorCheck {
    /// The required limit. jackd requests priority 10 by default; its clients use lower priorities,
    /// drivers higher ones.
    private static let requiredLimit = 20

    func examine(_ machine: Machine) -> [Finding] {
        let check = "real-time priority"
        if machine.user == 0 { return [.ok(check, "unlimited for root")] }
        let limit = machine.realtimePriority
        guard limit < Self.requiredLimit else { return [.ok(check, "up to \(limit)")] }
        return [
            .error(
                check, "limited to \(limit), so other programs can preempt the audio thread",
                fix: Limits.fix)
        ]
    }
}

/// Checks that this user's programs may lock their memory. The audio thread would miss its deadline
/// while paged-out memory is read back.
struct MemoryLock: DoctorCheck {
    /// The required limit in bytes. The default limit, 8 MiB, is less than JACK and an engine use.
    private static let requiredLimit = 64 << 20

    func examine(_ machine: Machine) -> [Finding] {
        let check = "memory lock"
        if machine.user == 0 { return [.ok(check, "unlimited for root")] }
        guard let limit = machine.lockedMemory else { return [.ok(check, "unlimited")] }
        let mebibytes = Text.rounded(Double(limit) / 1_048_576, 1)
        guard limit < Self.requiredLimit else { return [.ok(check, "up to \(mebibytes) MiB")] }
        return [
            .error(
                check, "limited to \(mebibytes) MiB, so audio memory can be paged out", fix: Limits.fix)
        ]
    }
}

private enum Limits {
    static let fix = """
        printf '@audio - rtprio 95\\n@audio - memlock unlimited\\n' | sudo tee /etc/security/limits.d/95-audio.conf && \
        sudo usermod -aG audio "$USER", then log in again
        """
}

/// Checks that the processors keep their clock speed. At a low clock speed, a period may not be
/// finished in time.
struct Governor: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "processor speed"
        let folder = "/sys/devices/system/cpu"
        let processors = machine.names(in: folder).filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
        let governors = Set(processors.compactMap { machine.text("\(folder)/\($0)/cpufreq/scaling_governor") })
        if governors.isEmpty { return [.ok(check, "not controlled by the kernel on this machine")] }
        if governors == ["performance"] { return [.ok(check, "governor performance")] }
        return [
            .error(
                check, "governor \(Text.list(governors.sorted())), which lets processors slow down between periods",
                fix: "sudo cpupower frequency-set -g performance")
        ]
    }
}

/// Checks that the kernel is preemptible and uses a fast clocksource.
struct Kernel: DoctorCheck {
    func examine(_ machine: Machine) -> [Finding] { [preemption(machine), clockSource(machine)].compactMap(\.self) }

    private func preemption(_ machine: Machine) -> Finding? {
        guard let version = machine.text("/proc/version") else { return nil }
        let check = "kernel"
        if machine.text("/sys/kernel/realtime") == "1" || version.contains("PREEMPT_RT") {
            return .ok(check, "real-time (PREEMPT_RT)")
        }
        if version.contains("PREEMPT_DYNAMIC") {
            return .ok(check, "preemptible; boot with preempt=full for lower latency")
        }
        if version.contains("PREEMPT") { return .ok(check, "preemptible") }
        return .warning(
            check, "not preemptible, so periods of a few milliseconds will cause xruns",
            fix: "sudo apt-get install linux-image-rt-amd64 && sudo reboot")
    }

    private func clockSource(_ machine: Machine) -> Finding? {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        guard let source = machine.text(path) else { return nil }
        guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(source) else {
            return .ok("clock", source)
        }
        return .warning(
            "clock", "\(source), which is slow to read from the audio thread",
            fix: "echo tsc | sudo tee \(path)")
    }
}
