// EffectNode [NAME]: an echo that other apps can send sound to, "Echo" by default. It needs no
// session, because it plays nothing to the device. NodeHost uses it.
import AudioRendering
import CEcho
import Foundation
import InterAppAudio

/// Owns the C echo. The insert owns this object, so the echo exists as long as the engine renders
/// it.
///
/// Unchecked `Sendable`: only the render thread uses the echo.
final class Echo: @unchecked Sendable {
    let handle: OpaquePointer

    init?(channels: Int, delayFrames: Int, feedback: Float) {
        guard let handle = echo_create(UInt32(channels), UInt32(delayFrames), feedback) else { return nil }
        self.handle = handle
    }

    deinit { echo_destroy(handle) }
}

do {
    let node = try AudioNode(.init(kind: .effect, name: CommandLine.arguments.dropFirst().first ?? "Echo"))
    let rate = node.engine.format?.sampleRate ?? 48_000
    guard let echo = Echo(channels: 2, delayFrames: rate * 3 / 10, feedback: 0.5), let input = node.input else {
        print("Not enough memory for an echo; close other programs.")
        exit(1)
    }
    let insert = try AudioInsert(context: UnsafeMutableRawPointer(echo.handle), owner: echo, function: echo_render)
    try node.bus.setGraph(BusGraph(buses: [.init("echo", channels: 2, insert: insert)]))
    try node.engine.play(.input(input), on: node.bus.bus("echo"))
    node.setCommandHandler { print("The host says: \($0)") }
    print("Published. End it with Ctrl-C; NodeHost lists it.")
    withExtendedLifetime(node) { dispatchMain() }
} catch {
    print(error)
    exit(1)
}
