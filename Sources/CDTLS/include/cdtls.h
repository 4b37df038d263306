// DTLS 1.2 by OpenSSL over memory: datagrams in, datagrams out, no socket, no clock of its own where that can be had.
// OpenSSL is loaded when the first association is made, not linked: a plain call pays nothing for it.
#ifndef CDTLS_H
#define CDTLS_H

#include <stdbool.h>
#include <stdint.h>

// Loads OpenSSL, once: NULL, or what is missing. Call it before anything else.
const char *cdtls_load(void);

// Hash functions of certificate fingerprints (RFC 8122 section 5).
enum { CDTLS_SHA256 = 1, CDTLS_SHA384 = 2, CDTLS_SHA512 = 3 };
enum { CDTLS_DIGEST_MAX = 64 };

// Digest of `count` bytes into `out`, which has room for CDTLS_DIGEST_MAX: its length, 0 when that fails.
int cdtls_digest(int hash, const uint8_t *bytes, int count, uint8_t *out);

// A key, its certificate, and the secret of the cookies. May be used from several threads.
typedef struct cdtls_identity cdtls_identity;

// A new ECDSA key on P-256 and a certificate that it signed itself, valid from a day ago for `days`. NULL when that fails.
cdtls_identity *cdtls_identity_create(int days);
// The identity of a key and a certificate as `cdtls_identity_key` and `cdtls_identity_certificate` gave them. NULL when they
// are not that, or not a pair.
cdtls_identity *cdtls_identity_load(const uint8_t *key, int key_count, const uint8_t *certificate, int certificate_count);
void cdtls_identity_free(cdtls_identity *identity);
// The certificate (DER): its length, 0 when `room` is too short.
int cdtls_identity_certificate(const cdtls_identity *identity, uint8_t *out, int room);
// The private key (DER, unencrypted): its length, 0 when `room` is too short.
int cdtls_identity_key(const cdtls_identity *identity, uint8_t *out, int room);

// What an association asks of its owner. Called only while one of the functions below runs.
typedef struct {
    void *context;
    // A datagram is to be sent.
    void (*send)(void *context, const uint8_t *bytes, int count);
    // The peer's certificate (DER) has come, with a key of `bits` that is RSA or not: whether it is the one that is meant.
    bool (*accept)(void *context, const uint8_t *certificate, int count, bool is_rsa, int bits);
} cdtls_owner;

// One association with one peer; or, before it has one, who answers strangers without keeping anything.
typedef struct cdtls_association cdtls_association;

// - `profiles`: OpenSSL's names of the SRTP profiles, parted by colons, the preferred one first.
// - `mtu`: largest datagram that is sent.
// NULL without memory, or for a profile that OpenSSL does not know.
cdtls_association *cdtls_create(cdtls_identity *identity, bool is_active, const char *profiles, int mtu, cdtls_owner owner);
void cdtls_free(cdtls_association *association);
// Whom it asks from now on: an association that a listener made gets its own owner.
void cdtls_set_owner(cdtls_association *association, cdtls_owner owner);

enum {
    CDTLS_HANDSHAKING = 0,
    CDTLS_CONNECTED = 1,
    // The peer said goodbye.
    CDTLS_CLOSED = 2,
    // It will not do any more: `cdtls_error` tells why.
    CDTLS_FAILED = 3,
};

int cdtls_state(const cdtls_association *association);
// Begins the handshake, or goes on with it without a new datagram: the state.
int cdtls_start(cdtls_association *association);
// Takes a datagram: the state. Application data that was in it is fetched by `cdtls_read`, before the next datagram.
int cdtls_receive(cdtls_association *association, const uint8_t *bytes, int count);
// Next application data of the last datagram: its length, 0 when there is no more.
int cdtls_read(cdtls_association *association, uint8_t *out, int room);
// Sends application data in one datagram: false when it is not connected, or too long.
bool cdtls_write(cdtls_association *association, const uint8_t *bytes, int count);
// Says goodbye.
void cdtls_close(cdtls_association *association);

// Answers a ClientHello of `source` (any bytes that name it, up to 32), keeping nothing unless it proves that it can hear
// `source`. 1: it did, `association` is that peer's now, and `cdtls_start` goes on. 0: answered or ignored.
int cdtls_listen(
    cdtls_association *association, const uint8_t *source, int source_count, const uint8_t *bytes, int count);

// Whether a flight waits for its answer, and may have to be sent again.
bool cdtls_awaits_answer(const cdtls_association *association);
// Milliseconds until a flight is sent again, after it was sent again `former` milliseconds after the time before (0: it was sent
// for the first time): 100, 200 and so on up to 1600.
int cdtls_timeout(int former);
// Sends the last flight again: 1, 0 if it is not time by OpenSSL's own clock, -1 after a dozen times.
int cdtls_retransmit(cdtls_association *association);

// Number of the SRTP profile that was agreed (RFC 5764 section 4.1.2); 0: none.
int cdtls_profile(const cdtls_association *association);
// Exports `count` bytes of keying material for SRTP (RFC 5764 section 4.2).
bool cdtls_export(cdtls_association *association, uint8_t *out, int count);
// Name of the cipher suite; NULL before there is one.
const char *cdtls_cipher(const cdtls_association *association);
// Alert that the peer sent last (RFC 5246 section 7.2); -1: none.
int cdtls_peer_alert(const cdtls_association *association);
// What OpenSSL said of the failure; NULL when it said nothing.
const char *cdtls_error(const cdtls_association *association);

#endif
