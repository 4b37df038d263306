#define _GNU_SOURCE
#include "affinity.h"
#include <sched.h>

void affinity_pin(int processor) {
    cpu_set_t set;
    CPU_ZERO(&set);
    CPU_SET(processor, &set);
    sched_setaffinity(0, sizeof set, &set);
}
