// The box that says that a new version of the game is out.
#ifndef CONCH_UPDATE_LINUX_H
#define CONCH_UPDATE_LINUX_H

#include <stdint.h>

enum { CONCH_UPDATE_LATER = 0, CONCH_UPDATE_PAGE = 1, CONCH_UPDATE_NOW = 2, CONCH_UPDATE_SKIP = 3 };

// All texts are data, shown as they are. conch_update_ask_soon copies them; notes may be empty.
void conch_update_ask_soon(uint64_t token, const char *sentence, const char *notes, int can_replace, int wait_ms);
void conch_update_dismiss_soon(void);

#endif
