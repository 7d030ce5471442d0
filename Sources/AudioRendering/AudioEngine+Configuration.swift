internal import CRenderCore

extension AudioEngine {
    /// The engine's sizes, fixed for its life.
    public struct Configuration: Equatable, Sendable {
        /// The size of the voice pool, 1…65,536. Voices that wait for their start or fade out
        /// count.
        public var maximumVoices: Int
        /// The number of voices that may play at once, 1…`maximumVoices`. A further one steals the
        /// oldest voice of the lowest priority, which fades out. nil: all voices of the pool,
        /// without voice stealing.
        public var polyphony: Int?
        /// The maximum number of buses, 1…1,024: one for each session, and those of the sessions'
        /// mixers (`SessionBus.setGraph`).
        public var maximumBuses: Int
        /// The maximum number of sends in all mixers together, 0…1,024.
        public var maximumSends: Int
        /// The maximum number of outputs that buses are routed to at the same time, 1…64.
        public var maximumRoutes: Int
        /// The maximum number of inputs, 0…64.
        public var maximumInputs: Int
        /// The maximum number of open command queues, 0…63.
        public var maximumQueues: Int
        /// The maximum number of curves that run or wait for their time, 0…4,096: nonlinear ones,
        /// and all between points at beats.
        public var maximumCurves: Int
        /// The maximum number of channels of an output or input, 1…64. Of a device with more
        /// channels, the engine uses the first ones.
        public var maximumChannels: Int
        /// How far file streams read ahead, in seconds, 0.05…60. Checked when a stream is created.
        public var readAhead: Double
        /// The memory in bytes from which instruments play what follows the heads of streamed
        /// sounds (`StreamedSound`): 1 MiB…64 GiB. It consists of pages of 64 KiB, which take up
        /// memory once they have been read for the first time. Each note of a stereo sound at
        /// 48 kHz needs about five of them; notes at the same place of a sound share them.
        public var pageCacheSize: Int

        public init(
            maximumVoices: Int = 256, polyphony: Int? = nil, maximumBuses: Int = 64, maximumSends: Int = 64,
            maximumRoutes: Int = 8, maximumInputs: Int = 4, maximumQueues: Int = 7, maximumCurves: Int = 256,
            maximumChannels: Int = 8, readAhead: Double = 1, pageCacheSize: Int = 64 << 20
        ) {
            self.maximumVoices = maximumVoices
            self.polyphony = polyphony
            self.maximumBuses = maximumBuses
            self.maximumSends = maximumSends
            self.maximumRoutes = maximumRoutes
            self.maximumInputs = maximumInputs
            self.maximumQueues = maximumQueues
            self.maximumCurves = maximumCurves
            self.maximumChannels = maximumChannels
            self.readAhead = readAhead
            self.pageCacheSize = pageCacheSize
        }

        var coreSizes: rcore_config_t {
            var sizes = rcore_config_default()
            sizes.max_voices = UInt32(clamping: maximumVoices)
            sizes.max_playing = polyphony.map { UInt32(clamping: $0) } ?? sizes.max_voices
            sizes.max_buses = UInt32(clamping: maximumBuses)
            sizes.max_sends = UInt32(clamping: maximumSends)
            sizes.max_channels = UInt32(clamping: maximumChannels)
            sizes.max_routes = UInt32(clamping: maximumRoutes)
            sizes.max_inputs = UInt32(clamping: maximumInputs)
            // One more for the engine's own commands.
            sizes.max_queues = UInt32(clamping: maximumQueues) &+ 1
            sizes.max_curves = UInt32(clamping: maximumCurves)
            return sizes
        }
    }
}
