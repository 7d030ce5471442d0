#include "rcore_base.h"
