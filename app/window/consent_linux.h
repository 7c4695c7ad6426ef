// The question "may this game connect to that host?" as a GTK dialog of its own.
#ifndef CONCH_CONSENT_LINUX_H
#define CONCH_CONSENT_LINUX_H

#include <stdint.h>

enum { CONCH_DENY = 0, CONCH_ALLOW = 1, CONCH_DENY_UNTIL_RESTART = 2 };

// All texts are data, shown as they are. conch_ask_soon copies them.
void conch_ask_soon(uint64_t token, const char *sentence, const char *host, const char *notes, int offer_stop, int wait_ms);
void conch_dismiss_soon(uint64_t token);

// On the GTK thread: whether a question is on screen, and the end of all questions.
int conch_asking(void);
void conch_end_questions(void);

#endif
