// AES by OpenSSL for libsrtp2, in place of the ciphers that it was built with: Debian's come of NSS, which allocates and locks for each
// packet, and starts anew for each context.
#ifndef CSRTP_CIPHERS_H
#define CSRTP_CIPHERS_H

// Loads OpenSSL and has libsrtp2, which has been started, use it: from then on each new context does. The library checks the
// ciphers against its own test vectors first. Call it once, from one thread, before the first context.
//
// - `srtp`: the handle that `dlopen` gave of libsrtp2.
// NULL, or why the library keeps ciphers of its own, which do as well.
const char *csrtp_use_openssl(void *srtp);

#endif
