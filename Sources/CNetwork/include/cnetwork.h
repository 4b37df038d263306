// Datagram calls that Glibc's Swift module does not export: recvmmsg, control messages.
#ifndef CNETWORK_H
#define CNETWORK_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/socket.h>

// One received datagram; all pointers are into the batch and last until it receives again.
typedef struct {
    uint8_t *bytes;
    uint32_t length;
    const struct sockaddr_storage *source;
    int64_t realtime_ns;  // kernel receive stamp, CLOCK_REALTIME; 0: the kernel gave none
    int16_t traffic_class;  // IP TOS or IPv6 traffic class; -1: unknown
    bool truncated;  // longer than the buffer
} cnetwork_datagram;

typedef struct cnetwork_batch cnetwork_batch;

// Buffers for `count` datagrams of up to `size` bytes; NULL without memory.
cnetwork_batch *cnetwork_batch_create(unsigned count, unsigned size);
void cnetwork_batch_destroy(cnetwork_batch *batch);

// Receives what is there, without waiting: number of datagrams, or -errno (EAGAIN: none).
int cnetwork_batch_receive(cnetwork_batch *batch, int fd);
cnetwork_datagram cnetwork_batch_get(const cnetwork_batch *batch, unsigned index);

// Socket options of a media socket: DSCP, priority, kernel stamps, ICMP errors. 0, or -errno of the first that failed.
int cnetwork_configure(int fd, int family, int traffic_class, int priority);

// Lets other sockets of this program be bound to the same port, if they ask for it too. Before binding. 0 or -errno.
int cnetwork_share_port(int fd);
// Spreads what comes over the `count` sockets that share this one's port, in the order in which they were bound: by address and
// half the port, so that RTP and RTCP of one source (a port and the next) go the same way. 0 or -errno.
int cnetwork_spread(int fd, unsigned count);
// Of two sockets that share a port, has the one that was bound second get DTLS from all but this address (as in `cnetwork_hear_only`) and
// port, and the first all else. May be said again. 0 or -errno.
int cnetwork_divert_dtls(int fd, bool is_v4, const uint32_t *address, uint16_t port);
// What waits for a socket takes so many bytes of the kernel's at most, about. 0 or -errno.
int cnetwork_shorten_queue(int fd, int bytes);

// Sends by sendto(2); 0 or -errno.
int cnetwork_send(int fd, const void *bytes, uint32_t length, const struct sockaddr *to, socklen_t to_length);

// Datagrams on their way out, sent together.
typedef struct cnetwork_outbox cnetwork_outbox;

// Room for `count` datagrams of up to `size` bytes; NULL without memory.
cnetwork_outbox *cnetwork_outbox_create(unsigned count, unsigned size);
void cnetwork_outbox_destroy(cnetwork_outbox *outbox);
// Puts a copy behind the others; false: full, or too long.
bool cnetwork_outbox_add(
    cnetwork_outbox *outbox, const void *bytes, uint32_t length, const struct sockaddr *to, socklen_t to_length);
// Sends what is there and empties it, by sendmmsg(2), without waiting: how many left. What is refused is lost; the last error number
// is in `error`, and in `icmp` how many reports of ICMP errors were taken.
unsigned cnetwork_outbox_flush(cnetwork_outbox *outbox, int fd, int *error, unsigned *icmp);

// Has the kernel drop every datagram that does not come from this address (four words, the highest first; an IPv4 address
// in the last) and port (0: any). 0 or -errno.
int cnetwork_hear_only(int fd, bool is_v4, const uint32_t *address, uint16_t port);
// Undoes it.
int cnetwork_hear_anyone(int fd);

// Datagrams that the kernel dropped for this socket: by the above, or for want of room.
uint32_t cnetwork_dropped(int fd);

// Whether a call may have failed for an ICMP message about an earlier packet: then its report waits in the queue of errors, and the
// call may be made again. EACCES and EMSGSIZE may be of the call itself too.
bool cnetwork_is_icmp(int error);

// Empties the queue of ICMP errors; how many there were. Where the last packet went that did not arrive is in `unreachable`, of family 0
// where there was none; NULL: nobody asks.
int cnetwork_drain_errors(int fd, struct sockaddr_storage *unreachable);

// Waits for many sockets at once (epoll(7)): a descriptor; -errno.
int cnetwork_poll_create(void);
// Tells of a socket by the number `name` from now on. 0 or -errno.
int cnetwork_poll_add(int poll, int fd, uint64_t name);
// Names of sockets that have something, `count` at most, after `milliseconds` at most: how many, or -errno.
int cnetwork_poll_wait(int poll, uint64_t *names, int count, int milliseconds);

// A descriptor that is readable when this machine's addresses or routes change (rtnetlink(7)); -errno.
int cnetwork_watch_addresses(void);
// Empties it; whether there was anything.
bool cnetwork_drain_watch(int fd);

#endif
