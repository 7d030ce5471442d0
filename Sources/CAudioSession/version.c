#include "audiosession/version.h"

const char *asession_version(void) { return ASESSION_VERSION; }
