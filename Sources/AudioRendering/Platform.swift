// Locks are everywhere above: who imports this module has them. They are of package access, so that apps see nothing of it.
@_exported public import Platform
