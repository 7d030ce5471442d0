import Foundation

/// Programs of the same build as these tests, in the same folder.
public enum BuiltProgram {
    /// Returns the path of a program. Throws if it was not built.
    public static func path(_ name: String) throws -> String {
        let program = (try own as NSString).deletingLastPathComponent + "/" + name
        guard FileManager.default.isExecutableFile(atPath: program) else {
            throw TestFailure("'\(program)' is missing; build the product '\(name)' first.")
        }
        return program
    }

    /// The program that runs these tests.
    public static var own: String {
        get throws { try FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe") }
    }
}
