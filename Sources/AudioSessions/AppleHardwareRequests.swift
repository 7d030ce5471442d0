/// Requests of an app for features of Apple hardware, which are stored and have no effect. The
/// module `AVFAudio` declares the properties.
package struct AppleHardwareRequests: Sendable {
    package var allowsHapticsAndSystemSounds = false
    package var prefersEchoCancelledInput = false
    /// The raw value of the preferred orientation of a stereo microphone; 0 is none.
    package var inputOrientation = 0
}
