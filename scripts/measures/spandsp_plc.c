/* G.711 with spandsp's concealment behind a buffer deep enough for every packet that comes.
 *   spandsp_plc in.raw trace.csv out.raw        raw = mono s16le at 8 kHz, packets of 20 ms
 * Trace lines: seq,send_ms,arrive_ms; arrive empty = lost. */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <spandsp.h>

int main(int argc, char **argv) {
    if (argc != 4) return 2;
    FILE *in = fopen(argv[1], "rb"), *trace = fopen(argv[2], "r"), *out = fopen(argv[3], "wb");
    if (!in || !trace || !out) return 1;
    plc_state_t *plc = plc_init(NULL);
    int16_t frame[160];
    char line[256];
    if (!fgets(line, sizeof line, trace)) return 1;
    while (fread(frame, 2, 160, in) == 160) {
        long sequence;
        double sent, arrived;
        if (!fgets(line, sizeof line, trace)) {
            rewind(trace);
            if (!fgets(line, sizeof line, trace) || !fgets(line, sizeof line, trace)) return 1;
        }
        int lost = sscanf(line, "%ld,%lf,%lf", &sequence, &sent, &arrived) != 3;
        for (int i = 0; i < 160; i++) frame[i] = ulaw_to_linear(linear_to_ulaw(frame[i]));
        if (lost) plc_fillin(plc, frame, 160); else plc_rx(plc, frame, 160);
        fwrite(frame, 2, 160, out);
    }
    return fclose(out) != 0;
}
