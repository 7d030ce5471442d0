/// What a region needs to be played.
extension SFZFile.Region {
    /// Returns why the region cannot be played; nil if it can.
    func reasonNotToPlay(_ control: SFZFile.Control, _ defaultSwitch: Int?) -> String? {
        if let obstacle { return obstacle }
        if start == .legato { return "trigger=legato is not supported" }
        if end == -1 { return "end=-1" }
        if keys == nil { return "it has no keys" }
        if lowVelocity > max(highVelocity, 1) || lowProgram > highProgram {
            return "a range of velocities or programs is empty"
        }
        if sequencePosition > sequenceLength { return "its seq_position is greater than its seq_length" }
        if lowRandom >= highRandom { return "its range of random numbers is empty" }
        if let lowSwitch, let defaultSwitch, !(lowSwitch...max(lowSwitch, highSwitch ?? 127)).contains(defaultSwitch) {
            return "it belongs to another keyswitch than \(defaultSwitch); keyswitches are not followed"
        }
        for (number, limits) in controllers {
            let value = control.controllers[number] ?? 0
            if value < limits.low || value > limits.high {
                return "it belongs to other values of controllers; controllers select no regions"
            }
        }
        return nil
    }

    /// The keys that start the region; nil: none.
    var keys: ClosedRange<Int>? {
        let (low, high) = (lowKey ?? 0, highKey ?? 127)
        return low >= 0 && high >= 0 && low <= min(high, 127) ? low...min(high, 127) : nil
    }

    /// Moves keys by the offset of the control header.
    mutating func shiftKeys(by offset: Int) {
        func shifted(_ key: Int?) -> Int? { key.map { $0 < 0 ? -1 : min(max($0 + offset, 0), 255) } }
        // A range that is moved out of the keyboard is empty.
        if let highKey, highKey >= 0, highKey + offset < 0 { self.highKey = -1 } else { highKey = shifted(highKey) }
        lowKey = shifted(lowKey)
        rootKey = rootKey.map { min(max($0 + offset, 0), 127) }
        // No switch: -1.
        (lowSwitch, highSwitch) =
            lowSwitch == -1 ? (nil, nil) : (shifted(lowSwitch), shifted(highSwitch))
    }
}
