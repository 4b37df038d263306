#define _GNU_SOURCE
#include "cnetwork.h"

#include <errno.h>
#include <linux/errqueue.h>
#include <linux/filter.h>
#include <linux/rtnetlink.h>
#include <linux/sock_diag.h>
#include <netinet/in.h>
#include <netinet/ip.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>
#include <time.h>
#include <unistd.h>

enum { control_size = 256 };

struct cnetwork_batch {
    unsigned count, size;
    struct mmsghdr *messages;
    struct iovec *vectors;
    struct sockaddr_storage *sources;
    uint8_t *control;
    uint8_t *bytes;
};

cnetwork_batch *cnetwork_batch_create(unsigned count, unsigned size) {
    cnetwork_batch *batch = calloc(1, sizeof *batch);
    if (!batch) return NULL;
    batch->count = count;
    batch->size = size;
    batch->messages = calloc(count, sizeof *batch->messages);
    batch->vectors = calloc(count, sizeof *batch->vectors);
    batch->sources = calloc(count, sizeof *batch->sources);
    batch->control = calloc(count, control_size);
    batch->bytes = calloc(count, size);
    if (!batch->messages || !batch->vectors || !batch->sources || !batch->control || !batch->bytes) {
        cnetwork_batch_destroy(batch);
        return NULL;
    }
    return batch;
}

void cnetwork_batch_destroy(cnetwork_batch *batch) {
    free(batch->messages);
    free(batch->vectors);
    free(batch->sources);
    free(batch->control);
    free(batch->bytes);
    free(batch);
}

int cnetwork_batch_receive(cnetwork_batch *batch, int fd) {
    // recvmmsg overwrites the lengths: set them before every call.
    for (unsigned i = 0; i < batch->count; ++i) {
        batch->vectors[i] = (struct iovec){batch->bytes + (size_t)i * batch->size, batch->size};
        batch->messages[i].msg_hdr = (struct msghdr){
            .msg_name = &batch->sources[i],
            .msg_namelen = sizeof batch->sources[i],
            .msg_iov = &batch->vectors[i],
            .msg_iovlen = 1,
            .msg_control = batch->control + (size_t)i * control_size,
            .msg_controllen = control_size,
        };
    }
    int n = recvmmsg(fd, batch->messages, batch->count, MSG_DONTWAIT, NULL);
    return n < 0 ? -errno : n;
}

cnetwork_datagram cnetwork_batch_get(const cnetwork_batch *batch, unsigned index) {
    struct mmsghdr *message = &batch->messages[index];
    cnetwork_datagram datagram = {
        .bytes = batch->bytes + (size_t)index * batch->size,
        .length = message->msg_len,
        .source = &batch->sources[index],
        .traffic_class = -1,
        .truncated = message->msg_hdr.msg_flags & MSG_TRUNC,
    };
    for (struct cmsghdr *c = CMSG_FIRSTHDR(&message->msg_hdr); c; c = CMSG_NXTHDR(&message->msg_hdr, c)) {
        if (c->cmsg_level == SOL_SOCKET && c->cmsg_type == SCM_TIMESTAMPNS) {
            struct timespec stamp;
            memcpy(&stamp, CMSG_DATA(c), sizeof stamp);
            datagram.realtime_ns = stamp.tv_sec * INT64_C(1000000000) + stamp.tv_nsec;
        } else if (c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_TOS) {
            datagram.traffic_class = *CMSG_DATA(c);
        } else if (c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_TCLASS) {
            int traffic_class;
            memcpy(&traffic_class, CMSG_DATA(c), sizeof traffic_class);
            datagram.traffic_class = (int16_t)(traffic_class & 0xff);
        }
    }
    return datagram;
}

static int set(int fd, int level, int option, int value) {
    return setsockopt(fd, level, option, &value, sizeof value) < 0 ? -errno : 0;
}

// A second of 100,000 small datagrams would not fit any queue; what fits bridges a standstill of the reader.
enum { receive_queue_bytes = 4 << 20 };

static void enlarge_queue(int fd) {
    int bytes = receive_queue_bytes;
    // The first needs a privilege, the second is capped by net.core.rmem_max.
    if (setsockopt(fd, SOL_SOCKET, SO_RCVBUFFORCE, &bytes, sizeof bytes) < 0)
        (void)setsockopt(fd, SOL_SOCKET, SO_RCVBUF, &bytes, sizeof bytes);
}

int cnetwork_configure(int fd, int family, int traffic_class, int priority) {
    // The IPv4 options also on IPv6 sockets: these may speak IPv4 through mapped addresses.
    int results[] = {
        set(fd, SOL_SOCKET, SO_TIMESTAMPNS, 1),
        set(fd, IPPROTO_IP, IP_TOS, traffic_class),
        set(fd, IPPROTO_IP, IP_RECVTOS, 1),
        set(fd, IPPROTO_IP, IP_RECVERR, 1),
        family == AF_INET6 ? set(fd, IPPROTO_IPV6, IPV6_TCLASS, traffic_class) : 0,
        family == AF_INET6 ? set(fd, IPPROTO_IPV6, IPV6_RECVTCLASS, 1) : 0,
        family == AF_INET6 ? set(fd, IPPROTO_IPV6, IPV6_RECVERR, 1) : 0,
        // After IP_TOS, which sets a priority of its own.
        set(fd, SOL_SOCKET, SO_PRIORITY, priority),
    };
    for (size_t i = 0; i < sizeof results / sizeof *results; ++i)
        if (results[i] < 0) return results[i];
    enlarge_queue(fd);
    return 0;
}

// A filter of a UDP socket sees the datagram from its UDP header on; the IP header lies at SKF_NET_OFF.
int cnetwork_hear_only(int fd, bool is_v4, const uint32_t *address, uint16_t port) {
    struct sock_filter code[24];
    unsigned n = 0;
    // Each comparison that fails jumps to the last instruction, which drops; its distance is filled in below.
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)SKF_NET_OFF);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, is_v4 ? 0x40 : 0x60, 0, 0);
    for (unsigned word = is_v4 ? 3 : 0; word < 4; ++word) {
        // The source lies 12 bytes into an IPv4 header, 8 into that of IPv6.
        uint32_t offset = is_v4 ? 12 : 8 + 4 * word;
        code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + offset);
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, address[word], 0, 0);
    }
    if (port) {
        code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_H | BPF_ABS, 0);
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, 0);
    }
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0xffffffff);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    for (unsigned i = 0; i < n; ++i)
        if (BPF_CLASS(code[i].code) == BPF_JMP) code[i].jf = (uint8_t)(n - 1 - (i + 1));
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_FILTER, &program, sizeof program) < 0 ? -errno : 0;
}

int cnetwork_share_port(int fd) { return set(fd, SOL_SOCKET, SO_REUSEPORT, 1); }

int cnetwork_divert_dtls(int fd, bool is_v4, const uint32_t *address, uint16_t port) {
    enum { to_first = 254, to_second = 255 };
    struct sock_filter code[24];
    unsigned n = 0;
    // The first byte tells DTLS from all else (RFC 7983).
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS, 0);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGE | BPF_K, 20, 0, to_first);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JGT | BPF_K, 63, to_first, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)SKF_NET_OFF);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_ALU | BPF_AND | BPF_K, 0xf0);
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, is_v4 ? 0x40 : 0x60, 0, to_second);
    for (unsigned word = is_v4 ? 3 : 0; word < 4; ++word) {
        uint32_t offset = is_v4 ? 12 : 8 + 4 * word;
        code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)SKF_NET_OFF + offset);
        code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, address[word], 0, to_second);
    }
    // The source's port, behind a header without options.
    code[n++] = (struct sock_filter)BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)SKF_NET_OFF + (is_v4 ? 20 : 40));
    code[n++] = (struct sock_filter)BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, port, 0, to_second);
    unsigned first = n, second = n + 1;
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 0);
    code[n++] = (struct sock_filter)BPF_STMT(BPF_RET | BPF_K, 1);
    for (unsigned i = 0; i < n; ++i) {
        if (BPF_CLASS(code[i].code) != BPF_JMP) continue;
        uint8_t *ways[] = {&code[i].jt, &code[i].jf};
        for (unsigned way = 0; way < 2; ++way)
            if (*ways[way] >= to_first) *ways[way] = (uint8_t)((*ways[way] == to_first ? first : second) - (i + 1));
    }
    struct sock_fprog program = {.len = (unsigned short)n, .filter = code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) < 0 ? -errno : 0;
}

int cnetwork_shorten_queue(int fd, int bytes) { return set(fd, SOL_SOCKET, SO_RCVBUF, bytes); }

int cnetwork_spread(int fd, unsigned count) {
    enum { net = (int)SKF_NET_OFF };
    struct sock_filter code[] = {
        BPF_STMT(BPF_LD | BPF_B | BPF_ABS, (uint32_t)net),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 4),
        BPF_JUMP(BPF_JMP | BPF_JEQ | BPF_K, 4, 0, 4),
        // IPv4: the source's address, and its port behind a header without options.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(net + 12)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)(net + 20)),
        BPF_STMT(BPF_JMP | BPF_JA, 3),
        // IPv6: the last word of the source's address.
        BPF_STMT(BPF_LD | BPF_W | BPF_ABS, (uint32_t)(net + 20)),
        BPF_STMT(BPF_MISC | BPF_TAX, 0),
        BPF_STMT(BPF_LD | BPF_H | BPF_ABS, (uint32_t)(net + 40)),
        BPF_STMT(BPF_ALU | BPF_RSH | BPF_K, 1),
        BPF_STMT(BPF_ALU | BPF_ADD | BPF_X, 0),
        BPF_STMT(BPF_ALU | BPF_MOD | BPF_K, count),
        BPF_STMT(BPF_RET | BPF_A, 0),
    };
    struct sock_fprog program = {.len = sizeof code / sizeof *code, .filter = code};
    return setsockopt(fd, SOL_SOCKET, SO_ATTACH_REUSEPORT_CBPF, &program, sizeof program) < 0 ? -errno : 0;
}

int cnetwork_hear_anyone(int fd) {
    int unused = 0;
    return setsockopt(fd, SOL_SOCKET, SO_DETACH_FILTER, &unused, sizeof unused) < 0 ? -errno : 0;
}

uint32_t cnetwork_dropped(int fd) {
    uint32_t information[SK_MEMINFO_VARS] = {0};
    socklen_t length = sizeof information;
    return getsockopt(fd, SOL_SOCKET, SO_MEMINFO, information, &length) < 0 ? 0 : information[SK_MEMINFO_DROPS];
}

int cnetwork_send(int fd, const void *bytes, uint32_t length, const struct sockaddr *to, socklen_t to_length) {
    return sendto(fd, bytes, length, MSG_DONTWAIT | MSG_NOSIGNAL, to, to_length) < 0 ? -errno : 0;
}

struct cnetwork_outbox {
    unsigned count, size, used;
    struct mmsghdr *messages;
    struct iovec *vectors;
    struct sockaddr_storage *targets;
    uint8_t *bytes;
};

cnetwork_outbox *cnetwork_outbox_create(unsigned count, unsigned size) {
    cnetwork_outbox *outbox = calloc(1, sizeof *outbox);
    if (!outbox) return NULL;
    outbox->count = count;
    outbox->size = size;
    outbox->messages = calloc(count, sizeof *outbox->messages);
    outbox->vectors = calloc(count, sizeof *outbox->vectors);
    outbox->targets = calloc(count, sizeof *outbox->targets);
    outbox->bytes = calloc(count, size);
    if (!outbox->messages || !outbox->vectors || !outbox->targets || !outbox->bytes) {
        cnetwork_outbox_destroy(outbox);
        return NULL;
    }
    return outbox;
}

void cnetwork_outbox_destroy(cnetwork_outbox *outbox) {
    free(outbox->messages);
    free(outbox->vectors);
    free(outbox->targets);
    free(outbox->bytes);
    free(outbox);
}

bool cnetwork_outbox_add(
    cnetwork_outbox *outbox, const void *bytes, uint32_t length, const struct sockaddr *to, socklen_t to_length) {
    if (outbox->used == outbox->count || length > outbox->size || to_length > sizeof *outbox->targets) return false;
    unsigned i = outbox->used++;
    uint8_t *place = outbox->bytes + (size_t)i * outbox->size;
    memcpy(place, bytes, length);
    memcpy(&outbox->targets[i], to, to_length);
    outbox->vectors[i] = (struct iovec){place, length};
    outbox->messages[i].msg_hdr = (struct msghdr){
        .msg_name = &outbox->targets[i],
        .msg_namelen = to_length,
        .msg_iov = &outbox->vectors[i],
        .msg_iovlen = 1,
    };
    return true;
}

bool cnetwork_is_icmp(int error) {
    return error == ECONNREFUSED || error == EHOSTUNREACH || error == ENETUNREACH || error == EHOSTDOWN ||
        error == ENOPROTOOPT || error == EPROTO || error == EACCES || error == EMSGSIZE;
}

unsigned cnetwork_outbox_flush(cnetwork_outbox *outbox, int fd, int *error, unsigned *icmp) {
    unsigned done = 0, sent = 0;
    bool is_second_try = false;
    *error = 0;
    *icmp = 0;
    while (done < outbox->used) {
        int n = sendmmsg(fd, outbox->messages + done, outbox->used - done, MSG_DONTWAIT | MSG_NOSIGNAL);
        if (n > 0) {
            done += (unsigned)n;
            sent += (unsigned)n;
            is_second_try = false;
            continue;
        }
        if (n < 0 && errno == EINTR) continue;
        int failure = errno;
        if (cnetwork_is_icmp(failure) && !is_second_try) {
            *icmp += (unsigned)cnetwork_drain_errors(fd, NULL);
            is_second_try = true;
            continue;
        }
        *error = failure;
        // A full queue takes no other one either; anything else concerns this one.
        if (failure == EAGAIN || failure == ENOBUFS) break;
        ++done;
        is_second_try = false;
    }
    outbox->used = 0;
    return sent;
}

// Whether a message of the error queue says that a packet did not arrive where its name is.
static bool is_unreachable(struct msghdr *message) {
    for (struct cmsghdr *c = CMSG_FIRSTHDR(message); c; c = CMSG_NXTHDR(message, c)) {
        bool is_v4 = c->cmsg_level == IPPROTO_IP && c->cmsg_type == IP_RECVERR;
        if (!is_v4 && !(c->cmsg_level == IPPROTO_IPV6 && c->cmsg_type == IPV6_RECVERR)) continue;
        struct sock_extended_err error;
        memcpy(&error, CMSG_DATA(c), sizeof error);
        bool is_told = error.ee_origin == SO_EE_ORIGIN_ICMP || error.ee_origin == SO_EE_ORIGIN_ICMP6;
        // A packet that was too big says nothing about where it went.
        if (is_told && error.ee_errno != EMSGSIZE && cnetwork_is_icmp((int)error.ee_errno)) return true;
    }
    return false;
}

int cnetwork_drain_errors(int fd, struct sockaddr_storage *unreachable) {
    uint8_t control[512], payload[1];
    struct sockaddr_storage name;
    int count = 0;
    if (unreachable) unreachable->ss_family = 0;
    for (; count < 1000; ++count) {
        struct iovec vector = {payload, sizeof payload};
        struct msghdr message = {
            .msg_name = &name,
            .msg_namelen = sizeof name,
            .msg_iov = &vector,
            .msg_iovlen = 1,
            .msg_control = control,
            .msg_controllen = sizeof control,
        };
        if (recvmsg(fd, &message, MSG_ERRQUEUE | MSG_DONTWAIT) < 0) break;
        if (unreachable && message.msg_namelen > 0 && is_unreachable(&message)) *unreachable = name;
    }
    return count;
}

int cnetwork_poll_create(void) {
    int poll = epoll_create1(EPOLL_CLOEXEC);
    return poll < 0 ? -errno : poll;
}

int cnetwork_poll_add(int poll, int fd, uint64_t name) {
    struct epoll_event event = {.events = EPOLLIN, .data.u64 = name};
    return epoll_ctl(poll, EPOLL_CTL_ADD, fd, &event) < 0 ? -errno : 0;
}

enum { poll_look = 256 };

int cnetwork_poll_wait(int poll, uint64_t *names, int count, int milliseconds) {
    struct epoll_event events[poll_look];
    int n = epoll_wait(poll, events, count < poll_look ? count : poll_look, milliseconds);
    if (n < 0) return -errno;
    for (int i = 0; i < n; ++i) names[i] = events[i].data.u64;
    return n;
}

int cnetwork_watch_addresses(void) {
    int fd = socket(AF_NETLINK, SOCK_RAW | SOCK_NONBLOCK | SOCK_CLOEXEC, NETLINK_ROUTE);
    if (fd < 0) return -errno;
    struct sockaddr_nl address = {
        .nl_family = AF_NETLINK,
        .nl_groups = RTMGRP_IPV4_IFADDR | RTMGRP_IPV6_IFADDR | RTMGRP_IPV4_ROUTE | RTMGRP_IPV6_ROUTE,
    };
    if (bind(fd, (struct sockaddr *)&address, sizeof address) < 0) {
        int error = errno;
        close(fd);
        return -error;
    }
    return fd;
}

bool cnetwork_drain_watch(int fd) {
    char buffer[4096];
    bool any = false;
    // A queue that ran over (ENOBUFS) has news too.
    for (int i = 0; i < 256; i++) {
        if (recv(fd, buffer, sizeof buffer, 0) < 0 && errno != ENOBUFS) break;
        any = true;
    }
    return any;
}
