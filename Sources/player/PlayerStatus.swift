/// Everything that the screen shows at one moment.
struct PlayerStatus {
    var file = ""
    var format = ""
    var position = 0.0
    var duration = 0.0
    var isPlaying = false
    /// The peak magnitude of each output channel since the last status.
    var peaks: [Float] = []
    var loudness: OutputLoudness?
    var volumeDecibels = 0.0
    var route = ""
    /// The progress of `--io-buffer auto`; nil without that option.
    var tuning: Tuning?
    var silentSwitch = false
    var isInterruptedByUser = false
    var xruns = 0
    var cpuLoad = 0.0
    /// The last events, newest last.
    var log: [String] = []

    enum Tuning { case underWay, settled }
}
