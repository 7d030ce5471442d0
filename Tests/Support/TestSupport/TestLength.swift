import Foundation

/// How often tests repeat what they try: less in a run that a change waits for, more where AUDIO_TEST_LONG is set, as
/// `Scripts/test --all` does.
public enum TestLength {
    public static let isLong = ProcessInfo.processInfo.environment["AUDIO_TEST_LONG"]?.isEmpty == false

    public static func times(_ count: Int, long: Int) -> Int { isLong ? long : count }
}
