#pragma once
#include <jansson.h>

// JSON_REAL_PRECISION is a macro with a parameter, which Swift does not see. 15 digits are as many as any decimal number
// keeps in a double: 51.6 prints as 51.6.

/* One line for any value, members in the order they were added; free() it. NULL when memory ran out. */
static inline char *cjansson_line(const json_t *value) {
    return json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
}
