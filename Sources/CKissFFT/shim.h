#pragma once
#include <kissfft/kiss_fftr.h>
#include <stdlib.h>
