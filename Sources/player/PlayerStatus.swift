/// All that the screen shows, at one moment.
struct PlayerStatus {
    var file = ""
    var format = ""
    var position = 0.0
    var duration = 0.0
    var isPlaying = false
    /// Greatest magnitude per output channel since the last look.
    var peaks: [Float] = []
    var loudness: PlayerEvent.Loudness?
    var volumeDecibels = 0.0
    var sessions: [SessionStatus] = []
    var route = ""
    var hardware: PlayerEvent.Hardware?
    /// How far `--io-buffer auto` is; nil without it.
    var tuning: Tuning?
    var isServerLost = false
    var silentSwitch = false
    var isInterruptedByUser = false
    var xruns = 0
    var cpuLoad = 0.0
    /// The last things that happened, newest last.
    var log: [String] = []

    enum Tuning { case underWay, settled }
}
