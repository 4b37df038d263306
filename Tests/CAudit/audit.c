#include "audit.h"
