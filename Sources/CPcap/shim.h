#ifndef YODEL_CPCAP_SHIM_H
#define YODEL_CPCAP_SHIM_H
#include <dlfcn.h>
#include <pcap/pcap.h>

/* The part of libpcap that reads files. It is loaded when a capture is read, not linked: with the D-Bus client it brings
   along it would cost every call 1.4 MiB. */
typedef struct {
    pcap_t *(*fopen_offline)(FILE *, u_int, char *);
    int (*datalink)(pcap_t *);
    const char *(*datalink_name)(int);
    int (*next)(pcap_t *, struct pcap_pkthdr **, const u_char **);
    char *(*error)(pcap_t *);
    void (*close)(pcap_t *);
} cpcap_library;

/* Fills `library`; NULL, or what is missing. Debian's name first, then upstream's. The library stays loaded. */
static inline const char *cpcap_load(cpcap_library *library) {
    void *handle = dlopen("libpcap.so.0.8", RTLD_NOW | RTLD_LOCAL);
    if (!handle) handle = dlopen("libpcap.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!handle) return "libpcap is not installed (Debian: libpcap0.8)";
    library->fopen_offline = dlsym(handle, "pcap_fopen_offline_with_tstamp_precision");
    library->datalink = dlsym(handle, "pcap_datalink");
    library->datalink_name = dlsym(handle, "pcap_datalink_val_to_name");
    library->next = dlsym(handle, "pcap_next_ex");
    library->error = dlsym(handle, "pcap_geterr");
    library->close = dlsym(handle, "pcap_close");
    if (!library->fopen_offline || !library->datalink || !library->datalink_name || !library->next || !library->error ||
        !library->close)
        return "libpcap is too old: 1.5 or newer is needed";
    return NULL;
}
#endif
