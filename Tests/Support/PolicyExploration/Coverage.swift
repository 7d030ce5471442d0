/// Computes which combinations of dimensions the slices cover, and which they do not.
package enum Coverage {
    /// Returns the pairs of dimensions that vary together in no slice.
    package static func missingPairs(in slices: [Slice]) -> [(Dimension, Dimension)] {
        Dimension.allCases.flatMap { a in
            Dimension.allCases.filter { b in
                a < b && !slices.contains { $0.dimensions.isSuperset(of: [a, b]) }
            }.map { (a, $0) }
        }
    }

    /// Returns the dimensions that do not vary on all three sessions in any slice.
    package static func narrowDimensions(in slices: [Slice]) -> [Dimension] {
        Dimension.allCases.filter { dimension in
            dimension.isOfSessions && !slices.contains { $0.reach == 3 && $0.dimensions.contains(dimension) }
        }
    }

    package static let notCovered = [
        "More than three app sessions, more than one session of a rank but call, more than two calls.",
        "Three dimensions at a time, except those that share a slice; outside the wide slices a dimension varies on session 1 only.",
        "Every combination of three behaviours with a dimension; each slice has three or four casts.",
        "Time: the clock does not advance, so temporary foreground status never expires (ACT-16), the times of reasons are not compared, and a silent session may release others at any time (ACT-17).",
        "Hardware requests, volumes and the routed category: states that differ only in these count as the same.",
        "Routes beyond one pair of headphones, and two servers with a machine each: picks, preferred inputs and overrides choose ports but do not decide which session runs.",
        "System sounds (PLAY-4): their sessions are never active, and change no other session; the random walks cover them.",
        "Behaviours of one class: they differ in routes and signal processing only.",
        "The settings treatsUnsuitedModeAsDefault, reportsBusyOnDeactivation, ducksAllOutputs and conversationsOutrankApps, and requests refused as badParam.",
    ]
}

extension Dimension {
    /// Whether the dimension varies per session or per app.
    var isOfSessions: Bool {
        switch self {
        case .reconfiguration, .alertsPreference, .life, .backgroundAudio, .suspensionNotified, .outputMute, .deaths,
            .running, .userPaused, .microphone, .permission, .inputMute, .delayedGrant, .remotePlay, .idleRelease,
            .conversation, .keyedDuck:
            true
        case .call, .ringing, .secondCall, .alarm, .assistant, .sleep, .otherApp, .sharedApp, .silentSwitch, .lock,
            .doNotDisturb, .headphones, .servers:
            false
        }
    }
}
