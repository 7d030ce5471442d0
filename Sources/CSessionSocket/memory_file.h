/// Sealed memory files: what both sides of a descriptor may rely on.
#ifndef SESSION_SOCKET_MEMORY_FILE_H
#define SESSION_SOCKET_MEMORY_FILE_H

#include <sys/types.h>

/// Makes an empty memfd of `size` bytes that takes seals and can never be executed. Returns it or a negative errno.
int memory_file_create(const char *name, off_t size);

/// Returns the size of a memfd that carries all of `seals`; -EINVAL for what is no memfd, -EPERM without the seals, -EBADF.
off_t memory_file_size(int descriptor, unsigned seals);

#endif
