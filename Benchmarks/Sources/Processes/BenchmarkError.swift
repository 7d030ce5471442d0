/// The reason why there is no trustworthy result.
package struct BenchmarkError: Error, CustomStringConvertible {
    package var description: String

    package init(_ description: String) { self.description = description }
}
