// Re-exports the locks that this module and all modules above it use. They have package access, so
// they are invisible to apps.
@_exported public import Platform
