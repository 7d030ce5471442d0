import AudioPlayback
import AudioRendering
import AudioSessions
import Foundation
import Recipes
import SessionArbiter
import TestSupport
import Testing

/// A device with several apps, on the offline driver: one engine and one arbiter, as they would meet on a desk.
///
/// Each app sounds on an output channel of its own, so that a test hears them apart; every frame of an app's programme tells its place.
struct Device {
    static let rate = 48_000
    /// Frames of the fade into and out of silence: 5 ms.
    static let fade = 240
    /// Frames of the way down under a duck, 50 ms, and back, 500 ms.
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

    /// The system, for what it does to all: calls, alarms, switches.
    var system: AudioSessionHost { hosts[0] }

    /// An app, by its channel: for its life in foreground and background.
    func app(_ channel: Int) -> AudioSessionHost { hosts[channel] }

    /// A session of an app.
    func session(of app: Int) throws -> AudioSession { try AudioSession(host: hosts[app]) }

    /// The path of a sound file on an app's channel whose frames tell their places.
    func programme(of app: Int, frames: Int = 480_000) throws -> String {
        let path = directory.file("\(app)-\(frames).wav")
        try SoundFile.write(planes(of: app, Signal.counting(frames: frames)), sampleRate: Self.rate, to: path)
        return path
    }

    /// Samples on an app's channel, in memory.
    func buffer(of app: Int, _ samples: [Float]) throws -> AudioBuffer { try AudioBuffer(planes(of: app, samples)) }

    private func planes(of app: Int, _ samples: [Float]) -> [[Float]] {
        hosts.indices.map { $0 == app ? samples : [Float](repeating: 0, count: samples.count) }
    }

    /// What is heard of each app during the next frames, once everything that was decided has been told and carried out.
    func render(_ frames: Int, microphone: [Float] = []) throws -> [Heard] {
        settle()
        let planes = try driver.render(frames: frames, inputs: [microphone])
        settle()
        return planes.map(Heard.init)
    }

    /// Returns when every app has been told everything, and has answered.
    func settle() { for host in hosts { host.settle() } }

    /// The user, asked by an app whether it may record; says how often that was.
    func user(of app: Int, allows: Bool) -> Signpost<Int> {
        let asked = Signpost<Int>()
        hosts[app].setRecordPermissionPrompt { answer in
            asked.note(app)
            answer(allows)
        }
        return asked
    }
}

/// What was heard of one app for a while.
struct Heard {
    let samples: [Float]

    var isSilent: Bool { samples.allSatisfy { $0 == 0 } }

    /// Whether it fades out within 5 ms, without a click, and is silent from there on.
    var fallsSilent: Bool {
        samples[Device.fade...].allSatisfy { $0 == 0 }
            && Signal.largestStep(samples) < 4 * Signal.peak(samples) / Float(Device.fade) + 1e-6
    }

    /// Where it is not exactly the programme from `frame` on, at full level; nil when it is, bit by bit.
    func differs(from frame: Int) -> String? { Signal.firstDifference(samples, Self.programme(frame, samples.count)) }

    /// The same behind a fade in of 5 ms, whose frames count.
    func differs(fadingInFrom frame: Int) -> String? {
        let place = frame + Device.fade
        return Signal.firstDifference(
            samples[Device.fade...], Self.programme(place, samples.count - Device.fade))
    }

    /// The level at the end, in dB, of a programme that was at `frame` at the beginning.
    func decibels(from frame: Int) -> Double {
        Signal.decibels((samples.last ?? 0) * 1_048_576 / Float(frame + samples.count))
    }

    /// Frames `first` and on of any programme: each is its number, from 1, in units of 2^-20.
    private static func programme(_ first: Int, _ count: Int) -> [Float] {
        (first..<(first + count)).map { Float($0 + 1) / 1_048_576 }
    }
}

/// What a session was told, in order, as its app hears it.
final class Story: Sendable {
    private let told = Signpost<AudioSessionEvent>()
    private let observer = SessionObserver()

    init(_ session: AudioSession) { observer.observe(session) { [told] event in told.note(event) } }

    var events: [AudioSessionEvent] { told.noted }

    /// Of them, why the route changed.
    var routeChanges: [AudioSession.RouteChangeReason] {
        events.compactMap { event in
            if case .routeChanged(let reason) = event { reason } else { nil }
        }
    }

    /// Of them, what concerns interruptions.
    var interruptions: [AudioSessionEvent] {
        events.filter { event in
            switch event {
            case .interruptionBegan, .interruptionEnded: true
            default: false
            }
        }
    }
}

/// What an app shows, in order.
final class Screen<Display: Sendable>: Sendable {
    private let shown = Signpost<Display>()

    var displays: [Display] { shown.noted }
    var now: Display? { shown.noted.last }

    @Sendable func show(_ display: Display) { shown.note(display) }
}
