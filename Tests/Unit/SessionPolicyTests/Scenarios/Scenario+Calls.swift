import SessionPolicy
import Testing

/// Calls, alarms and the assistant; meetings in apps.
extension Scenario {
    static let calls: [Scenario] = [
        Scenario(
            "A call rings over music, and is declined.", "The music pauses, and is asked to resume.", "ACT-4, INT-6"
        ) { scene in
            try scene.start(.music)
            try scene.begin(.call, ringing: true)
            try scene.expect([.music: "waits for call"])
            try scene.end(.call)
            #expect(scene.interruptionsByName == ["music ended resume"])
        },
        Scenario(
            "A call rings in a live show whose app prefers no interruptions by ringing.",
            "The show runs on while the phone rings, and is interrupted when the call is accepted.", "INT-6"
        ) { scene in
            try scene.start(.synth)
            try scene.do(.preferNoInterruptionsFromSystemAlerts(Actor.synth.id, true))
            try scene.begin(.call, ringing: true)
            try scene.expect([.synth: "plays"])
            try scene.accept(.call)
            try scene.expect([.synth: "waits for call"])
        },
        Scenario(
            "During a call, the user starts a video.", "It plays, barely audible, 35 dB lower.", "ACT-5"
        ) { scene in
            try scene.begin(.call)
            try scene.start(.film)
            try scene.expect([.film: "plays at -35 dB"])
            try scene.end(.call)
            try scene.expect([.film: "plays"])
        },
        Scenario(
            "An app asks for its turn while a call rings; the call is accepted, and ends.",
            "The app stays silent in the call, and plays after it.", "ACT-14, ACT-5"
        ) { scene in
            try scene.begin(.call, ringing: true)
            try scene.open(.music)
            try scene.do(.requestActivation(Actor.music.id))
            try scene.accept(.call)
            try scene.expect([.music: "inactive"])
            try scene.end(.call)
            try scene.expect([.music: "silent"])
            #expect(scene.notified.contains { $0.kind == .activated && $0.session == Actor.music.id })
        },
        Scenario(
            "An alarm is due during a call.", "It waits, and sounds when the call has ended.", "ACT-4"
        ) { scene in
            try scene.begin(.call)
            try scene.begin(.alarm)
            try scene.expect([.alarm: "waits for call"])
            try scene.end(.call)
            try scene.expect([.alarm: "plays"])
        },
        Scenario(
            "An alarm sounds; a call rings and is declined.", "The alarm sounds again; the music still waits for it.",
            "ACT-4, INT-6"
        ) { scene in
            try scene.start(.music)
            try scene.begin(.alarm)
            try scene.begin(.call, ringing: true)
            try scene.expect([.alarm: "waits for call"])
            try scene.end(.call)
            try scene.expect([.alarm: "plays", .music: "waits for alarm"])
        },
        Scenario(
            "The silent switch is on; a call rings, and an alarm sounds.", "The ringing is not heard, the alarm is.",
            "VOL-2"
        ) { scene in
            try scene.do(.setSilentSwitch(true))
            try scene.begin(.call, ringing: true)
            try scene.expect([.call: "muted"])
            try scene.end(.call)
            try scene.begin(.alarm)
            try scene.expect([.alarm: "plays"])
        },
        Scenario(
            "The user calls the assistant over music, and asks it to pause the music.",
            "The music is not asked to resume.", "INT-7"
        ) { scene in
            try scene.start(.music)
            try scene.begin(.assistant)
            try scene.do(.userPaused(Actor.music.id))
            try scene.end(.assistant)
            #expect(scene.interruptionsByName == ["music ended"])
        },
        Scenario(
            "Do-not-disturb is on; a call comes in, and the user calls the assistant.",
            "The call does not ring until do-not-disturb is turned off; the assistant speaks at once.", "GUIDE-9"
        ) { scene in
            try scene.do(.setDoNotDisturb(true))
            try scene.begin(.call, ringing: true)
            try scene.begin(.assistant)
            try scene.expect([.call: "inactive", .assistant: "plays"])
            try scene.end(.assistant)
            try scene.do(.setDoNotDisturb(false))
            try scene.expect([.call: "plays"])
        },
        Scenario(
            "A recorder records; a call comes in and ends.",
            "The recording is interrupted; it starts again only when the user does that.", "INT-3, INT-9"
        ) { scene in
            try scene.start(.recorder)
            try scene.begin(.call)
            try scene.expect([.recorder: "waits for call"])
            try scene.end(.call)
            try scene.expect([.recorder: "inactive"])
        },
    ]

    static let conversations: [Scenario] = [
        Scenario(
            "A meeting is on; the user opens a video in the browser.",
            "The meeting goes on. The video plays 35 dB lower.", "ACT-18"
        ) { scene in
            try scene.start(.meeting, .film)
            try scene.expect([.meeting: "plays", .film: "plays at -35 dB"])
        },
        Scenario(
            "A meeting begins while music plays, and ends.",
            "The music pauses, also if it mixes, and is asked to resume.", "ACT-18"
        ) { scene in
            try scene.start(.ambience, .music, .meeting)
            try scene.expect([.music: "waits for meeting", .ambience: "waits for meeting"])
            try scene.leave(.meeting)
            #expect(scene.interruptionsByName == ["ambience ended resume", "music ended resume"])
        },
        Scenario(
            "A navigation prompt speaks in a meeting.", "It is heard 35 dB lower, and does not lower the meeting.",
            "ACT-18, ACT-4"
        ) { scene in
            try scene.start(.meeting, .prompt)
            try scene.expect([.meeting: "plays", .prompt: "plays at -35 dB"])
        },
        Scenario(
            "A call in another app is answered during a meeting.",
            "The newer conversation interrupts the meeting, which is asked to resume afterwards.", "ACT-18"
        ) { scene in
            try scene.start(.meeting, .chat)
            try scene.expect([.meeting: "waits for chat", .chat: "plays"])
            try scene.leave(.chat)
            #expect(scene.interruptionsByName == ["meeting ended resume"])
        },
        Scenario(
            "A call in an app is answered behind the locked screen while music plays.",
            "The app, which declares background audio, interrupts the music.", "ACT-18, ACT-6"
        ) { scene in
            try scene.start(.music)
            try scene.do(.setDeclaresBackgroundAudio(Actor.music.app, true))
            try scene.open(.chat)
            try scene.do(.setDeclaresBackgroundAudio(Actor.chat.app, true))
            try scene.do(.setScreenLocked(true))
            try scene.start(.chat)
            try scene.expect([.chat: "plays", .music: "waits for chat"])
        },
        Scenario(
            "A meeting is on; the phone rings.", "The phone interrupts the meeting, which is asked to resume.",
            "ACT-4, ACT-18"
        ) { scene in
            try scene.start(.meeting)
            try scene.begin(.call, ringing: true)
            try scene.expect([.meeting: "waits for call"])
            try scene.end(.call)
            #expect(scene.interruptionsByName == ["meeting ended resume"])
        },
        Scenario(
            "The user presses the microphone's mute key in a meeting, and again.",
            "The others hear silence, and the user still hears the others; then both are back.", "INT-10"
        ) { scene in
            try scene.start(.meeting)
            try scene.do(.setMicrophoneMuted(true))
            #expect(try scene.interruptionsByName == [] && !scene.grant(Actor.meeting.rawValue).isInputGranted)
            try scene.expect([.meeting: "plays"])
            try scene.do(.setMicrophoneMuted(false))
            #expect(try scene.grant(Actor.meeting.rawValue).isInputGranted)
        },
    ]
}
