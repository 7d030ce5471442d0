/// Boxes the function that fills streams, so that the C driver can hold it as a context pointer.
final class StreamFiller: Sendable {
    let fill: @Sendable () -> Void

    init(_ fill: @escaping @Sendable () -> Void) { self.fill = fill }
}
