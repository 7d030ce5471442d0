/// A unit that is plugged in and unplugged as a whole. A headset, for example, consists of its
/// headphones and its microphone.
public struct AudioDevice: Hashable, Sendable, Codable {
    /// Unique among the devices of the same server, and the same each time the device is plugged
    /// in.
    public var uid: String
    /// The device's ports.
    public var ports: [DevicePort]
    /// The name of the audio server that has the device; the apps of that server see it. Nil for a
    /// virtual device that only the policy knows, which every app sees, and for the devices that a
    /// driver reports, which are those of its own server.
    public var server: String?
    /// In an app's report: whether the device was lost with its server, which has returned, and is
    /// expected to return as well. No other device replaces it in the routes of the app's sessions,
    /// which have no sound there meanwhile (SRV-2).
    public var isAwaited: Bool

    public init(uid: String, ports: [DevicePort], server: String? = nil, isAwaited: Bool = false) {
        self.uid = uid
        self.ports = ports
        self.server = server
        self.isAwaited = isAwaited
    }

    /// The uid of the device that holds the audio server's own ports if nothing more is known about
    /// them: a server without a sound card, or a card of unknown kind. The uids of these ports are
    /// `output` and `input`. Sessions use the device only if they may use no other.
    public static let serverUID = "server"
}
