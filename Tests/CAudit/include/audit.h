#pragma once
#include <stdbool.h>

/* Counts what the calling thread allocates, frees and locks between audit_begin and audit_end.
   Linked into test bundles only: their own malloc wins over libc's. Under a sanitizer nothing is counted. */
typedef struct {
    long allocations;
    long frees;
    long locks;
} audit_counts;

/* False under a sanitizer, which has a malloc of its own. */
bool audit_available(void);
/* Starts counting on this thread; may be nested, the outermost counts. */
__attribute__((swift_attr("@_noLocks"))) void audit_begin(void);
/* Stops counting and adds what was counted to the totals of the process. */
__attribute__((swift_attr("@_noLocks"))) void audit_end(void);
/* What was counted inside all scopes of all threads since the last reset. */
audit_counts audit_totals(void);
/* Scopes that were entered since the last reset. */
long audit_scopes(void);
void audit_reset(void);
