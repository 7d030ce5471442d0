internal import SessionArbiter
internal import SessionPolicy

/// What is on the outside of a phone: the silent switch, the lock, the volume, the microphone's own switch (SIM-2, SIM-3).
public struct DeviceSwitches {
    private let desk: any ArbiterDesk

    public init(_ desk: any ArbiterDesk) { self.desk = desk }

    public func setSilentSwitch(_ isOn: Bool) throws(SwitchboardError) -> Done {
        try desk.submit(.setSilentSwitch(isOn))
        return Done("silent-switch \(Text.onOff(isOn))", "The silent switch is \(Text.onOff(isOn)).")
    }

    public func setScreen(locked isLocked: Bool) throws(SwitchboardError) -> Done {
        try desk.submit(.setScreenLocked(isLocked))
        return Done("screen \(isLocked ? "lock" : "unlock")", "The screen is \(isLocked ? "locked" : "unlocked").")
    }

    public func setDoNotDisturb(_ isOn: Bool) throws(SwitchboardError) -> Done {
        try desk.submit(.setDoNotDisturb(isOn))
        return Done("do-not-disturb \(Text.onOff(isOn))", "Do-not-disturb is \(Text.onOff(isOn)).")
    }

    public func setMicrophone(muted isMuted: Bool) throws(SwitchboardError) -> Done {
        try desk.submit(.setMicrophoneMuted(isMuted))
        return Done(
            "microphone \(isMuted ? "mute" : "unmute")", "The microphone is \(isMuted ? "muted" : "on").")
    }

    /// Sets the system volume, or that of ringing; nil only reads.
    public func volume(_ volume: Float?, ofRinging isRinging: Bool) throws(SwitchboardError) -> VolumeOutcome {
        if let volume {
            guard (0...1).contains(volume) else {
                throw SwitchboardError(.usage, "A volume of \(volume) was asked for; give a number from 0 to 1.")
            }
            try desk.submit(isRinging ? .setRingVolume(volume) : .setVolume(volume))
        }
        let system = try desk.report().system
        return VolumeOutcome(volume: system.volume, ringVolume: system.ringVolume)
    }
}

/// Both volumes, 0…1.
public struct VolumeOutcome: Outcome, Equatable {
    var volume: Float
    var ringVolume: Float

    public var words: String {
        "The volume is \(Text.rounded(Double(volume), 2)), that of ringing \(Text.rounded(Double(ringVolume), 2))."
    }
}
