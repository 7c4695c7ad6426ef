// The webview's rules on Linux, set from outside Wails on the GTK thread.
#ifndef CONCH_WEBVIEW_LINUX_H
#define CONCH_WEBVIEW_LINUX_H

#include <stdint.h>

enum {
	CONCH_CAMERA = 1 << 0,
	CONCH_MICROPHONE = 1 << 1,
	CONCH_GEOLOCATION = 1 << 2,
	CONCH_NOTIFICATIONS = 1 << 3,
	CONCH_CLIPBOARD_READ = 1 << 4,
};

typedef struct {
	char *name;          // what the game is called
	char *origin;        // http://127.0.0.1:PORT, no slash at the end
	char *entry;         // the one-time address the game starts from
	char *proxy;         // http://127.0.0.1:PORT of the deny-all proxy
	char **direct;       // NULL-terminated list of 127.0.0.1:PORT reached without the proxy
	unsigned permissions; // CONCH_* that the manifest lists
	int devtools;
	int console;         // page console on stdout
	uint64_t token;      // handed back to Go with every call
} conch_rules;

#ifdef WEBKIT2_41
#define CONCH_ENGINE "libwebkit2gtk-4.1.so.0"
#else
#define CONCH_ENGINE "libwebkit2gtk-4.0.so.37"
#endif

const char *conch_load_engine(void);
int conch_load_toolkit(void);
void conch_prepare(const char *program_name);
int conch_gtk_init(void);
void conch_fit_screen(int *width, int *height);
void conch_attach(conch_rules *rules);
void conch_notice_soon(const char *title, const char *text);
void conch_quit_soon(void);
void conch_raise_soon(void);
void conch_stop_soon(void);
int conch_alert(const char *title, const char *text, char **buttons, int count);
void conch_cancel_alert_soon(void);
char *conch_engine_version(void);

// conch_text_label shows text as data: never as a format and never as markup, wrapped, never cut.
typedef struct _GtkWidget GtkWidget;
GtkWidget *conch_text_label(const char *text);

// For the consent dialog, on the GTK thread: the game's window, leaving full screen and pointer lock, and back.
typedef struct _GtkWindow GtkWindow;
GtkWindow *conch_window(void);
int conch_uncover_view(void);
void conch_restore_view(int focused);

#endif
