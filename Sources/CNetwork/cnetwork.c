#include "cnetwork.h"
