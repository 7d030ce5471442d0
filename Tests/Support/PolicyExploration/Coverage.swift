/// What the slices cover, by computation, and what they do not.
package enum Coverage {
    /// Pairs of dimensions that vary together in no slice.
    package static func missingPairs(in slices: [Slice]) -> [(Dimension, Dimension)] {
        Dimension.allCases.flatMap { a in
            Dimension.allCases.filter { b in
                a < b && !slices.contains { $0.dimensions.isSuperset(of: [a, b]) }
            }.map { (a, $0) }
        }
    }

    /// Dimensions that vary on all three sessions in no slice.
    package static func narrowDimensions(in slices: [Slice]) -> [Dimension] {
        Dimension.allCases.filter { dimension in
            dimension.isOfSessions && !slices.contains { $0.reach == 3 && $0.dimensions.contains(dimension) }
        }
    }

    package static let notCovered = [
        "More than three app sessions, more than one session of a rank but call, more than two calls.",
        "Three dimensions at a time, but for those that share a slice; outside the wide slices a dimension varies on session 1 only.",
        "Every three behaviours with a dimension beside them; each slice has three or four casts.",
        "Time: it stands still, so a foreground that was lent never runs out (ACT-16), and reasons' times are not compared.",
        "Wishes for the hardware, volumes and the routed category: they differ in states that are taken for the same.",
        "Routes beyond one pair of headphones, and two servers with a machine each: picks, preferred inputs and overrides choose ports, and not who runs.",
        "Behaviours of one class: they differ in routes and signal processing only.",
        "The settings treatsUnsuitedModeAsDefault and reportsBusyOnDeactivation, and what is refused as badParam.",
    ]
}

extension Dimension {
    /// Whether it varies session by session, or app by app.
    var isOfSessions: Bool {
        switch self {
        case .reconfiguration, .alertsPreference, .life, .backgroundAudio, .suspensionTold, .outputMute, .deaths,
            .running, .userPaused, .microphone, .permission, .inputMute, .delayedGrant, .remotePlay:
            true
        case .call, .ringing, .secondCall, .alarm, .assistant, .standIn, .sharedApp, .silentSwitch, .lock,
            .doNotDisturb, .headphones, .servers:
            false
        }
    }
}
