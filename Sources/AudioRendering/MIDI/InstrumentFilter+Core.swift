internal import CRenderCore

extension InstrumentZone.Filter {
    /// The core's filter, if no value is out of range.
    func coreFilter(rate: Int) -> rcore_filter_t {
        func frames(_ seconds: Double) -> UInt32 { InstrumentZone.frames(seconds, rate: rate) }
        var filter = rcore_filter_default()
        filter.type = response.coreType.rawValue
        filter.cutoff = Float(cutoff)
        filter.resonance = Float(resonance)
        filter.center_key = UInt8(centerKey)
        filter.key_tracking = Float(keyTracking)
        filter.velocity_range = Float(velocityRange)
        filter.pressure_range = Float(pressureRange)
        if let controller {
            filter.controller = UInt8(controller.number)
            filter.controller_range = Float(controller.range)
            filter.controller_rest = UInt8(controller.rest)
        }
        filter.envelope_range = Float(envelopeRange)
        filter.delay_frames = frames(envelope.delay)
        filter.attack_frames = frames(envelope.attack)
        filter.hold_frames = frames(envelope.hold)
        filter.decay_frames = frames(envelope.decay)
        filter.sustain = Float(envelope.sustain)
        filter.release_frames = frames(envelope.release)
        return filter
    }

    /// What is out of range; nil: nothing.
    var problem: String? {
        let ranges = [velocityRange, pressureRange, envelopeRange, controller?.range ?? 0]
        if let range = ranges.first(where: { !(-12_000...12_000).contains($0) }) {
            return "a range of \(range) cents; valid: -12000 to 12000"
        }
        if !(1...96_000).contains(cutoff) { return "a cutoff frequency of \(cutoff) Hz; valid: 1 to 96000" }
        if !(0...40).contains(resonance) { return "a resonance of \(resonance) dB; valid: 0 to 40" }
        if !(-1_200...1_200).contains(keyTracking) { return "\(keyTracking) cents per key; valid: -1200 to 1200" }
        if !(0...127).contains(centerKey) { return "the center key \(centerKey); valid: 0 to 127" }
        if let controller, !(0...119).contains(controller.number) {
            return "the controller \(controller.number); valid: 0 to 119"
        }
        if let controller, !(0...127).contains(controller.rest) {
            return "a controller that rests at \(controller.rest); valid: 0 to 127"
        }
        return envelope.problem
    }
}

extension InstrumentZone.Filter.Response {
    fileprivate var coreType: rcore_filter_type_t {
        switch self {
        case .lowPass6: RCORE_FILTER_LOW_PASS_6
        case .lowPass12: RCORE_FILTER_LOW_PASS_12
        case .lowPass24: RCORE_FILTER_LOW_PASS_24
        case .highPass6: RCORE_FILTER_HIGH_PASS_6
        case .highPass12: RCORE_FILTER_HIGH_PASS_12
        case .highPass24: RCORE_FILTER_HIGH_PASS_24
        case .bandPass: RCORE_FILTER_BAND_PASS
        case .bandReject: RCORE_FILTER_BAND_REJECT
        }
    }
}
