#ifndef YODEL_CCARES_SHIM_H
#define YODEL_CCARES_SHIM_H
#include <ares.h>
#include <arpa/nameser.h>
#endif
