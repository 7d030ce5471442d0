/// Whether this user's programs may run in real time: JACK's threads must.
struct RealtimePriority: HazardCheck {
    /// jackd asks for 10 by default, and its clients for less; drivers above that.
    private static let wanted = 20

    func examine(_ machine: Machine) -> [Finding] {
        let check = "real-time priority"
        if machine.user == 0 { return [.fine(check, "root may ask for any")] }
        let limit = machine.realtimePriority
        guard limit < Self.wanted else { return [.fine(check, "up to \(limit)")] }
        return [
            .hazard(
                check, "up to \(limit) only, so that any other program can take the processor from the audio thread",
                cure: Limits.cure)
        ]
    }
}

/// Whether this user's programs may lock their memory: what is paged out is not there in time.
struct MemoryLock: HazardCheck {
    /// Bytes: the default limit, 8 MiB, is less than JACK and an engine take.
    private static let wanted = 64 << 20

    func examine(_ machine: Machine) -> [Finding] {
        let check = "memory lock"
        if machine.user == 0 { return [.fine(check, "root may lock any amount")] }
        guard let limit = machine.lockedMemory else { return [.fine(check, "unlimited")] }
        let mebibytes = Text.rounded(Double(limit) / 1_048_576, 1)
        guard limit < Self.wanted else { return [.fine(check, "up to \(mebibytes) MiB")] }
        return [
            .hazard(
                check, "up to \(mebibytes) MiB only, so that audio memory can be paged out", cure: Limits.cure)
        ]
    }
}

private enum Limits {
    static let cure = """
        printf '@audio - rtprio 95\\n@audio - memlock unlimited\\n' | sudo tee /etc/security/limits.d/95-audio.conf && \
        sudo usermod -aG audio "$USER", then log in again
        """
}

/// Whether the processors keep their speed: one that must speed up first misses the period.
struct Governor: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] {
        let check = "processor speed"
        let folder = "/sys/devices/system/cpu"
        let processors = machine.names(in: folder).filter { $0.hasPrefix("cpu") && Int($0.dropFirst(3)) != nil }
        let governors = Set(processors.compactMap { machine.text("\(folder)/\($0)/cpufreq/scaling_governor") })
        if governors.isEmpty { return [.fine(check, "not the kernel's to change here")] }
        if governors == ["performance"] { return [.fine(check, "governor performance")] }
        return [
            .hazard(
                check, "governor \(Text.list(governors.sorted())), which lets processors slow down between periods",
                cure: "sudo cpupower frequency-set -g performance")
        ]
    }
}

/// Whether the kernel interrupts itself, and has a good clock.
struct Kernel: HazardCheck {
    func examine(_ machine: Machine) -> [Finding] { [preemption(machine), clock(machine)].compactMap(\.self) }

    private func preemption(_ machine: Machine) -> Finding? {
        guard let version = machine.text("/proc/version") else { return nil }
        let check = "kernel"
        if machine.text("/sys/kernel/realtime") == "1" || version.contains("PREEMPT_RT") {
            return .fine(check, "real-time (PREEMPT_RT)")
        }
        if version.contains("PREEMPT_DYNAMIC") {
            return .fine(check, "preemptible; preempt=full on its command line makes the most of that")
        }
        if version.contains("PREEMPT") { return .fine(check, "preemptible") }
        return .note(
            check, "not preemptible: periods of a few milliseconds will not hold",
            cure: "sudo apt-get install linux-image-rt-amd64 && sudo reboot")
    }

    private func clock(_ machine: Machine) -> Finding? {
        let path = "/sys/devices/system/clocksource/clocksource0/current_clocksource"
        guard let source = machine.text(path) else { return nil }
        guard ["hpet", "acpi_pm", "jiffies", "refined-jiffies"].contains(source) else {
            return .fine("clock", source)
        }
        return .note(
            "clock", "\(source), which is slow to read",
            cure: "echo tsc | sudo tee \(path)")
    }
}
