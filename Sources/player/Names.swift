import AudioSessions

/// The names that the command line uses for categories, modes and options, and what they stand for.
struct Names<Value: Sendable>: Sendable {
    let table: [(name: String, value: Value)]
    let what: String

    /// "ambient, soloAmbient, …".
    var known: String { table.map(\.name).joined(separator: ", ") }

    /// The value of a name; throws a sentence that lists the known names.
    func value(_ name: String) throws(PlayerFailure) -> Value {
        guard let row = table.first(where: { $0.name == name }) else {
            throw PlayerFailure(.usage, "There is no \(what) '\(name)'; known are \(known).")
        }
        return row.value
    }

    /// The name of the first value that `matches`.
    func name(where matches: (Value) -> Bool) -> String? { table.first { matches($0.value) }?.name }
}

extension Names where Value == AudioSession.Category {
    static let categories = Names(
        table: [
            ("ambient", .ambient), ("soloAmbient", .soloAmbient), ("playback", .playback), ("record", .record),
            ("playAndRecord", .playAndRecord), ("multiRoute", .multiRoute), ("audioProcessing", .audioProcessing),
        ], what: "category")
}

extension Names where Value == AudioSession.Mode {
    static let modes = Names(
        table: [
            ("default", .default), ("voiceChat", .voiceChat), ("videoChat", .videoChat), ("gameChat", .gameChat),
            ("videoRecording", .videoRecording), ("measurement", .measurement), ("moviePlayback", .moviePlayback),
            ("spokenAudio", .spokenAudio), ("voicePrompt", .voicePrompt), ("shortFormVideo", .shortFormVideo),
            ("dualRoute", .dualRoute),
        ], what: "mode")
}

extension Names where Value == AudioSession.CategoryOptions {
    static let options = Names(
        table: [
            ("mixWithOthers", .mixWithOthers), ("duckOthers", .duckOthers),
            ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
            ("allowBluetoothHFP", .allowBluetoothHFP), ("allowBluetoothA2DP", .allowBluetoothA2DP),
            ("allowAirPlay", .allowAirPlay), ("defaultToSpeaker", .defaultToSpeaker),
            ("overrideMutedMicrophoneInterruption", .overrideMutedMicrophoneInterruption),
            ("farFieldInput", .farFieldInput), ("bluetoothHighQualityRecording", .bluetoothHighQualityRecording),
        ], what: "option")

    /// The names of a set.
    func names(of options: AudioSession.CategoryOptions) -> [String] {
        table.filter { options.contains($0.value) }.map(\.name)
    }
}
