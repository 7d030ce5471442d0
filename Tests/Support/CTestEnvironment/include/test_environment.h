/// Sets the environment of every test process and of the programs that it starts. Linking the
/// library is enough.
