/// The slices that are explored.
extension Slice {
    package static let all: [Slice] = [triples, reconfigured] + wide + combinations.map(combined)

    /// Every combination of three classes of configurations, with nothing else varied.
    static let triples = Slice("every three behaviours", [], casts: casts(of: Behaviour.withoutInput))

    /// Every session changes its configuration at any time (CAT-3).
    static let reconfigured = Slice(
        "every session, every configuration", [.reconfiguration], casts: [[.primary, .primary, .primary]], reach: 3,
        reconfigurations: [.primary, .spoken, .ducker, .spokenInterrupter, .recorder])

    /// Dimensions that vary on all three sessions.
    private static let wide: [Slice] = [
        wide([.alertsPreference, .ringing]), wide([.life, .running]), wide([.backgroundAudio]),
        wide([.suspensionNotified, .delayedGrant]), wide([.outputMute, .silentSwitch]), wide([.deaths, .call]),
        wide([.userPaused, .call]), wide([.microphone]), wide([.permission]), wide([.inputMute]), wide([.remotePlay]),
        wide([.delayedGrant, .ringing]), wide([.idleRelease]), wide([.conversation]), wide([.keyedDuck]),
    ]

    private static func wide(_ dimensions: Set<Dimension>) -> Slice {
        var slice = combined(dimensions)
        slice.name += ", on all sessions"
        slice.reach = 3
        slice.casts.removeFirst()
        return slice
    }

    /// Dimensions that vary together, chosen such that every pair of them shares a slice.
    private static let combinations: [Set<Dimension>] = [
        [.otherApp, .alertsPreference, .life, .sharedApp, .lock, .userPaused],
        [.suspensionNotified, .sharedApp, .silentSwitch, .running, .delayedGrant, .remotePlay],
        [.reconfiguration, .suspensionNotified, .outputMute, .deaths, .userPaused, .inputMute],
        [.alarm, .assistant, .sharedApp, .running, .userPaused, .microphone],
        [.call, .backgroundAudio, .sharedApp, .lock, .outputMute, .running],
        [.assistant, .alertsPreference, .silentSwitch, .lock, .outputMute, .delayedGrant],
        [.life, .backgroundAudio, .suspensionNotified, .userPaused, .microphone, .delayedGrant],
        [.alertsPreference, .sharedApp, .lock, .microphone, .inputMute, .remotePlay],
        [.call, .life, .sharedApp, .silentSwitch, .userPaused, .permission],
        [.alarm, .alertsPreference, .suspensionNotified, .lock, .permission],
        [.ringing, .life, .sharedApp, .lock, .deaths, .running],
        [.reconfiguration, .secondCall, .alertsPreference, .sharedApp, .running],
        [.reconfiguration, .alarm, .life, .silentSwitch, .inputMute],
        [.alertsPreference, .backgroundAudio, .silentSwitch, .deaths, .microphone],
        [.ringing, .life, .outputMute, .userPaused, .remotePlay],
        [.call, .assistant, .deaths, .remotePlay],
        [.alarm, .otherApp, .deaths, .delayedGrant],
        [.otherApp, .outputMute, .microphone, .permission],
        [.call, .ringing, .inputMute, .delayedGrant],
        [.backgroundAudio, .running, .permission, .inputMute],
        [.reconfiguration, .assistant, .otherApp, .suspensionNotified],
        [.reconfiguration, .permission, .delayedGrant, .remotePlay],
        [.secondCall, .alarm, .lock, .outputMute, .userPaused],
        [.reconfiguration, .call, .suspensionNotified, .lock, .microphone],
        [.otherApp, .backgroundAudio, .running, .remotePlay],
        [.reconfiguration, .ringing, .alertsPreference, .backgroundAudio],
        [.ringing, .otherApp, .suspensionNotified, .silentSwitch],
        [.secondCall, .assistant, .life, .silentSwitch],
        [.secondCall, .otherApp, .inputMute],
        [.call, .alarm, .alertsPreference],
        [.call, .otherApp],
        [.secondCall, .deaths, .permission],
        [.secondCall, .suspensionNotified, .delayedGrant, .remotePlay],
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
        [.life, .suspensionNotified, .inputMute, .headphones],
        [.call, .silentSwitch, .running, .headphones],
        [.alarm, .alertsPreference, .deaths, .headphones],
        [.reconfiguration, .secondCall, .headphones],
        [.suspensionNotified, .remotePlay, .doNotDisturb],
        [.ringing, .deaths, .doNotDisturb],
        [.reconfiguration, .microphone, .doNotDisturb],
        [.assistant, .permission, .headphones],
        [.permission, .inputMute, .doNotDisturb],
        [.alarm, .doNotDisturb],
        [.assistant, .doNotDisturb],
        [.call, .backgroundAudio, .doNotDisturb],
        [.ringing, .remotePlay, .headphones],
        [.otherApp, .backgroundAudio, .headphones],
        [.otherApp, .doNotDisturb],
        [.secondCall, .doNotDisturb],
        [.call, .running, .headphones, .servers],
        [.life, .sharedApp, .lock, .servers],
        [.ringing, .deaths, .servers],
        [.secondCall, .permission, .servers],
        [.alarm, .microphone, .servers],
        [.assistant, .inputMute, .servers],
        [.otherApp, .userPaused, .servers],
        [.alertsPreference, .backgroundAudio, .servers],
        [.suspensionNotified, .outputMute, .servers],
        [.silentSwitch, .delayedGrant, .servers],
        [.remotePlay, .doNotDisturb, .servers],
        [.reconfiguration, .servers],
        [.idleRelease, .conversation, .call],
        [.idleRelease, .ringing, .userPaused], [.conversation, .ringing, .userPaused],
        [.idleRelease, .life, .backgroundAudio], [.conversation, .life, .backgroundAudio],
        [.idleRelease, .delayedGrant, .sharedApp], [.conversation, .delayedGrant, .sharedApp],
        [.idleRelease, .reconfiguration, .running], [.conversation, .reconfiguration, .running],
        [.idleRelease, .secondCall], [.conversation, .secondCall],
        [.idleRelease, .alarm, .assistant], [.conversation, .alarm, .assistant],
        [.idleRelease, .otherApp, .deaths], [.conversation, .otherApp, .deaths],
        [.idleRelease, .alertsPreference, .lock], [.conversation, .alertsPreference, .lock],
        [.idleRelease, .suspensionNotified, .silentSwitch], [.conversation, .suspensionNotified, .silentSwitch],
        [.idleRelease, .outputMute], [.conversation, .outputMute, .inputMute], [.idleRelease, .inputMute],
        [.idleRelease, .microphone], [.conversation, .microphone, .permission], [.idleRelease, .permission],
        [.idleRelease, .backgroundAudio, .delayedGrant, .running],
        [.idleRelease, .remotePlay], [.conversation, .remotePlay],
        [.idleRelease, .doNotDisturb, .headphones], [.conversation, .doNotDisturb, .headphones],
        [.idleRelease, .servers], [.conversation, .servers],
        [.keyedDuck, .idleRelease, .running], [.keyedDuck, .conversation], [.keyedDuck, .call, .headphones],
        [.keyedDuck, .ringing, .alertsPreference], [.keyedDuck, .secondCall], [.keyedDuck, .alarm, .assistant],
        [.keyedDuck, .otherApp, .userPaused], [.keyedDuck, .life, .suspensionNotified],
        [.keyedDuck, .backgroundAudio, .lock], [.keyedDuck, .sharedApp, .deaths], [.keyedDuck, .reconfiguration],
        [.keyedDuck, .silentSwitch, .outputMute], [.keyedDuck, .microphone], [.keyedDuck, .permission],
        [.keyedDuck, .inputMute], [.keyedDuck, .delayedGrant, .remotePlay], [.keyedDuck, .doNotDisturb],
        [.keyedDuck, .servers],
        [.sleep, .call, .ringing, .delayedGrant], [.sleep, .secondCall, .alertsPreference],
        [.sleep, .alarm, .assistant, .deaths], [.sleep, .ringing, .doNotDisturb],
        [.sleep, .reconfiguration, .otherApp], [.sleep, .life, .backgroundAudio, .remotePlay],
        [.sleep, .suspensionNotified, .sharedApp, .lock], [.sleep, .outputMute, .silentSwitch, .userPaused],
        [.sleep, .microphone, .permission, .inputMute], [.sleep, .running, .headphones], [.sleep, .servers],
        [.sleep, .idleRelease, .conversation], [.sleep, .keyedDuck],
    ]

    /// Returns a slice of these dimensions, with casts in which each of them has an effect.
    private static func combined(_ dimensions: Set<Dimension>) -> Slice {
        var casts: [[Behaviour]] = [[.primary, .primary, .ducker], [.spoken, .spokenInterrupter, .primary]]
        if dimensions.contains(.conversation) {
            casts = [[.chat, .primary, .ducker], [.chat, .mixableChat, .spoken]]
        }
        if dimensions.contains(.keyedDuck) {
            casts = [[.ducker, .primary, .ducker], [.spokenInterrupter, .spoken, .primary]]
        }
        if !dimensions.isDisjoint(with: [.microphone, .permission, .inputMute]) {
            casts.append([.playAndRecord, .tolerantRecorder, .mixablePlayAndRecord])
        } else {
            casts.append([.recorder, .mixable, .ambientDucker])
        }
        if dimensions.contains(.outputMute) { casts.append([.shortFormVideo, .primary, .mixable]) }
        let name = dimensions.sorted().map(\.rawValue).joined(separator: ", ")
        var slice = Slice(name, dimensions, casts: casts)
        if dimensions.contains(.conversation) { slice.reconfigurations += [.chat, .mixableChat] }
        return slice
    }

    /// Returns a cast in every order.
    package static func orders(of cast: [Behaviour]) -> [[Behaviour]] {
        [[0, 1, 2], [0, 2, 1], [1, 0, 2], [1, 2, 0], [2, 0, 1], [2, 1, 0]].map { places in places.map { cast[$0] } }
    }

    /// Returns every combination of three behaviours, each in one order.
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
