extension PolicySettings {
    /// Settings that an older arbiter does not send have their defaults.
    public init(from decoder: any Decoder) throws {
        let values = try decoder.container(keyedBy: CodingKeys.self)
        duckAttenuation = try values.decode(Double.self, forKey: .duckAttenuation)
        strongDuckAttenuation = try values.decode(Double.self, forKey: .strongDuckAttenuation)
        duckAttack = try values.decode(Double.self, forKey: .duckAttack)
        duckRelease = try values.decode(Double.self, forKey: .duckRelease)
        strongDuckAttack = try values.decode(Double.self, forKey: .strongDuckAttack)
        strongDuckRelease = try values.decode(Double.self, forKey: .strongDuckRelease)
        fade = try values.decode(Double.self, forKey: .fade)
        volumeRamp = try values.decode(Double.self, forKey: .volumeRamp)
        treatsUnsuitedModeAsDefault = try values.decode(Bool.self, forKey: .treatsUnsuitedModeAsDefault)
        reportsBusyOnDeactivation = try values.decode(Bool.self, forKey: .reportsBusyOnDeactivation)
        notifiesSuspension = try values.decode(Bool.self, forKey: .notifiesSuspension)
        remotePlayGrace = try values.decode(Double.self, forKey: .remotePlayGrace)
        ducksAllOutputs = try values.decodeIfPresent(Bool.self, forKey: .ducksAllOutputs) ?? false
        mutedMicrophoneInterrupts = try values.decodeIfPresent(Bool.self, forKey: .mutedMicrophoneInterrupts) ?? false
        let defaults = PolicySettings()
        conversationsOutrankApps =
            try values.decodeIfPresent(Bool.self, forKey: .conversationsOutrankApps)
            ?? defaults.conversationsOutrankApps
        audibleThreshold =
            try values.decodeIfPresent(Double.self, forKey: .audibleThreshold) ?? defaults.audibleThreshold
        audibleHold = try values.decodeIfPresent(Double.self, forKey: .audibleHold) ?? defaults.audibleHold
        idleRelease = try values.decodeIfPresent(Double.self, forKey: .idleRelease) ?? defaults.idleRelease
        idleDuckRelease = try values.decodeIfPresent(Double.self, forKey: .idleDuckRelease) ?? defaults.idleDuckRelease
    }
}
