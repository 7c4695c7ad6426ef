// The page's alert, confirm and prompt as boxes of the shell's own, which say whose words they are.
#ifndef CONCH_MESSAGES_LINUX_H
#define CONCH_MESSAGES_LINUX_H

typedef struct _WebKitWebView WebKitWebView;

// All on the GTK thread. name is copied.
void conch_take_messages(WebKitWebView *view, const char *name);
void conch_show_messages(void); // the next one that waits, unless a question is on screen
void conch_drop_messages(void); // the page goes: its boxes are answered with cancel
void conch_end_messages(void);  // the window goes: so is every later one

#endif
