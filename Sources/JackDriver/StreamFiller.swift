/// Who fills streams, as the C driver can hold it.
final class StreamFiller: Sendable {
    let fill: @Sendable () -> Void

    init(_ fill: @escaping @Sendable () -> Void) { self.fill = fill }
}
