import SessionPolicy
import Testing

/// Apps among themselves.
extension Scenario {
    static let mixing: [Scenario] = [
        Scenario(
            "Music plays; a navigation prompt speaks and leaves.",
            "The music is lowered by 14 dB during the prompt, and is at full level afterwards.", "DUCK-1, DUCK-5"
        ) { scene in
            try scene.start(.music, .prompt)
            try scene.expect([.music: "plays at -14 dB", .prompt: "plays"])
            try scene.leave(.prompt)
            try scene.expect([.music: "plays"])
        },
        Scenario(
            "Music plays; two prompts speak at once.",
            "The music is lowered once. The newer prompt is at full level, the older one is lowered.",
            "DUCK-1, DUCK-2"
        ) { scene in
            try scene.start(.music, .prompt, .secondPrompt)
            try scene.expect([.music: "plays at -14 dB", .prompt: "plays at -14 dB", .secondPrompt: "plays"])
            try scene.leave(.prompt)
            try scene.expect([.music: "plays at -14 dB"])
            try scene.leave(.secondPrompt)
            try scene.expect([.music: "plays"])
        },
        Scenario(
            "A prompt's app crashes while it speaks.", "The music is at full level again.", "ACT-12"
        ) { scene in
            try scene.start(.music, .prompt)
            try scene.do(.appDied(Actor.prompt.app))
            try scene.expect([.music: "plays"])
        },
        Scenario(
            "A podcast plays; a prompt speaks, and leaves with notice.",
            "The podcast pauses and is asked to resume.", "DUCK-4, ACT-8"
        ) { scene in
            try scene.start(.podcast, .prompt)
            try scene.expect([.podcast: "waits for prompt"])
            try scene.leave(.prompt)
            #expect(scene.interruptionsByName == ["podcast ended resume"])
        },
        Scenario(
            "A podcast plays; a prompt speaks, and leaves without notice.",
            "The podcast stays off until the user presses play.", "ACT-8"
        ) { scene in
            try scene.start(.podcast, .prompt)
            try scene.leave(.prompt, silently: true)
            #expect(scene.interruptionsByName == [])
            try scene.expect([.podcast: "inactive"])
        },
        Scenario(
            "Music; then a film; then a clip with sound; then the film again, which ends.",
            "Only the clip, which the film interrupted last, is asked to resume; the music waits for it: two players never start at once.",
            "ACT-8, INT-4"
        ) { scene in
            try scene.start(.music, .film, .clip, .film)
            try scene.leave(.film)
            #expect(scene.interruptionsByName == ["clip ended resume"])
            try scene.expect([.music: "waits for clip"])
        },
        Scenario(
            "A clip that is muted plays over music; the user unmutes it.",
            "The music continues under the muted clip, and is interrupted by its sound.", "VOL-3, CAT-3"
        ) { scene in
            try scene.start(.music)
            try scene.open(.clip)
            try scene.do(.setOutputMuted(Actor.clip.id, true))
            try scene.start(.clip)
            try scene.expect([.music: "plays", .clip: "muted"])
            try scene.do(.setOutputMuted(Actor.clip.id, false))
            try scene.expect([.music: "waits for clip", .clip: "plays"])
        },
        Scenario(
            "A game with a soundtrack of its own is opened while the user's music plays.",
            "Both may be heard; the game learns that music plays, to keep its soundtrack silent, and when it ends.",
            "HINT-1, HINT-2"
        ) { scene in
            try scene.start(.music)
            try scene.open(.ambience)
            #expect(scene.isAskedToBeSilent(.ambience))
            try scene.start(.ambience)
            try scene.expect([.ambience: "plays", .music: "plays"])
            try scene.do(.setRunning(Actor.music.id, false))
            #expect(scene.notified.contains { $0.kind == .silenceSecondaryAudioHint(false) })
            #expect(!scene.isAskedToBeSilent(.ambience))
        },
        Scenario(
            "A game that never configured its session starts while music plays.",
            "The music is interrupted, also if the silent switch makes the game inaudible.", "CAT-1, ACT-2"
        ) { scene in
            try scene.do(.setSilentSwitch(true))
            try scene.start(.music, .unconfigured)
            try scene.expect([.music: "waits for unconfigured", .unconfigured: "muted"])
        },
        Scenario(
            "A recorder that mutes starts; a mixable podcast and a prompt play.",
            "Both are muted while it records and run on: what they play meanwhile is lost.", "CAT-4"
        ) { scene in
            try scene.open(.secondPodcast, options: .mixWithOthers)
            try scene.start(.secondPodcast, .recorder, .prompt)
            try scene.expect([.recorder: "records", .prompt: "muted"])
            try scene.leave(.prompt)
            try scene.leave(.recorder)
            try scene.start(.secondPodcast, .recorder)
            try scene.expect([.secondPodcast: "muted"])
            try scene.leave(.recorder)
            try scene.expect([.secondPodcast: "plays"])
        },
        Scenario(
            "A level meter measures; a prompt speaks.", "The meter's sound is not processed: it is not lowered.",
            "DUCK-3, MODE"
        ) { scene in
            try scene.start(.meter, .prompt)
            try scene.expect([.meter: "plays", .prompt: "plays"])
        },
        Scenario(
            "A synthesizer that mixes is played over music.", "Both are heard.", "ACT-3"
        ) { scene in
            try scene.start(.music, .synth)
            try scene.expect([.music: "plays", .synth: "plays"])
        },
    ]

    static let forgetting: [Scenario] = [
        Scenario(
            "A prompt's app forgets to deactivate its session.",
            "10 s after its last word, the music is at full level.", "ACT-17"
        ) { scene in
            try scene.start(.music, .prompt)
            try scene.hush(.prompt)
            try scene.expect([.music: "plays at -14 dB"])
            #expect(try scene.idle() == [10])
            try scene.expect([.music: "plays", .prompt: "silent"])
        },
        Scenario(
            "A podcast waits for a prompt whose app forgets to deactivate.",
            "10 s after the last word, the podcast is asked to resume.", "ACT-17, DUCK-4"
        ) { scene in
            try scene.start(.podcast, .prompt)
            try scene.hush(.prompt)
            #expect(try scene.idle() == [10])
            #expect(scene.interruptionsByName == ["podcast ended resume"])
        },
        Scenario(
            "An app that never configured its session beeps once, and stays active.",
            "After 60 s the music is asked to resume. When the app beeps again, the music is interrupted again.",
            "ACT-17, ACT-8"
        ) { scene in
            try scene.start(.music, .unconfigured)
            try scene.hush(.unconfigured)
            #expect(try scene.idle() == [60])
            #expect(scene.interruptionsByName == ["music ended resume"])
            try scene.start(.music)
            try scene.expect([.music: "plays", .unconfigured: "silent"])
            try scene.do(.setRunning(Actor.unconfigured.id, true))
            try scene.expect([.music: "waits for unconfigured", .unconfigured: "plays"])
        },
        Scenario(
            "A film is paused in the middle; the music waits for it.", "The music does not start.", "ACT-17"
        ) { scene in
            try scene.start(.music, .film)
            try scene.hush(.film, pausing: true)
            #expect(try scene.idle() == [])
            try scene.expect([.music: "waits for film"])
        },
        Scenario(
            "An app is killed while the music waits for it.", "The music is asked to resume.", "ACT-12"
        ) { scene in
            try scene.start(.music, .film)
            try scene.do(.appDied(Actor.film.app))
            #expect(scene.interruptionsByName == ["music ended resume"])
        },
    ]
}
