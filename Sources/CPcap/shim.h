#ifndef YODEL_CPCAP_SHIM_H
#define YODEL_CPCAP_SHIM_H
#include <pcap/pcap.h>
#endif
