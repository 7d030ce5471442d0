import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Recipes
import SessionArbiter
import TestSupport
import Testing

/// A device with several apps, on the offline driver: one engine and one arbiter, as on a desktop.
///
/// Each app plays on an output channel of its own, so that a test can distinguish them. The value
/// of each frame of an app's program is its position.
struct Device {
    static let rate = 48_000
    /// Frames of the fade into and out of silence: 5 ms.
    static let fade = 240
    /// Frames of the attack of a duck, 50 ms, and of its release, 500 ms.
    static let attack = 2_400
    static let release = 24_000

    let driver: OfflineDriver
    private let hosts: [AudioSessionHost]
    private let directory: TemporaryDirectory

    init(apps: Int, microphones: Int = 0, settings: ArbiterSettings = ArbiterSettings()) throws {
        driver = OfflineDriver(
            sampleRate: Self.rate, channels: apps, inputChannels: microphones, periodFrames: 256)
        let first = AudioSessionHost(driver: driver, settings: settings)
        hosts = [first] + (1..<apps).map { AudioSessionHost(app: UInt64($0) << 32, sharing: first) }
        directory = try TemporaryDirectory()
    }

    /// The system, for events that affect all apps: calls, alarms, switches.
    var system: AudioSessionHost { hosts[0] }

    /// Returns the host of the app on this channel, to move it between foreground and background.
    func app(_ channel: Int) -> AudioSessionHost { hosts[channel] }

    /// Returns a new session of an app.
    func session(of app: Int) throws -> AudioSession { try AudioSession(host: hosts[app]) }

    /// Returns the path of a sound file on an app's channel. The value of each frame is its
    /// position.
    func programme(of app: Int, frames: Int = 480_000) throws -> String {
        let path = directory.file("\(app)-\(frames).wav")
        try SoundFile.write(planes(of: app, Signal.counting(frames: frames)), sampleRate: Self.rate, to: path)
        return path
    }

    /// Returns the path for a file of an app.
    func path(_ name: String) -> String { directory.file(name) }

    /// Returns a buffer with samples on an app's channel.
    func buffer(of app: Int, _ samples: [Float]) throws -> AudioBuffer { try AudioBuffer(planes(of: app, samples)) }

    private func planes(of app: Int, _ samples: [Float]) -> [[Float]] {
        hosts.indices.map { $0 == app ? samples : [Float](repeating: 0, count: samples.count) }
    }

    /// Returns the output of each app during the next frames, after all pending decisions have been
    /// delivered and applied.
    func render(_ frames: Int, microphone: [Float] = []) throws -> [Heard] {
        settle()
        let planes = try driver.render(frames: frames, inputs: [microphone])
        settle()
        return planes.map(Heard.init)
    }

    /// Returns when every app has received and handled all notifications.
    func settle() { for host in hosts { host.settle() } }

    /// Sets the user's answer to an app's permission request. Returns a log of the requests.
    func user(of app: Int, allows: Bool) -> EventLog<Int> {
        let asked = EventLog<Int>()
        hosts[app].setRecordPermissionPrompt { answer in
            asked.note(app)
            answer(allows)
        }
        return asked
    }
}

/// The output of one app over a time span.
struct Heard {
    let samples: [Float]

    var isSilent: Bool { samples.allSatisfy { $0 == 0 } }

    /// Whether the output fades out within 5 ms, without a click, and is silent from then on.
    var fallsSilent: Bool {
        samples[Device.fade...].allSatisfy { $0 == 0 }
            && Signal.largestStep(samples) < 4 * Signal.peak(samples) / Float(Device.fade) + 1e-6
    }

    /// Compares the output with the program from `frame` on, at full level. Returns the first
    /// difference; nil if they are bit-identical.
    func differs(from frame: Int) -> String? { Signal.firstDifference(samples, Self.programme(frame, samples.count)) }

    /// Does the same after a fade-in of 5 ms, whose frames count.
    func differs(fadingInFrom frame: Int) -> String? {
        let place = frame + Device.fade
        return Signal.firstDifference(
            samples[Device.fade...], Self.programme(place, samples.count - Device.fade))
    }

    /// Returns the level at the end, in dB, of a program that started at `frame`.
    func decibels(from frame: Int) -> Double {
        Signal.decibels((samples.last ?? 0) * 1_048_576 / Float(frame + samples.count))
    }

    /// Returns `count` frames of any program, starting at `first`. The value of each is its number,
    /// from 1, in units of 2^-20.
    private static func programme(_ first: Int, _ count: Int) -> [Float] {
        (first..<(first + count)).map { Float($0 + 1) / 1_048_576 }
    }
}

/// The events of a session, in the order in which its app receives them.
final class Scenario: Sendable {
    private let notified = EventLog<AudioSessionEvent>()
    private let observer = SessionObserver()

    init(_ session: AudioSession) { observer.observe(session) { [notified] event in notified.note(event) } }

    var events: [AudioSessionEvent] { notified.noted }

    /// The reasons of the route changes among them.
    var routeChanges: [AudioSession.RouteChangeReason] {
        events.compactMap { event in
            if case .routeChanged(let reason) = event { reason } else { nil }
        }
    }

    /// The interruption events among them.
    var interruptions: [AudioSessionEvent] {
        events.filter { event in
            switch event {
            case .interruptionBegan, .interruptionEnded: true
            default: false
            }
        }
    }
}

/// The display states of an app, in order.
final class Screen<Display: Sendable>: Sendable {
    private let shown = EventLog<Display>()

    var displays: [Display] { shown.noted }
    var now: Display? { shown.noted.last }

    /// Waits until the display shows this state.
    func shows(_ display: Display) -> Bool where Display: Equatable { shown.wait { $0.last == display } }

    @Sendable func show(_ display: Display) { shown.note(display) }
}
