// The question "may this game connect to that host?" as a sheet on the game's window.
#ifndef CONCH_CONSENT_DARWIN_H
#define CONCH_CONSENT_DARWIN_H

#include <stdint.h>

enum { CONCH_DENY = 0, CONCH_ALLOW = 1, CONCH_DENY_UNTIL_RESTART = 2 };

// All texts are data, shown as they are; stop is NULL where the third choice is not offered. conch_ask_soon copies them.
void conch_ask_soon(uint64_t token, const char *sentence, const char *details, const char *deny, const char *allow, const char *stop, int wait_ms);
void conch_dismiss_soon(uint64_t token);

#endif
