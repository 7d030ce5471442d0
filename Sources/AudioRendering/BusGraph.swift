/// A session's desk: the buses that lead to its session bus, and the sends between them. A plain value: describe it, hand it to
/// ``SessionBus/setGraph(_:)``, and that holds; compare, store or change it as any other.
///
/// ```swift
/// try session.bus.setGraph(
///     BusGraph(
///         buses: [.init("drums"), .init("snare", to: "drums"), .init("vocals"), .init("reverb", insert: hall, isSoloSafe: true)],
///         sends: [.init(from: "vocals", to: "reverb", level: 0.25)]))
/// ```
///
/// What a bus does, in this order: it adds up what plays on it, the buses that lead to it and the sends to it · its insert · mute and solo · sends before
/// the fader · gain and pan · sends behind the fader, its meter, and where it leads. Inserts that delay are made up for: all that a session plays, on its desk or its own
/// bus, leaves that together. Other sessions are not delayed.
public struct BusGraph: Sendable, Equatable {
    /// One bus, by its name.
    public struct Bus: Sendable, Equatable {
        /// Its own within the session; not empty.
        public var name: String
        /// The bus it leads to; nil: the session's.
        public var parent: String?
        /// 1…the engine's `maximumChannels`; nil: as many as where it leads, also when that changes. With an insert it keeps those that it had when it got it.
        public var channels: Int?
        /// Its channels to those of where it leads; nil is the usual map (``ChannelMap/standard(from:to:)``).
        public var map: ChannelMap?
        /// Changes its sum.
        public var insert: AudioInsert?
        /// How a place between left and right becomes two gains; nil: it has no pan. A mono bus without a map is panned to the first two channels of where it leads,
        /// with −3 dB each in the middle (`linear`: −6 dB); any other is balanced between its first two, which changes nothing in the middle.
        public var panLaw: Pan.Law?
        /// Heard also while others are soloed: the return of an effect.
        public var isSoloSafe: Bool
        /// Not delayed for others' latencies: what somebody plays along with.
        public var isLive: Bool
        /// What the bus begins with; one that was there before keeps what it was set to. Linear, finite.
        public var gain: Float
        /// The same: −1 left … 1 right.
        public var pan: Float
        /// The same.
        public var isMuted: Bool

        public init(
            _ name: String, to parent: String? = nil, channels: Int? = nil, map: ChannelMap? = nil,
            insert: AudioInsert? = nil, panLaw: Pan.Law? = .equalPower, isSoloSafe: Bool = false,
            isLive: Bool = false, gain: Float = 1, pan: Float = 0, isMuted: Bool = false
        ) {
            self.name = name
            self.parent = parent
            self.channels = channels
            self.map = map
            self.insert = insert
            self.panLaw = panLaw
            self.isSoloSafe = isSoloSafe
            self.isLive = isLive
            self.gain = gain
            self.pan = pan
            self.isMuted = isMuted
        }
    }

    /// Some of a bus, led to another one beside where it leads itself. One for each pair of buses.
    public struct Send: Sendable, Equatable {
        /// The bus it is taken from.
        public var source: String
        /// The bus it leads to.
        public var target: String
        /// What the send begins with; one that was there before keeps what it was set to. Linear, finite.
        public var level: Float
        /// Taken before gain and pan, and so heard whatever these are; else behind them. Mute and solo hold for both.
        public var isPreFader: Bool
        /// The source's channels to the target's; nil is the usual map.
        public var map: ChannelMap?

        public init(
            from source: String, to target: String, level: Float = 1, isPreFader: Bool = false, map: ChannelMap? = nil
        ) {
            self.source = source
            self.target = target
            self.level = level
            self.isPreFader = isPreFader
            self.map = map
        }
    }

    /// In any order.
    public var buses: [Bus]
    /// In any order.
    public var sends: [Send]

    /// Without buses, all that a session plays is on its session bus.
    public init(buses: [Bus] = [], sends: [Send] = []) {
        self.buses = buses
        self.sends = sends
    }

    /// The bus of that name.
    public subscript(name: String) -> Bus? { buses.first { $0.name == name } }
}

extension BusGraph.Send {
    /// The buses it is between: what it is known by.
    struct Ends: Hashable { var source: String, target: String }

    var ends: Ends { Ends(source: source, target: target) }
}
