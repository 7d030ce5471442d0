internal import CRenderCore

/// A time code of a video or tape: hours, minutes, seconds and frames, as in "01:00:10:12".
public struct TimeCode: Hashable, Sendable {
    /// How many frames a second has, and how they are counted.
    public enum Rate: Sendable, CaseIterable {
        case fps24
        case fps25
        /// 30,000 / 1,001 frames per second, counted as 30: each minute but every tenth one begins
        /// with frame 2, so that the time code keeps up with the clock.
        case fps29_97Drop
        case fps30
    }

    public let rate: Rate
    /// 0…23.
    public let hours: Int
    /// 0…59.
    public let minutes: Int
    /// 0…59.
    public let seconds: Int
    /// From 0 to below the number that the rate counts in a second.
    public let frames: Int

    /// Creates a time code; nil if there is no such time code at this rate.
    public init?(hours: Int, minutes: Int, seconds: Int, frames: Int, rate: Rate) {
        let isDropped = rate == .fps29_97Drop && frames < 2 && seconds == 0 && !minutes.isMultiple(of: 10)
        guard (0..<24).contains(hours), (0..<60).contains(minutes), (0..<60).contains(seconds),
            (0..<rate.counted).contains(frames), !isDropped
        else { return nil }
        (self.hours, self.minutes, self.seconds, self.frames) = (hours, minutes, seconds, frames)
        self.rate = rate
    }

    /// Creates the time code of the frame that is shown so many seconds after 00:00:00:00. Wraps
    /// after 24 hours of time code (0.09 s less by 29.97 drop-frame), in both directions. A value
    /// that is not finite counts as 0.
    public init(totalSeconds: Double, rate: Rate) {
        let day = rate.framesPerDay
        let exact = totalSeconds.isFinite ? (totalSeconds * rate.framesPerSecond).remainder(dividingBy: Double(day)) : 0
        // A time that was computed from a frame is that frame, in spite of rounding errors.
        let number = (Int((exact + 1e-6).rounded(.down)) % day + day) % day
        let counted = rate.countedNumber(number)
        self.rate = rate
        frames = counted % rate.counted
        seconds = counted / rate.counted % 60
        minutes = counted / rate.counted / 60 % 60
        hours = counted / rate.counted / 3_600
    }

    /// The seconds from 00:00:00:00 to the frame.
    public var totalSeconds: Double {
        let allMinutes = hours * 60 + minutes
        let number = (allMinutes * 60 + seconds) * rate.counted + frames
        let dropped = rate == .fps29_97Drop ? 2 * (allMinutes - allMinutes / 10) : 0
        return Double(number - dropped) / rate.framesPerSecond
    }
}

extension TimeCode: CustomStringConvertible {
    /// Such as "01:00:10:12", or "01:00:10;12" in drop-frame time code.
    public var description: String {
        func digits(_ number: Int) -> String { number < 10 ? "0\(number)" : "\(number)" }
        let separator = rate == .fps29_97Drop ? ";" : ":"
        return "\(digits(hours)):\(digits(minutes)):\(digits(seconds))\(separator)\(digits(frames))"
    }
}

extension TimeCode.Rate {
    /// The exact number of frames per second.
    public var framesPerSecond: Double { self == .fps29_97Drop ? 30_000 / 1_001 : Double(counted) }

    /// How many frames a second has in the count.
    fileprivate var counted: Int {
        switch self {
        case .fps24: 24
        case .fps25: 25
        case .fps29_97Drop, .fps30: 30
        }
    }

    fileprivate var framesPerDay: Int { self == .fps29_97Drop ? 144 * 17_982 : 86_400 * counted }

    /// Returns the number in the count of the frame with this number from 0:00: with the frames
    /// that are left out.
    fileprivate func countedNumber(_ number: Int) -> Int {
        guard self == .fps29_97Drop else { return number }
        // Ten minutes have 17,982 frames: one of 1,800, and nine of 1,798.
        let (tens, rest) = number.quotientAndRemainder(dividingBy: 17_982)
        return number + 18 * tens + (rest < 1_800 ? 0 : 2 * ((rest - 1_800) / 1_798 + 1))
    }

    init?(_ core: rcore_time_code_rate_t) {
        switch core {
        case RCORE_TIME_CODE_24: self = .fps24
        case RCORE_TIME_CODE_25: self = .fps25
        case RCORE_TIME_CODE_29_97_DROP: self = .fps29_97Drop
        case RCORE_TIME_CODE_30: self = .fps30
        default: return nil
        }
    }
}
