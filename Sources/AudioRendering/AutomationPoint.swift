/// A place that an automated parameter goes through: on exactly this engine frame it has exactly this value.
public struct AutomationPoint: Hashable, Sendable {
    /// In frames of `AudioEngine.currentFrame`.
    public var frame: UInt64
    /// In the parameter's unit.
    public var value: Float
    /// How it gets here from the point before. The first point has none before it: there it jumps, as a click if it is heard.
    public var curve: AutomationCurve

    public init(frame: UInt64, value: Float, curve: AutomationCurve = .linear) {
        self.frame = frame
        self.value = value
        self.curve = curve
    }
}
