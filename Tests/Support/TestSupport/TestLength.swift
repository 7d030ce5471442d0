import Foundation

/// Iteration counts of repetitive tests: lower by default, higher when AUDIO_TEST_LONG is set, as
/// `Scripts/test --all` does.
public enum TestLength {
    public static let isLong = ProcessInfo.processInfo.environment["AUDIO_TEST_LONG"]?.isEmpty == false

    public static func times(_ count: Int, long: Int) -> Int { isLong ? long : count }
}
