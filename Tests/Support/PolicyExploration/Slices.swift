/// The slices that are explored.
extension Slice {
    package static let all: [Slice] = [triples, reconfigured] + wide + combinations.map(combined)

    /// Every three classes of configurations, nothing else varied.
    static let triples = Slice("every three behaviours", [], casts: casts(of: Behaviour.allCases))

    /// Every session becomes whatever it likes, whenever it likes (CAT-3).
    static let reconfigured = Slice(
        "every session, every way", [.reconfiguration], casts: [[.primary, .primary, .primary]], reach: 3,
        reconfigurations: [.primary, .spoken, .ducker, .spokenInterrupter, .recorder])

    /// What varies on all three sessions.
    private static let wide: [Slice] = [
        wide([.alertsPreference, .ringing]), wide([.life, .running]), wide([.backgroundAudio]),
        wide([.suspensionTold, .delayedGrant]), wide([.outputMute, .silentSwitch]), wide([.deaths, .call]),
        wide([.userPaused, .call]), wide([.microphone]), wide([.permission]), wide([.inputMute]), wide([.remotePlay]),
        wide([.delayedGrant, .ringing]),
    ]

    private static func wide(_ dimensions: Set<Dimension>) -> Slice {
        var slice = combined(dimensions)
        slice.name += ", on all sessions"
        slice.reach = 3
        slice.casts.removeFirst()
        return slice
    }

    /// Dimensions that vary together, so chosen that every two of them do somewhere.
    private static let combinations: [Set<Dimension>] = [
        [.standIn, .alertsPreference, .life, .sharedApp, .lock, .userPaused],
        [.suspensionTold, .sharedApp, .silentSwitch, .running, .delayedGrant, .remotePlay],
        [.reconfiguration, .suspensionTold, .outputMute, .deaths, .userPaused, .inputMute],
        [.alarm, .assistant, .sharedApp, .running, .userPaused, .microphone],
        [.call, .backgroundAudio, .sharedApp, .lock, .outputMute, .running],
        [.assistant, .alertsPreference, .silentSwitch, .lock, .outputMute, .delayedGrant],
        [.life, .backgroundAudio, .suspensionTold, .userPaused, .microphone, .delayedGrant],
        [.alertsPreference, .sharedApp, .lock, .microphone, .inputMute, .remotePlay],
        [.call, .life, .sharedApp, .silentSwitch, .userPaused, .permission],
        [.alarm, .alertsPreference, .suspensionTold, .lock, .permission],
        [.ringing, .life, .sharedApp, .lock, .deaths, .running],
        [.reconfiguration, .secondCall, .alertsPreference, .sharedApp, .running],
        [.reconfiguration, .alarm, .life, .silentSwitch, .inputMute],
        [.alertsPreference, .backgroundAudio, .silentSwitch, .deaths, .microphone],
        [.ringing, .life, .outputMute, .userPaused, .remotePlay],
        [.call, .assistant, .deaths, .remotePlay],
        [.alarm, .standIn, .deaths, .delayedGrant],
        [.standIn, .outputMute, .microphone, .permission],
        [.call, .ringing, .inputMute, .delayedGrant],
        [.backgroundAudio, .running, .permission, .inputMute],
        [.reconfiguration, .assistant, .standIn, .suspensionTold],
        [.reconfiguration, .permission, .delayedGrant, .remotePlay],
        [.secondCall, .alarm, .lock, .outputMute, .userPaused],
        [.reconfiguration, .call, .suspensionTold, .lock, .microphone],
        [.standIn, .backgroundAudio, .running, .remotePlay],
        [.reconfiguration, .ringing, .alertsPreference, .backgroundAudio],
        [.ringing, .standIn, .suspensionTold, .silentSwitch],
        [.secondCall, .assistant, .life, .silentSwitch],
        [.secondCall, .standIn, .inputMute],
        [.call, .alarm, .alertsPreference],
        [.call, .standIn],
        [.secondCall, .deaths, .permission],
        [.secondCall, .suspensionTold, .delayedGrant, .remotePlay],
        [.ringing, .assistant, .permission],
        [.ringing, .secondCall],
        [.ringing, .microphone],
        [.secondCall, .microphone],
        [.alarm, .assistant, .backgroundAudio, .inputMute],
        [.call, .secondCall, .backgroundAudio],
        [.ringing, .alarm, .remotePlay],
        [.sharedApp, .lock, .userPaused, .doNotDisturb, .headphones],
        [.outputMute, .microphone, .delayedGrant, .headphones],
        [.alertsPreference, .life, .running, .doNotDisturb],
        [.silentSwitch, .outputMute, .delayedGrant, .doNotDisturb],
        [.life, .suspensionTold, .inputMute, .headphones],
        [.call, .silentSwitch, .running, .headphones],
        [.alarm, .alertsPreference, .deaths, .headphones],
        [.reconfiguration, .secondCall, .headphones],
        [.suspensionTold, .remotePlay, .doNotDisturb],
        [.ringing, .deaths, .doNotDisturb],
        [.reconfiguration, .microphone, .doNotDisturb],
        [.assistant, .permission, .headphones],
        [.permission, .inputMute, .doNotDisturb],
        [.alarm, .doNotDisturb],
        [.assistant, .doNotDisturb],
        [.call, .backgroundAudio, .doNotDisturb],
        [.ringing, .remotePlay, .headphones],
        [.standIn, .backgroundAudio, .headphones],
        [.standIn, .doNotDisturb],
        [.secondCall, .doNotDisturb],
        [.call, .running, .headphones, .servers],
        [.life, .sharedApp, .lock, .servers],
        [.ringing, .deaths, .servers],
        [.secondCall, .permission, .servers],
        [.alarm, .microphone, .servers],
        [.assistant, .inputMute, .servers],
        [.standIn, .userPaused, .servers],
        [.alertsPreference, .backgroundAudio, .servers],
        [.suspensionTold, .outputMute, .servers],
        [.silentSwitch, .delayedGrant, .servers],
        [.remotePlay, .doNotDisturb, .servers],
        [.reconfiguration, .servers],
    ]

    /// A slice of these dimensions, with casts in which each of them has something to do.
    private static func combined(_ dimensions: Set<Dimension>) -> Slice {
        var casts: [[Behaviour]] = [[.primary, .primary, .ducker], [.spoken, .spokenInterrupter, .primary]]
        if !dimensions.isDisjoint(with: [.microphone, .permission, .inputMute]) {
            casts.append([.playAndRecord, .tolerantRecorder, .mixablePlayAndRecord])
        } else {
            casts.append([.recorder, .mixable, .ambientDucker])
        }
        if dimensions.contains(.outputMute) { casts.append([.shortFormVideo, .primary, .mixable]) }
        let name = dimensions.sorted().map(\.rawValue).joined(separator: ", ")
        return Slice(name, dimensions, casts: casts)
    }

    /// A cast in every order.
    package static func orders(of cast: [Behaviour]) -> [[Behaviour]] {
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map { places in places.map { cast[$0] } }
    }

    /// Every choice of three, in one order.
    static func casts(of behaviours: [Behaviour]) -> [[Behaviour]] {
        var casts: [[Behaviour]] = []
        for a in behaviours.indices {
            for b in behaviours.indices[a...] {
                for c in behaviours.indices[b...] { casts.append([behaviours[a], behaviours[b], behaviours[c]]) }
            }
        }
        return casts
    }
}
