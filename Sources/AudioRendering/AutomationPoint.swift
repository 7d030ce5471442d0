/// A point of an automation: on exactly this engine frame, the parameter has exactly this value.
public struct AutomationPoint: Hashable, Sendable {
    /// The engine frame, on the clock of `AudioEngine.currentFrame`.
    public var frame: UInt64
    /// The value, in the parameter's unit.
    public var value: Float
    /// The curve from the previous point to this one. The first point has no predecessor: the
    /// parameter jumps to its value, which is audible as a click.
    public var curve: AutomationCurve

    public init(frame: UInt64, value: Float, curve: AutomationCurve = .linear) {
        self.frame = frame
        self.value = value
        self.curve = curve
    }
}
