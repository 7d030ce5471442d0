internal import SessionArbiter
internal import SessionPolicy

/// Simulates a phone's controls: silent switch, screen lock, volume, microphone switch and
/// do-not-disturb (SIM-2, SIM-3).
public struct DeviceSwitches {
    private let arbiter: any ArbiterClient

    public init(_ arbiter: any ArbiterClient) { self.arbiter = arbiter }

    public func setSilentSwitch(_ isOn: Bool) throws(CommandError) -> ChangeResult {
        try arbiter.submit(.setSilentSwitch(isOn))
        return ChangeResult("silent-switch \(Text.onOff(isOn))", "The silent switch is \(Text.onOff(isOn)).")
    }

    public func setScreen(locked isLocked: Bool) throws(CommandError) -> ChangeResult {
        try arbiter.submit(.setScreenLocked(isLocked))
        return ChangeResult(
            "screen \(isLocked ? "lock" : "unlock")", "The screen is \(isLocked ? "locked" : "unlocked").")
    }

    public func setDoNotDisturb(_ isOn: Bool) throws(CommandError) -> ChangeResult {
        try arbiter.submit(.setDoNotDisturb(isOn))
        return ChangeResult("do-not-disturb \(Text.onOff(isOn))", "Do-not-disturb is \(Text.onOff(isOn)).")
    }

    public func setMicrophone(muted isMuted: Bool) throws(CommandError) -> ChangeResult {
        try arbiter.submit(.setMicrophoneMuted(isMuted))
        return ChangeResult(
            "microphone \(isMuted ? "mute" : "unmute")", "The microphone is \(isMuted ? "muted" : "on").")
    }

    /// Sets the system volume, or the ring volume if `isRinging`, and returns both; nil sets none.
    public func volume(_ volume: Float?, ofRinging isRinging: Bool) throws(CommandError) -> VolumeResult {
        if let volume {
            guard (0...1).contains(volume) else {
                throw CommandError(.usage, "Invalid volume \(volume); give a number from 0 to 1.")
            }
            try arbiter.submit(isRinging ? .setRingVolume(volume) : .setVolume(volume))
        }
        let system = try arbiter.report().system
        return VolumeResult(volume: system.volume, ringVolume: system.ringVolume)
    }
}

/// The system volume and the ring volume, 0…1.
public struct VolumeResult: CommandResult, Equatable {
    var volume: Float
    var ringVolume: Float

    public var text: String {
        "The volume is \(Text.rounded(Double(volume), 2)), the ring volume \(Text.rounded(Double(ringVolume), 2))."
    }
}
