package import AudioSessions

/// Maps the names of categories, modes and options on the command line to their values.
package struct Names<Value: Sendable>: Sendable {
    let table: [(name: String, value: Value)]
    let what: String

    package var names: [String] { table.map(\.name) }
    /// The known names as text: "ambient, soloAmbient, …".
    package var known: String { names.joined(separator: ", ") }

    /// Returns the value of a name. Throws an error that lists the known names.
    package func value(_ name: String) throws(ProgramFailure) -> Value {
        guard let row = table.first(where: { $0.name == name }) else {
            throw ProgramFailure(.usage, "Unknown \(what) '\(name)'. Known values: \(known).")
        }
        return row.value
    }

    /// Returns the name of the first value that `matches`.
    package func name(where matches: (Value) -> Bool) -> String? { table.first { matches($0.value) }?.name }
}

extension Names where Value == AudioSession.Category {
    package static let categories = Names(
        table: [
            ("ambient", .ambient), ("soloAmbient", .soloAmbient), ("playback", .playback), ("record", .record),
            ("playAndRecord", .playAndRecord), ("multiRoute", .multiRoute), ("audioProcessing", .audioProcessing),
        ], what: "category")
}

extension Names where Value == AudioSession.Mode {
    package static let modes = Names(
        table: [
            ("default", .default), ("voiceChat", .voiceChat), ("videoChat", .videoChat), ("gameChat", .gameChat),
            ("videoRecording", .videoRecording), ("measurement", .measurement), ("moviePlayback", .moviePlayback),
            ("spokenAudio", .spokenAudio), ("voicePrompt", .voicePrompt), ("shortFormVideo", .shortFormVideo),
            ("dualRoute", .dualRoute),
        ], what: "mode")
}

extension Names where Value == AudioSession.CategoryOptions {
    package static let options = Names(
        table: [
            ("mixWithOthers", .mixWithOthers), ("duckOthers", .duckOthers),
            ("interruptSpokenAudioAndMixWithOthers", .interruptSpokenAudioAndMixWithOthers),
            ("allowBluetoothHFP", .allowBluetoothHFP), ("allowBluetoothA2DP", .allowBluetoothA2DP),
            ("allowAirPlay", .allowAirPlay), ("defaultToSpeaker", .defaultToSpeaker),
            ("overrideMutedMicrophoneInterruption", .overrideMutedMicrophoneInterruption),
            ("farFieldInput", .farFieldInput), ("bluetoothHighQualityRecording", .bluetoothHighQualityRecording),
        ], what: "option")

    /// Returns the names of the options in a set.
    package func names(of options: AudioSession.CategoryOptions) -> [String] {
        table.filter { options.contains($0.value) }.map(\.name)
    }
}
