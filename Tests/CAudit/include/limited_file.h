#pragma once
#include <stdbool.h>

/* A file in memory that stands for a disk: its path is /proc/self/fd/N of the descriptor returned; -1 on failure. */
int limited_file_open(void);
/* From now on the file cannot grow, as if the disk were full. */
bool limited_file_fill(int descriptor);
