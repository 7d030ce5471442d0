import Foundation
import SessionPolicy
import Testing
import TestRandom

/// The JSON encoding of the rules' values: a public interface, also for programs in other
/// languages.
@Suite struct JSONTests {
    private func text(_ value: some Encodable) throws -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        return String(decoding: try encoder.encode(value), as: UTF8.self)
    }

    private func value<Value: Decodable>(_ type: Value.Type, _ text: String) throws -> Value {
        try JSONDecoder().decode(Value.self, from: Data(text.utf8))
    }

    private func expectRoundTrip<Value: Codable & Equatable>(_ value: Value, _ place: String = "") throws {
        let text = try text([value])
        #expect(!text.contains(#""_0""#) && !text.contains("rawValue"), "\(place) \(text)")
        let back = try self.value([Value].self, text)
        #expect(back == [value], "\(place) \(text)")
    }

    @Test("JSON: an action is one flat object, with the names of the cases")
    func actions() throws {
        let id = SessionID(5)
        let expected: [(PolicyAction, String)] = [
            (.activate(id), #"{"action":"activate","session":5}"#),
            (
                .configure(id, .category(.playback, mode: .moviePlayback, options: .mixWithOthers)),
                #"{"action":"configure","category":"playback","mode":"moviePlayback","options":["mixWithOthers"],"#
                    + #""routeSharingPolicy":"default","session":5}"#
            ),
            (.configure(id, .mode(.voiceChat)), #"{"action":"configure","mode":"voiceChat","session":5}"#),
            (.deactivate(id, notifyOthers: true), #"{"action":"deactivate","notifyOthers":true,"session":5}"#),
            (
                .prefer(id, .ioBufferDuration(0.005)),
                #"{"action":"prefer","preference":"ioBufferDuration","session":5,"value":0.005}"#
            ),
            (
                .beginSystemSession(id, rank: .call, isRinging: true),
                #"{"action":"beginSystemSession","isRinging":true,"rank":"call","session":5}"#
            ),
            (.setVolume(0.5), #"{"action":"setVolume","value":0.5}"#),
            (.pick(.output, "spk"), #"{"action":"pick","direction":"output","uid":"spk"}"#),
            (.pick(.input, nil), #"{"action":"pick","direction":"input"}"#),
            (.preferInput(id, nil), #"{"action":"preferInput","session":5}"#),
            (
                .plug(AudioDevice(uid: "tv", ports: [.output("out", .airPlay)])),
                #"{"action":"plug","device":{"ports":[{"channels":2,"direction":"output","name":"out","#
                    + #""type":"airPlay","uid":"out"}],"uid":"tv"}}"#
            ),
        ]
        for (action, json) in expected {
            #expect(try text(action) == json)
            #expect(try value(PolicyAction.self, json) == action)
        }
        let event = PolicyEvent(.activate(id), at: EventTime(nanoseconds: 8))
        #expect(try text(event) == #"{"action":"activate","session":5,"time":8}"#)
    }

    @Test("JSON: an effect is one flat object, and so is the activity of a session")
    func effects() throws {
        let began = Effect(SessionID(5), .interruptionBegan(.default), .act2, by: SessionID(7))
        #expect(
            try text(began) == #"{"by":7,"effect":"interruptionBegan","reason":"default","rule":"ACT-2","session":5}"#)
        let routed = Effect(SessionID(5), .routeChanged(previous: Route(), .oldDeviceUnavailable), .route3)
        #expect(
            try text(routed) == #"{"effect":"routeChanged","previous":{"inputs":[],"outputs":[]},"#
                + #""reason":"oldDeviceUnavailable","rule":"ROUTE-3","session":5}"#)
        let waiting = SessionState.Activity.waiting(
            .init(interrupter: SessionID(7), rule: .act4, reason: .default, since: .zero))
        #expect(
            try text(waiting)
                == #"{"mayResume":true,"reason":"default","rival":7,"rule":"ACT-4","since":0,"state":"waiting"}"#)
    }

    @Test("JSON: every case of every type survives a round trip, with clean keys")
    func everyCase() throws {
        #expect(Set(JSONSamples.actions.map(\.name)) == Set(PolicyAction.Name.allCases))
        for action in JSONSamples.actions {
            try expectRoundTrip(action)
            try expectRoundTrip(PolicyEvent(action, at: EventTime(nanoseconds: .max)))
            #expect("\(action)".hasPrefix(action.name.rawValue), "the name is that of the case")
        }
        for change in JSONSamples.changes { try expectRoundTrip(change) }
        for preference in JSONSamples.preferences { try expectRoundTrip(preference) }
        for effect in JSONSamples.effects {
            try expectRoundTrip(effect)
            try expectRoundTrip(effect.kind)
            #expect(try text(effect).contains(#""effect":"\#("\(effect.kind)".prefix { $0.isLetter })""#))
        }
        for activity in JSONSamples.activities { try expectRoundTrip(activity) }
        for rule in Rule.allCases { try expectRoundTrip(rule) }
        for category in Category.allCases { try expectRoundTrip(Configuration(category: category)) }
        for mode in Mode.allCases { try expectRoundTrip(mode) }
        for type in PortType.allCases { try expectRoundTrip(type) }
        for code in Refusal.Code.allCases { try expectRoundTrip(Refusal(code, .act5, by: SessionID(1), "no")) }
        for kind in Reason.Kind.allCases {
            let reason = Reason(kind, .duck1, by: SessionID(2), since: .zero)
            try expectRoundTrip(ResolvedGrant(grant: SessionGrant(attenuation: 14.3, isMuted: true), reasons: [reason]))
        }
        try expectRoundTrip([DeactivationKind.silent, .withNotice, .withNoticeNotToResume])
        try expectRoundTrip(PolicySettings())
        try expectRoundTrip(JSONSamples.route)
        try expectRoundTrip(AppState(id: AppID(3)))
        var requests = Preferences()
        requests.ioBufferDuration = 0.1 + 0.2
        try expectRoundTrip(requests)
    }

    @Test(
        "JSON: identifiers are plain numbers, options are names; all combinations survive, unknown bits are not encoded"
    )
    func numbersAndOptions() throws {
        #expect(try text([SessionID(.max)]) == "[18446744073709551615]")
        #expect(try text([Rank.alarm]) == #"["alarm"]"#)
        #expect(try text([RouteChangeReason.categoryChange]) == #"["categoryChange"]"#)
        #expect(
            try text(CategoryOptions.interruptSpokenAudioAndMixWithOthers.union(.duckOthers))
                == #"["duckOthers","interruptSpokenAudioAndMixWithOthers"]"#)
        let bits = (0..<64).map { UInt(1) << $0 }
        let known = CategoryOptions.named.reduce(UInt(0)) { $0 | $1.option.rawValue }
        let knownBits = bits.filter { known & $0 != 0 }
        for choice in 0..<(1 << knownBits.count) {
            let raw = knownBits.indices.reduce(UInt(0)) { choice >> $1 & 1 == 1 ? $0 | knownBits[$1] : $0 }
            let options = CategoryOptions(rawValue: raw)
            #expect(try value(CategoryOptions.self, text(options)) == options)
        }
        for bit in bits where known & bit == 0 {
            #expect(throws: EncodingError.self) { try text(CategoryOptions(rawValue: bit | 1)) }
        }
    }

    @Test(
        "JSON: an invalid action is refused with the value that was read and the allowed ones",
        arguments: [
            (#"{"session":5}"#, ["'action' is missing", "setRingVolume"]),
            (#"{"action":"jump"}"#, ["'action'", "'jump'", "activate"]),
            (#"{"action":7}"#, ["'action' was 7", "one of"]),
            (#"["activate"]"#, ["The value was something else", "an object with 'action'"]),
            (#"{"action":"activate"}"#, ["'session' is missing", "whole number from 0"]),
            (#"{"action":"activate","session":-5}"#, ["'session' was -5", "whole number from 0"]),
            (#"{"action":"activate","session":5.5}"#, ["'session' was 5.5", "whole number"]),
            (#"{"action":"activate","session":"5"}"#, ["'session' was '5'", "whole number"]),
            (#"{"action":"activate","session":null}"#, ["'session' was null", "whole number"]),
            (#"{"action":"activate","session":{"rawValue":5}}"#, ["'session' was something else", "whole number"]),
            (#"{"action":"deactivate","session":5,"notifyOthers":1}"#, ["'notifyOthers' was 1", "true or false"]),
            (#"{"action":"setVolume","value":"loud"}"#, ["'value' was 'loud'", "finite number"]),
            (#"{"action":"setVolume","value":1e300}"#, ["'value' was", "finite number"]),
            (#"{"action":"prefer","session":5,"preference":"speed","value":1}"#, ["'speed'", "ioBufferDuration"]),
            (#"{"action":"prefer","session":5,"preference":"inputChannels","value":1.5}"#, ["1.5", "whole number"]),
            (#"{"action":"configure","session":5}"#, ["'mode' is missing", "voiceChat"]),
            (#"{"action":"configure","session":5,"category":"loud"}"#, ["'category' was 'loud'", "multiRoute"]),
            (#"{"action":"configure","session":5,"mode":"default","options":[]}"#, ["'options'", "category"]),
            (
                #"{"action":"configure","session":5,"category":"playback","options":["mix"]}"#,
                ["Element 0 was 'mix'", "mixWithOthers"]
            ),
            (
                #"{"action":"configure","session":5,"category":"playback","options":1}"#,
                ["'options' was 1", "array"]
            ),
            (
                #"{"action":"beginSystemSession","session":5,"rank":3,"isRinging":false}"#,
                ["'rank' was 3", "app, assistant, alarm, call"]
            ),
            (#"{"action":"plug","device":"usb"}"#, ["'device' was 'usb'", "'ports'"]),
            (#"{"action":"plug","device":{"uid":"a"}}"#, ["'ports' is missing", "array"]),
            (#"{"action":"plug","device":{"uid":"a","ports":[{"uid":"p"}]}}"#, ["'name' is missing"]),
            (#"{"action":"setApplicationState","app":1,"state":"gone"}"#, ["'gone'", "suspended"]),
        ])
    func wrongInput(_ text: String, _ parts: [String]) throws {
        let error = #expect(throws: DecodingError.self) { try value(PolicyAction.self, text) }
        guard let error else { return }
        let context =
            switch error {
            case .dataCorrupted(let context), .keyNotFound(_, let context), .typeMismatch(_, let context),
                .valueNotFound(_, let context):
                context
            @unknown default: DecodingError.Context(codingPath: [], debugDescription: "")
            }
        for part in parts { #expect(context.debugDescription.contains(part), "\(context.debugDescription)") }
    }

    @Test("JSON: non-finite numbers are refused, unknown keys ignored, and values with a default may be omitted")
    func tolerance() throws {
        let decoder = JSONDecoder()
        decoder.nonConformingFloatDecodingStrategy = .convertFromString(
            positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
        for word in ["inf", "-inf", "nan"] {
            #expect(throws: DecodingError.self) {
                try decoder.decode(PolicyAction.self, from: Data(#"{"action":"setVolume","value":"\#(word)"}"#.utf8))
            }
        }
        #expect(
            try value(PolicyAction.self, #"{"action":"activate","session":5,"why":{"a":[1]}}"#)
                == .activate(SessionID(5)))
        #expect(
            try value(PolicyAction.self, #"{"action":"configure","session":5,"category":"ambient"}"#)
                == .configure(SessionID(5), .category(.ambient)))
    }

    @Test("JSON: the states, events, effects and records of 10,000 random steps survive a round trip (SRV-3)")
    func randomWalk() throws {
        var random = SeededGenerator(seed: TestSeed.current)
        let policy = Policy()
        var state = PolicyState()
        var order = GrantOrder()
        for step in 0..<10_000 {
            let event = PolicyEvent(RandomWalk.anyAction(&random), at: EventTime(nanoseconds: UInt64(step)))
            let place = "\(TestSeed.text), step \(step)"
            do {
                try expectRoundTrip(event, place)
                let transition = try policy.apply(event, to: state)
                state = transition.state
                try expectRoundTrip(transition.effects, place)
                try expectRoundTrip(transition.resolvedGrants, place)
                try expectRoundTrip(state, place)
                order.update(to: state)
                try expectRoundTrip(state.systemRecord(order), place)
                if let session = state.sessions.randomElement(using: &random) {
                    let record = state.record(of: session.id, order, resolvedGrant: transition.resolvedGrants.first)
                    try expectRoundTrip(record, place)
                }
            } catch let refusal as Refusal {
                try expectRoundTrip(refusal, place)
            } catch {
                Issue.record(error, "\(place)")
            }
        }
    }
}
