import SessionPolicy
import Testing

@testable import SessionCommands

/// The session that `audiosession run` asks for.
@Suite struct HoldConfigurationTests {
    private func configure(
        _ intent: HoldConfiguration.Intent?, _ category: SessionPolicy.Category? = nil, _ mode: Mode? = nil,
        _ options: CategoryOptions = []
    ) throws -> (category: SessionPolicy.Category, mode: Mode, options: CategoryOptions) {
        let result = try HoldConfiguration(intent, category: category, mode: mode, options: options)
        return (result.category, result.mode, result.options)
    }

    @Test("Intents have defaults, and explicit values replace or extend them")
    func combinations() throws {
        #expect(try configure(nil) == (.playback, .voicePrompt, .duckOthers))
        #expect(try configure(.duck) == (.playback, .voicePrompt, .duckOthers))
        #expect(try configure(.interrupt) == (.playback, .default, []))
        #expect(try configure(.mix) == (.playback, .default, .mixWithOthers))

        #expect(try configure(nil, .record) == (.record, .default, []), "explicit values alone do not duck")
        #expect(try configure(nil, nil, .spokenAudio) == (.playback, .spokenAudio, []))
        #expect(try configure(nil, nil, nil, .mixWithOthers) == (.playback, .default, .mixWithOthers))

        #expect(try configure(.duck, .playAndRecord) == (.playAndRecord, .voicePrompt, .duckOthers))
        #expect(try configure(.duck, .ambient) == (.ambient, .default, .duckOthers), "ambient has no voicePrompt")
        #expect(try configure(.duck, nil, .default) == (.playback, .default, .duckOthers))
        let interruptsSpeech = try configure(.duck, nil, nil, .interruptSpokenAudioAndMixWithOthers)
        #expect(interruptsSpeech.options == [.duckOthers, .interruptSpokenAudioAndMixWithOthers])
        #expect(try configure(.interrupt, .record) == (.record, .default, []))
        #expect(
            try configure(.interrupt, .playAndRecord, .voiceChat, .defaultToSpeaker)
                == (.playAndRecord, .voiceChat, .defaultToSpeaker))
        #expect(try configure(.mix, .ambient) == (.ambient, .default, []), "ambient mixes without an option")
    }

    @Test("Every intent is accepted by the policy with every category that it accepts itself")
    func policyAccepts() throws {
        for intent in HoldConfiguration.Intent.allCases {
            for category in SessionPolicy.Category.allCases {
                guard let result = try? configure(intent, category) else { continue }
                let client = PolicyArbiterClient()
                let id = try client.add(app: 1, result.category, result.mode, result.options)
                let session = try #require(client.state[id])
                #expect(session.isMixable == (intent != .interrupt))
                #expect(session.configuration.ducksOthers == (intent == .duck))
            }
        }
    }

    @Test("Contradictions are usage errors that name both sides and the reason")
    func conflicts() throws {
        func expectError(_ text: String, _ body: () throws -> Void) throws {
            let error = try #require(throws: CommandError.self, performing: body)
            #expect(error.status == .usage)
            #expect(error.message.contains(text), "\(error.message)")
        }
        try expectError("--interrupt and --option duckOthers exclude each other: a session that mixes") {
            _ = try configure(.interrupt, nil, nil, .duckOthers)
        }
        try expectError("--interrupt and --option mixWithOthers exclude each other") {
            _ = try configure(.interrupt, nil, nil, .mixWithOthers)
        }
        try expectError("--interrupt and --category ambient exclude each other") {
            _ = try configure(.interrupt, .ambient)
        }
        try expectError("--mix and --category soloAmbient exclude each other") { _ = try configure(.mix, .soloAmbient) }
        try expectError("--mix and --option duckOthers exclude each other: --mix leaves other sessions") {
            _ = try configure(.mix, nil, nil, .duckOthers)
        }
        try expectError("--mix and --option interruptSpokenAudioAndMixWithOthers exclude each other") {
            _ = try configure(.mix, nil, nil, .interruptSpokenAudioAndMixWithOthers)
        }
        #expect(try configure(.mix, nil, nil, .mixWithOthers) == (.playback, .default, .mixWithOthers))
        try expectError("Category record in mode default does not accept option duckOthers; it accepts ") {
            _ = try configure(.duck, .record)
        }
        try expectError("Category soloAmbient in mode default does not accept option duckOthers; it accepts none.") {
            _ = try configure(.duck, .soloAmbient)
        }
        try expectError("--mode voiceChat cannot be used with category playback, but with playAndRecord.") {
            _ = try configure(.duck, nil, .voiceChat)
        }
    }

    @Test(
        "A session that a command holds is named after the command",
        arguments: [
            (["audiosession", "run", "--", "/usr/bin/espeak", "hi"], "run: espeak"),
            (["audiosession", "run", "--mode", "default", "--", "sh", "--", "x"], "run: sh"),
            (["x", "duck", "--for", "3"], "duck"), (["x", "pause"], "pause"), (["x", "status"], nil),
            (["x", "run"], nil), (["x", "run", "--"], nil), (["x"], nil),
        ] as [([String], String?)])
    func names(words: [String], name: String?) {
        #expect(HoldName(program: "/opt/bin/audiosession", { words })?.text == name)
        #expect(HoldName(program: "/opt/bin/player", { words }) == nil)
    }
}
