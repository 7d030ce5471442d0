// Removed as soon as the target has a source.
