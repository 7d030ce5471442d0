#include <jack/jack.h>
#include <jack/metadata.h>
#include <jack/statistics.h>
#include <jack/thread.h>
