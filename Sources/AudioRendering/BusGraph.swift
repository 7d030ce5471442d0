/// A session's mixer: the buses that feed its session bus, and the sends between them. A plain
/// value: create it and pass it to ``SessionBus/setGraph(_:)``; compare, store or change it as any
/// other value.
///
/// <!-- Tests/Unit/AudioSessionsTests/MixerPageTests.swift#mixer;
/// Scripts/check examples compares them -->
/// ```swift
/// try session.bus.setGraph(
///     BusGraph(
///         buses: [
///             // A group and its strips.
///             .init("drums"), .init("kick", to: "drums"), .init("snare", to: "drums"),
///             .init("vocals", gain: 0.8, pan: -0.2),
///             .init("reverb", isSoloSafe: true),  // a return, audible whichever bus is soloed
///         ],
///         sends: [
///             .init(from: "vocals", to: "reverb", level: 0.3),
///             .init(from: "snare", to: "reverb", level: 0.1),
///         ]))
/// ```
///
/// The signal passes through a bus in this order:
/// 1. the sum of its voices, of the buses routed to it and of the sends to it
/// 2. its insert
/// 3. mute and solo
/// 4. pre-fader sends
/// 5. gain and pan
/// 6. post-fader sends, meter and target
///
/// Delay compensation aligns paths whose inserts have different latencies: everything that a
/// session plays, on its mixer or on its own bus, leaves the session's bus aligned. Other sessions
/// are not delayed.
public struct BusGraph: Sendable, Equatable {
    /// One bus of the graph.
    public struct Bus: Sendable, Equatable {
        /// The bus's name, unique within its session; not empty.
        public var name: String
        /// The name of the bus that it is routed to; nil: the session's bus.
        public var parent: String?
        /// The channel count, 1…the engine's `maximumChannels`; nil: that of the bus's target, even
        /// when it changes. A bus with an insert keeps the channel count that it had when the
        /// insert was added.
        public var channels: Int?
        /// Gains from the bus's channels to its target's; nil is the standard map
        /// (``ChannelMap/standard(from:to:)``).
        public var map: ChannelMap?
        /// An effect that processes the bus's sum.
        public var insert: AudioInsert?
        /// The pan law; nil: the bus has no pan. A mono bus without a map is panned to the first
        /// two channels of its target, with −3 dB each in the center (`linear`: −6 dB). Any other
        /// bus is balanced between its first two channels, and is unchanged in the center.
        public var panLaw: Pan.Law?
        /// Whether the bus stays audible while others are soloed, as the return of an effect
        /// should.
        public var isSoloSafe: Bool
        /// Whether the bus is exempt from delay compensation, as for a signal that a musician plays
        /// along with.
        public var isCompensationExempt: Bool
        /// The initial gain; a bus that already exists keeps its own. Linear, finite.
        public var gain: Float
        /// The initial pan position, −1 left … 1 right; a bus that already exists keeps its own.
        public var pan: Float
        /// Whether the bus is initially muted; a bus that already exists keeps its state.
        public var isMuted: Bool

        public init(
            _ name: String, to parent: String? = nil, channels: Int? = nil, map: ChannelMap? = nil,
            insert: AudioInsert? = nil, panLaw: Pan.Law? = .equalPower, isSoloSafe: Bool = false,
            isCompensationExempt: Bool = false, gain: Float = 1, pan: Float = 0, isMuted: Bool = false
        ) {
            self.name = name
            self.parent = parent
            self.channels = channels
            self.map = map
            self.insert = insert
            self.panLaw = panLaw
            self.isSoloSafe = isSoloSafe
            self.isCompensationExempt = isCompensationExempt
            self.gain = gain
            self.pan = pan
            self.isMuted = isMuted
        }
    }

    /// A send from a bus to another bus, in addition to the bus's own target. At most one for each
    /// pair of buses.
    public struct Send: Sendable, Equatable {
        /// The name of the bus that the send takes its signal from.
        public var source: String
        /// The name of the bus that the send is routed to.
        public var target: String
        /// The initial level; a send that already exists keeps its own. Linear, finite.
        public var level: Float
        /// Whether the send is pre-fader: taken before gain and pan, and independent of them.
        /// Otherwise it is post-fader. Mute and solo affect both.
        public var isPreFader: Bool
        /// Gains from the source's channels to the target's; nil is the standard map.
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

    /// The buses, in any order.
    public var buses: [Bus]
    /// The sends, in any order.
    public var sends: [Send]

    /// Creates a graph. Without buses, everything plays on the session's bus directly.
    public init(buses: [Bus] = [], sends: [Send] = []) {
        self.buses = buses
        self.sends = sends
    }

    /// The bus of this name; nil if there is none.
    public subscript(name: String) -> Bus? { buses.first { $0.name == name } }
}

extension BusGraph.Send {
    /// The buses that the send connects; they identify it.
    struct Ends: Hashable { var source: String, target: String }

    var ends: Ends { Ends(source: source, target: target) }
}
