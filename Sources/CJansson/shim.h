#pragma once
#include <jansson.h>

// JSON_REAL_PRECISION is a macro with a parameter, which Swift does not see. 15 digits are as many as any decimal
// number keeps in a double: 51.6 prints as 51.6.

/* One line for any value, members in the order they were added; free() it. NULL when memory ran out. */
static inline char *cjansson_line(const json_t *value) {
    return json_dumps(value, JSON_COMPACT | JSON_PRESERVE_ORDER | JSON_ENCODE_ANY | JSON_REAL_PRECISION(15));
}

/* The value in `text`, which json_decref frees: any kind, every member name once. NULL when it is not JSON; `error` says why and where. */
static inline json_t *cjansson_read(const char *text, size_t length, json_error_t *error) {
    return json_loadb(text, length, JSON_DECODE_ANY | JSON_REJECT_DUPLICATES | JSON_ALLOW_NUL, error);
}

/* json_typeof is a macro. */
static inline json_type cjansson_type(const json_t *value) { return json_typeof(value); }

/* A tuple to Swift. */
static inline const char *cjansson_reason(const json_error_t *error) { return error->text; }
