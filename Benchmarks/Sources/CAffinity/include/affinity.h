#pragma once
/* Ties the calling thread to one processor; nothing happens when there is no such processor. */
void affinity_pin(int processor);
