import AudioSessions
import SessionProgramSupport

/// Chooses the input of a session and the channels to record.
struct RecordingInput {
    let session: AudioSession
    let options: RecorderOptions

    /// Chooses the input that `--input` names, if given. Returns how many channels to record.
    /// Connects to the server. Throws if there is no such input, or it has too few channels.
    func choose() throws -> Int {
        // An activation reports why there is no server.
        if session.host.format == nil { try session.setActive(true) }
        let input = try preferredInput()
        let known = input?.channels?.count ?? session.inputNumberOfChannels
        guard known > 0 else { throw missing() }
        let channels = options.channels ?? min(8, known - options.firstChannel + 1)
        let last = options.firstChannel + channels - 1
        guard channels > 0, last <= known else {
            let name = input?.portName ?? session.currentRoute.inputs.first?.portName ?? "input"
            throw ProgramFailure(
                .usage,
                """
                Channels \(options.firstChannel) to \(max(last, options.firstChannel)) were requested, but '\(name)' \
                has \(known); change --channels or --first-channel.
                """)
        }
        return channels
    }

    private func preferredInput() throws -> AudioSessionPortDescription? {
        guard let name = options.input else { return nil }
        let inputs = session.availableInputs ?? []
        let names: [(AudioSessionPortDescription) -> String] = [{ $0.uid }, { $0.portType.rawValue }, { $0.portName }]
        for text in names {
            let matches = inputs.filter { text($0) == name }
            guard let input = matches.first else { continue }
            guard matches.count == 1 else {
                throw ProgramFailure(.usage, "\(matches.count) inputs are named '\(name)'; use a uid. \(list(inputs))")
            }
            try session.setPreferredInput(input)
            return input
        }
        throw ProgramFailure(.usage, "There is no input '\(name)'. \(list(inputs))")
    }

    private func list(_ inputs: [AudioSessionPortDescription]) -> String {
        let texts = inputs.map { "\($0.uid) (\($0.portType.rawValue), \($0.portName))" }
        return "Inputs: \(texts.isEmpty ? "none" : texts.joined(separator: ", "))."
    }

    private func missing() -> ProgramFailure {
        guard [.record, .playAndRecord, .multiRoute].contains(session.category) else {
            return ProgramFailure(
                .usage, "Category \(options.categoryName) has no input; use record or playAndRecord.")
        }
        return ProgramFailure(
            .unavailable,
            "The audio server '\(session.host.format?.server ?? "")' has no input; connect a microphone, then try again."
        )
    }
}
