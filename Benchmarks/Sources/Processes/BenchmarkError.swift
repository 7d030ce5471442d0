/// Why there is no result that could be trusted.
package struct BenchmarkError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
