// placeholder
#include "rcore_base.h"

