public import Foundation

/// `getValue(&x)` for the numbers in a notification's `userInfo`, as source code written for iOS
/// reads them: `(info[AVAudioSessionInterruptionTypeKey] as? NSValue)?.getValue(&type)`.
///
/// The method of Foundation on Linux ends the program for every `NSNumber`. Where this module is
/// imported, the compiler prefers these to it for variables of the types below, because they need
/// no conversion to a pointer. For all other types it still calls Foundation's.
extension NSValue {
    /// Copies a number into an integer, truncated if the integer is narrower.
    public func getValue<Value: FixedWidthInteger>(_ value: inout Value) {
        if let number = self as? NSNumber {
            value = Value(truncatingIfNeeded: number.int64Value)
        } else {
            withUnsafeMutablePointer(to: &value) { getValue(UnsafeMutableRawPointer($0)) }
        }
    }

    /// Copies a number into a Boolean.
    public func getValue(_ value: inout Bool) {
        if let number = self as? NSNumber {
            value = number.boolValue
        } else {
            withUnsafeMutablePointer(to: &value) { getValue(UnsafeMutableRawPointer($0)) }
        }
    }

    /// Copies a number into an enumeration or option set, such as
    /// `AVAudioSession.InterruptionType`. A number that is no raw value of it changes nothing.
    public func getValue<Value: RawRepresentable>(_ value: inout Value) where Value.RawValue: FixedWidthInteger {
        var rawValue = value.rawValue
        getValue(&rawValue)
        if let newValue = Value(rawValue: rawValue) { value = newValue }
    }
}
