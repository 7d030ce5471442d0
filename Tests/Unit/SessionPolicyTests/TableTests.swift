import SessionPolicy
import Testing

/// The tables of the behavior document, written a second time from the document and not from the
/// sources.
private let categoryTable: [(Category, silenced: Bool, mixes: String, input: Bool, output: Bool)] = [
    (.ambient, true, "always", false, true),
    (.soloAmbient, true, "never", false, true),
    (.playback, false, "option", false, true),
    (.record, false, "never", true, false),
    (.playAndRecord, false, "option", true, true),
    (.audioProcessing, false, "never", false, false),
    (.multiRoute, false, "option", true, true),
]

private let modeTable: [Mode: [Category]] = [
    .default: Category.allCases,
    .voiceChat: [.playAndRecord],
    .videoChat: [.playAndRecord],
    .gameChat: [.playAndRecord],
    .videoRecording: [.playAndRecord, .record],
    .measurement: [.playAndRecord, .record, .playback],
    .moviePlayback: [.playback],
    .spokenAudio: [.playback, .soloAmbient, .playAndRecord, .multiRoute],
    .voicePrompt: [.playback, .playAndRecord],
    .shortFormVideo: [.playback],
    .dualRoute: [.multiRoute],
]

/// Returns whether OPT-1 and OPT-2 allow an option, in the order of the document; `asked` contains
/// all options of the request.
private func optionSuits(_ name: String, _ category: Category, _ mode: Mode, asked: Set<String>) -> Bool {
    switch name {
    case "mixWithOthers":
        // With duckOthers it only restates what duckOthers implies.
        [.playback, .playAndRecord].contains(category) || (category == .multiRoute && mode == .default)
            || (category == .ambient && asked.contains("duckOthers"))
    case "interruptSpokenAudioAndMixWithOthers":
        [.playback, .playAndRecord].contains(category) || (category == .multiRoute && mode == .default)
    case "duckOthers":
        [.playback, .playAndRecord, .ambient].contains(category) || (category == .multiRoute && mode == .default)
    case "allowBluetoothHFP":
        [.record, .playAndRecord].contains(category) || (category == .multiRoute && mode == .dualRoute)
    case "allowBluetoothA2DP", "allowAirPlay", "defaultToSpeaker":
        category == .playAndRecord
    case "overrideMutedMicrophoneInterruption":
        [.record, .playAndRecord, .multiRoute].contains(category)
    case "farFieldInput":
        [.record, .playAndRecord, .multiRoute].contains(category)
            && (asked.contains("allowBluetoothHFP") || [.voiceChat, .videoChat, .gameChat].contains(mode))
    case "bluetoothHighQualityRecording":
        category == .playAndRecord && mode == .default
    default: false
    }
}

@Suite struct TableTests {
    @Test("CAT: every row of the table of categories")
    func categories() throws {
        #expect(categoryTable.count == Category.allCases.count)
        for row in categoryTable {
            let traits = row.0.traits
            #expect(traits.obeysSilentSwitch == row.silenced, "\(row.0)")
            #expect(traits.hasInput == row.input, "\(row.0)")
            #expect(traits.hasOutput == row.output, "\(row.0)")
            #expect(Configuration(category: row.0).isMixable(outputMuted: false) == (row.mixes == "always"), "\(row.0)")
            let mixing = Configuration(category: row.0, requestedOptions: .mixWithOthers)
            #expect(mixing.isMixable(outputMuted: false) == (row.mixes != "never"), "\(row.0)")
        }
    }

    @Test("CAT: the grant of each category when active and alone")
    func granted() throws {
        for row in categoryTable {
            for silent in [false, true] {
                var scene = Scene()
                try scene.add(1, row.0)
                try scene.activate(1)
                try scene.do(.setRecordPermission(AppID(1), .granted))
                if row.input { try scene.do(.setInputRunning(SessionID(1), true)) }
                try scene.do(.setSilentSwitch(silent))
                let muted = !row.output || (silent && row.silenced)
                #expect(
                    try scene.grant(1) == SessionGrant(isMuted: muted, isInputGranted: row.input), "\(row.0) \(silent)")
            }
        }
    }

    @Test(
        "MODE-1, OPT-1, OPT-2, OPT-3: each category × mode × option and pair of options follows the tables"
    )
    func everyCombination() throws {
        let named = CategoryOptions.named
        var taken = 0
        for category in Category.allCases {
            for mode in Mode.allCases {
                for a in 0...named.count {
                    for b in a...named.count {
                        let asked = Set([a, b].filter { $0 < named.count }.map { named[$0].name })
                        let options = [a, b].filter { $0 < named.count }
                            .reduce(into: CategoryOptions()) { $0.formUnion(named[$1].option) }
                        let wanted =
                            modeTable[mode]?.contains(category) == true
                            && asked.allSatisfy { optionSuits($0, category, mode, asked: asked) }
                            && (mode != .dualRoute || asked.contains("allowBluetoothHFP"))
                        var scene = Scene()
                        try scene.add(1)
                        let action = PolicyAction.configure(
                            SessionID(1), .category(category, mode: mode, options: options))
                        if wanted {
                            try scene.do(action)
                            taken += 1
                            #expect(try scene.session(1).configuration.options.isSuperset(of: options))
                        } else {
                            let refusal = try scene.refusal(of: action)
                            #expect(refusal.code == .badParam)
                            #expect([.mode1, .opt3, .opt2].contains(refusal.rule), "\(category) \(mode) \(asked)")
                        }
                    }
                }
            }
        }
        #expect(taken > 300)
    }

    @Test("MODE-1: the message lists suitable values, and a setting treats the pair as default")
    func unsuitedMode() throws {
        var scene = Scene()
        try scene.add(1)
        let action = PolicyAction.configure(SessionID(1), .category(.playback, mode: .voiceChat))
        let refusal = try scene.refusal(of: action)
        #expect(refusal.rule == .mode1)
        for word in ["voiceChat", "playback", "playAndRecord", "moviePlayback", "spokenAudio"] {
            #expect(refusal.message.contains(word))
        }
        var settings = PolicySettings()
        settings.treatsUnsuitedModeAsDefault = true
        var lenient = Scene(Policy(settings: settings))
        try lenient.add(1)
        try lenient.do(action)
        #expect(try lenient.session(1).configuration == Configuration(category: .playback))
    }

    @Test("MODE-2: a category that does not fit the current mode resets it; one that fits keeps it")
    func modeReset() throws {
        var scene = Scene()
        try scene.add(1, .playAndRecord, .voiceChat)
        try scene.do(.configure(SessionID(1), .category(.playback)))
        #expect(try scene.session(1).configuration.mode == .default)
        try scene.do(.configure(SessionID(1), .mode(.spokenAudio)))
        try scene.do(.configure(SessionID(1), .category(.soloAmbient)))
        #expect(try scene.session(1).configuration.mode == .spokenAudio)
    }

    @Test("MODE-3, OPT-1: implied options are visible, and are removed with the value that implies them")
    func implied() throws {
        var scene = Scene()
        try scene.add(1, .playAndRecord, .videoChat)
        #expect(try scene.session(1).configuration.options == [.allowBluetoothHFP, .defaultToSpeaker])
        try scene.do(.configure(SessionID(1), .mode(.voiceChat)))
        #expect(try scene.session(1).configuration.options == .allowBluetoothHFP)
        try scene.do(.configure(SessionID(1), .mode(.default)))
        #expect(try scene.session(1).configuration.options == [])
        try scene.configure(1, .ambient, .default, .duckOthers)
        #expect(try scene.session(1).configuration.options == [.duckOthers, .mixWithOthers])
        let bitAlone = CategoryOptions(rawValue: 0x10)
        try scene.configure(1, .playback, .default, bitAlone)
        #expect(try scene.session(1).configuration.options == .interruptSpokenAudioAndMixWithOthers)
    }

    @Test("OPT-2: output-only categories reach wireless outputs without an option; record and multiRoute never")
    func wireless() throws {
        let categories = Category.allCases.filter { Configuration(category: $0).impliesWirelessOutput }
        #expect(categories == [.ambient, .soloAmbient, .playback])
    }

    @Test("OPT-3: the options in effect can be set again, whatever was requested")
    func roundTrip() throws {
        for category in Category.allCases {
            for mode in Mode.allCases where mode.suits(category) {
                let choices = CategoryOptions.sanitized(to: category, mode: mode)
                for (_, option) in choices + [("none", [])] {
                    var scene = Scene()
                    try scene.add(1)
                    let needed = option.union(mode.neededOptions).union(
                        option == .farFieldInput ? .allowBluetoothHFP : [])
                    guard (try? scene.configure(1, category, mode, needed)) != nil else { continue }
                    let options = try scene.session(1).configuration.options
                    try scene.configure(1, category, mode, options)
                    #expect(try scene.session(1).configuration.options == options)
                }
            }
        }
    }

    @Test("OPT-3: unknown bits are refused, and the known options listed")
    func unknownBits() throws {
        var scene = Scene()
        try scene.add(1)
        let refusal = try scene.refusal(
            of: .configure(SessionID(1), .category(.playback, options: CategoryOptions(rawValue: 1 << 30))))
        #expect(refusal.rule == .opt3)
        #expect(refusal.message.contains("0x40000000") && refusal.message.contains("duckOthers"))
    }

    @Test("CAT-1: a new session is soloAmbient, default, without options; it plays and does not record")
    func newSession() throws {
        var scene = Scene()
        try scene.add(1)
        #expect(try scene.session(1).configuration == Configuration(category: .soloAmbient))
        try scene.activate(1)
        #expect(try scene.grant(1) == SessionGrant())
    }

    @Test("CAT-6: the category is readable while inactive, and options are not sticky")
    func notSticky() throws {
        var scene = Scene()
        try scene.add(1, .playback, .default, .duckOthers)
        #expect(try scene.session(1).configuration.category == .playback)
        try scene.do(.configure(SessionID(1), .category(.playback)))
        #expect(try scene.session(1).configuration.options == [])
        try scene.configure(1, .playback, .default, .duckOthers)
        try scene.do(.configure(SessionID(1), .mode(.spokenAudio)))
        #expect(try scene.session(1).configuration.options.contains(.duckOthers), "setting a mode keeps options")
    }

    @Test("CAT-7: without an input no recording category is available")
    func available() {
        #expect(Category.available(hasInput: true) == Category.allCases)
        #expect(
            Category.available(hasInput: false) == [.ambient, .soloAmbient, .playback, .audioProcessing, .multiRoute])
        #expect(!Mode.available(hasInput: false).contains(.voiceChat))
        #expect(Mode.available(hasInput: false).contains(.measurement), "playback also supports it")
    }

    @Test("ROUTE-10: long-form policies only with playback, never shortFormVideo; independent never")
    func routeSharing() throws {
        for category in Category.allCases {
            for policy in RouteSharingPolicy.allCases {
                var scene = Scene()
                try scene.add(1)
                let action = PolicyAction.configure(SessionID(1), .category(category, routeSharingPolicy: policy))
                if policy == .default || (category == .playback && policy != .independent) {
                    try scene.do(action)
                } else {
                    #expect(try scene.refusal(of: action).rule == .route10)
                }
            }
        }
        var scene = Scene()
        try scene.add(1)
        let video = ConfigurationChange.category(.playback, mode: .shortFormVideo, routeSharingPolicy: .longFormVideo)
        #expect(try scene.refusal(of: .configure(SessionID(1), video)).rule == .route10)
    }

    @Test("HW-4: invalid preferred values are refused, zero clears, and inputs need a category that has one")
    func preferences() throws {
        var scene = Scene()
        try scene.add(1, .playback)
        let bad: [Preference] = [
            .sampleRate(-1), .sampleRate(.nan), .sampleRate(.infinity), .sampleRate(1e9), .sampleRate(1),
            .ioBufferDuration(-0.01), .ioBufferDuration(0.000_01), .ioBufferDuration(.nan),
            .ioBufferDuration(.infinity), .ioBufferDuration(1e6),
            .inputChannels(-1), .outputChannels(-2), .outputChannels(1_000_000),
        ]
        for preference in bad {
            let refusal = try scene.refusal(of: .prefer(SessionID(1), preference))
            #expect(refusal.code == .badParam && refusal.rule == .hw4, "\(preference)")
        }
        #expect(try scene.refusal(of: .prefer(SessionID(1), .inputChannels(2))).code == .incompatibleCategory)
        try scene.do(.prefer(SessionID(1), .inputChannels(0)))
        try scene.do(.prefer(SessionID(1), .sampleRate(44_100)))
        #expect(try scene.session(1).preferences.sampleRate == 44_100)
        try scene.do(.prefer(SessionID(1), .sampleRate(0)))
        #expect(try scene.session(1).preferences == Preferences())
    }

    @Test("HW-2: the shortest active duration applies until its session leaves; for rates the newest primary's")
    func requests() throws {
        var scene = Scene()
        try scene.add(1, .playback, .default, .mixWithOthers)
        try scene.add(2, .playback)
        try scene.do(.prefer(SessionID(1), .ioBufferDuration(0.005)))
        try scene.do(.prefer(SessionID(1), .sampleRate(96_000)))
        try scene.do(.prefer(SessionID(2), .ioBufferDuration(0.02)))
        try scene.do(.prefer(SessionID(2), .sampleRate(44_100)))
        #expect(scene.state.resolvedIOBufferDuration == nil)
        try scene.activate(2)
        #expect(scene.state.resolvedIOBufferDuration == 0.02)
        try scene.activate(1)
        #expect(scene.state.resolvedIOBufferDuration == 0.005)
        #expect(scene.state.resolvedSampleRate == 44_100)
        try scene.deactivate(1)
        #expect(scene.state.resolvedIOBufferDuration == 0.02)
    }
}
