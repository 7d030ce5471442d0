/// Sealed memory files, which one process fills and another one reads. The seals guarantee to the
/// reader that the size cannot change. For a message, they also fix the contents; for a gate, only
/// its creator's mapping can still write.
#ifndef SESSION_SOCKET_MEMORY_FILE_H
#define SESSION_SOCKET_MEMORY_FILE_H

#include <sys/types.h>

/// Creates a memfd of `size` zero bytes that accepts seals and, from Linux 6.3 on, can never be
/// executed. Returns it or a negative errno.
int memory_file_create(const char *name, off_t size);

/// Returns the size of a memfd that has all of `seals`; -EINVAL if the descriptor is no memfd or
/// one of huge pages, -EPERM without the seals, -EBADF.
off_t memory_file_size(int descriptor, unsigned seals);

#endif
