// NodeHost: lists the generators, effects and instruments of other apps.
// NodeHost NAME [FILE]: uses one. Sends the file to an effect, and a scale to an instrument.
import AudioRendering
import AudioSessions
import Foundation
import InterAppAudio

/// Sends an eighth note of each step of a scale, on exact frames.
func playScale(_ midi: MIDIOutput, from start: UInt64, rate: Int) throws {
    for (step, key) in [60, 62, 64, 65, 67, 69, 71, 72].enumerated() {
        let frame = start + UInt64(step * rate / 4)
        try midi.send(.noteOn(channel: 0, key: UInt8(key), velocity: 100), at: frame)
        try midi.send(.noteOff(channel: 0, key: UInt8(key), velocity: 64), at: frame + UInt64(rate / 5))
    }
}

do {
    // A host's session is active and mixable.
    let session = AudioSession.shared
    try session.setCategory(.playback, options: .mixWithOthers)
    try session.setActive(true)
    let (host, engine) = (try AudioHost(session: session), try session.engine)
    let arguments = Array(CommandLine.arguments.dropFirst())
    guard let name = arguments.first else {
        print(host.nodes.isEmpty ? "No app publishes a node; start EffectNode." : "Nodes:")
        for node in host.nodes { print("  \(node.name): \(node.kind.rawValue) of \(node.client)") }
        exit(0)
    }
    guard let node = host.nodes.first(where: { $0.name == name }) else {
        print("There is no node '\(name)'; nodes: \(host.nodes.map(\.name).joined(separator: ", ")).")
        exit(69)
    }
    let hosted = try host.connect(node)
    let observation = host.observe { event in
        if case .stateChanged(let hosted, let state) = event { print("\(hosted.node.name): \(state.rawValue)") }
    }
    if let send = hosted.send {
        let sound = try AudioBuffer(path: arguments.dropFirst().first ?? "Examples/Media/music.ogg")
        // Directly, and through the effect, both from the next period on.
        try engine.play(.buffer(sound), on: session.bus, gain: 0.5)
        try engine.play(.buffer(sound), on: send, gain: 0.5)
    } else if let midi = hosted.midi, node.kind == .instrument {
        let rate = engine.format?.sampleRate ?? 48_000
        try playScale(midi, from: engine.currentFrame + UInt64(rate / 10), rate: rate)
    }
    print("Playing through \(node.name) of \(node.client); end it with Ctrl-C.")
    withExtendedLifetime((hosted, observation)) { dispatchMain() }
} catch {
    print(error)
    exit(1)
}
