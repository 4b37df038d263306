#pragma once
#include <jack/ringbuffer.h>
