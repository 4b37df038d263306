// TLS of a client by OpenSSL over memory: octets in, octets out, no socket. `cdtls_load` comes first.
#ifndef CTLS_H
#define CTLS_H

#include <stdint.h>

// Whose certificates are trusted. May be used from several threads.
typedef struct ctls_context ctls_context;

// - `authority_file`: PEM; NULL: the system's authorities. NULL when none can be read.
ctls_context *ctls_context_create(const char *authority_file);
void ctls_context_free(ctls_context *context);

// One connection to a server whose certificate must be for `name`, a DNS name or a numeric address.
typedef struct ctls_client ctls_client;

// NULL without memory, or for a name that no certificate can have.
ctls_client *ctls_create(ctls_context *context, const char *name);
void ctls_free(ctls_client *client);

enum {
    CTLS_HANDSHAKING = 0,
    CTLS_CONNECTED = 1,
    // The server said goodbye.
    CTLS_CLOSED = 2,
    // It will not do any more: `ctls_error` tells why.
    CTLS_FAILED = 3,
};

// Takes what the server sent (0 octets: begins): the state.
int ctls_receive(ctls_client *client, const uint8_t *bytes, int count);
// Next octets that the server said: how many, 0 when there are no more.
int ctls_read(ctls_client *client, uint8_t *out, int room);
// Says octets: how many were taken, 0 when it is not connected.
int ctls_write(ctls_client *client, const uint8_t *bytes, int count);
// Next octets to send to the server: how many, 0 when there are no more.
int ctls_take(ctls_client *client, uint8_t *out, int room);
// Says goodbye.
void ctls_close(ctls_client *client);
// Why it failed; never NULL then.
const char *ctls_error(const ctls_client *client);

#endif
