extension SessionView.DescriptionView {
    /// Returns what the app says about the session, as sentences: "Nothing says what it is, so it
    /// plays along with others. It is controlled by the level of its streams." Nil if it says
    /// nothing but a name. What an app says about itself is quoted as that.
    var phrase: String? {
        guard isByAdopter else {
            // Any app can say anything about its own sessions.
            let values = [evidence, detail, entry].compactMap(\.self) + (controls ?? [])
            return values.isEmpty ? nil : "Its app says about it: \(values.joined(separator: ", "))."
        }
        let sentences = [evidencePhrase, entryPhrase, controlsPhrase, detectionPhrase].compactMap(\.self)
        return sentences.isEmpty ? nil : sentences.joined(separator: " ")
    }

    private var evidencePhrase: String? {
        guard let evidence else { return nil }
        switch (evidence, detail) {
        case ("settings", let entry?): return "The entry '\(entry)' of the settings decides its session."
        case ("role", let role?): return "The role '\(role)' of its streams decides its session."
        case ("mediaPlayer", let name?): return "It has the media player \(name), which decides its session."
        case ("none", _): return "Nothing says what it is, so it plays along with others."
        case (_, let detail?): return "Its session follows from \(evidence): \(detail)."
        case (_, nil): return "Its session follows from \(evidence)."
        }
    }

    private var entryPhrase: String? {
        guard let entry, evidence != "settings" else { return nil }
        return "The entry '\(entry)' of the settings applies, too."
    }

    private var controlsPhrase: String? {
        guard let controls = controls?.filter({ $0 != Self.detection }) else { return nil }
        guard !controls.isEmpty else { return "Nothing of it can be lowered or held." }
        return "It is controlled by \(Text.list(controls.map { Self.controls[$0] ?? $0 }))."
    }

    private var detectionPhrase: String? {
        controls?.contains(Self.detection) == true ? "It lowers others only while its streams are audible." : nil
    }

    private static let detection = "detection"

    static let controls = [
        "level": "the level of its streams", "hold": "holding its streams", "player": "its media player",
    ]
}
