import SessionPolicy
import Testing

/// The background, the locked screen, and devices.
extension Scenario {
    static let desktop: [Scenario] = [
        Scenario(
            "Music plays; a game that declares nothing starts; a call is accepted; the user leaves the game; the call ends.",
            "The music is asked to resume, and the game is not notified.", "BG-1, ACT-8"
        ) { scene in
            try scene.start(.music, .game)
            try scene.begin(.call)
            try scene.background(.game, declared: false)
            try scene.end(.call)
            #expect(scene.interruptionsByName == ["music ended resume"])
        },
        Scenario(
            "The same, but the screen locks in the call. The music declares background audio.",
            "The music is asked to resume, and the game is not notified.", "BG-2, ACT-8"
        ) { scene in
            try scene.start(.music)
            try scene.do(.setDeclaresBackgroundAudio(Actor.music.app, true))
            try scene.start(.game)
            try scene.begin(.call)
            try scene.do(.setScreenLocked(true))
            try scene.end(.call)
            #expect(scene.interruptionsByName == ["music ended resume"])
        },
        Scenario(
            "The screen locks while music plays that declares background audio.", "The music plays on.", "BG-2"
        ) { scene in
            try scene.start(.music)
            try scene.do(.setDeclaresBackgroundAudio(Actor.music.app, true))
            try scene.do(.setScreenLocked(true))
            try scene.expect([.music: "plays"])
        },
        Scenario(
            "The screen locks while music plays that declares nothing, and is unlocked.",
            "The music stops at its position, and the user starts it again.", "BG-2"
        ) { scene in
            try scene.start(.music)
            try scene.do(.setScreenLocked(true))
            try scene.do(.setScreenLocked(false))
            try scene.expect([.music: "inactive"])
        },
        Scenario(
            "A podcast in the background starts while a film in the foreground is paused.",
            "The podcast plays: the film is not heard.", "ACT-6"
        ) { scene in
            try scene.open(.podcast)
            try scene.background(.podcast, declared: true)
            try scene.start(.film)
            #expect(try scene.refusal(of: .activate(Actor.podcast.id)).code == .cannotInterruptOthers)
            try scene.hush(.film, pausing: true)
            try scene.start(.podcast)
            try scene.expect([.podcast: "plays", .film: "waits for podcast"])
        },
        Scenario(
            "The user presses play on the headset; the player is in the background, and another one plays.",
            "The player in the background starts, and interrupts the other.", "ACT-16"
        ) { scene in
            try scene.open(.music)
            try scene.background(.music, declared: true)
            try scene.start(.podcast)
            try scene.do(.remotePlay(Actor.music.id))
            try scene.start(.music)
            try scene.expect([.music: "plays", .podcast: "waits for music"])
        },
    ]

    private enum Devices: RouteScenario {}

    static let devices: [Scenario] = [
        Scenario(
            "Headphones are unplugged while music plays.", "The music pauses; nothing is heard on the speaker.",
            "ROUTE-4"
        ) { scene in
            try scene.do(.plug(Devices.phone))
            try scene.do(.plug(Devices.headset))
            try scene.start(.music)
            try scene.do(.unplug("headset"))
            #expect(scene.interruptionsByName == ["music began"])
            try scene.expect([.music: "waits for nobody"])
        },
        Scenario(
            "Headphones are unplugged during a call for which the music waits.",
            "After the call the music is not asked to resume, so that nothing starts on the speaker.",
            "ROUTE-4, INT-3"
        ) { scene in
            try scene.do(.plug(Devices.phone))
            try scene.do(.plug(Devices.headset))
            try scene.start(.music)
            try scene.begin(.call)
            try scene.do(.unplug("headset"))
            try scene.end(.call)
            #expect(scene.interruptionsByName == ["music ended"])
        },
        Scenario(
            "A headset is unplugged in a voice chat.", "The chat goes on, on the receiver.", "ROUTE-4, ROUTE-5"
        ) { scene in
            try scene.do(.plug(Devices.phone))
            try scene.do(.plug(Devices.headset))
            try scene.start(.chat)
            try scene.do(.unplug("headset"))
            #expect(scene.interruptionsByName == [])
            let outputs = scene.state.route(of: try scene.session(Actor.chat.rawValue)).outputs
            #expect(outputs.map(\.type) == [.builtInReceiver])
        },
        Scenario(
            "Music plays on the TV; a dictation app that ducks runs on the headset.", "The TV is not lowered.", "DUCK-6"
        ) { scene in
            try scene.do(.plug(Devices.phone))
            try scene.do(.plug(Devices.tv))
            try scene.open(.music, options: .mixWithOthers)
            try scene.open(.synth, options: .duckOthers)
            try scene.do(.plug(Devices.headset))
            try scene.do(.pick(.output, "tv-out"))
            try scene.start(.music, .synth)
            try scene.expect([.music: "plays", .synth: "plays"])
            #expect(scene.state.route(of: try scene.session(Actor.synth.rawValue)).outputs.map(\.type) == [.headphones])
        },
        Scenario(
            "A recorder starts while a closed lid mutes the microphone (a setting).",
            "The start is refused; the music plays on.", "ACT-15, INT-10"
        ) { scene in
            scene.policy = .interruptingMicrophone
            try scene.start(.music)
            try scene.do(.setMicrophoneMuted(true))
            try scene.open(.recorder)
            #expect(try scene.refusal(of: .setInputRunning(Actor.recorder.id, true)).rule == .int10)
            try scene.expect([.music: "plays", .recorder: "inactive"])
        },
    ]
}
