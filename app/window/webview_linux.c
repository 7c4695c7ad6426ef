//go:build linux

#define _GNU_SOURCE
#include "webview_linux.h"

#include <dlfcn.h>
#include <gdk/gdkkeysyms.h>
#include <gtk/gtk.h>
#include <stdlib.h>
#include <string.h>
#include <webkit2/webkit2.h>

#include "_cgo_export.h"
#include "consent_linux.h"
#include "messages_linux.h"

// One window per process: what the handlers need stands here and is touched on the GTK thread only.
static conch_rules *rules;
static WebKitWebView *view;
static GtkWindow *window;
static gboolean fullscreen;
static gboolean leaving;
static gboolean crash_shown; // the web process died, and the view has been at the crash screen since
static gint64 last_external;

#define LEAVE_MS 1500
#define EXTERNAL_PAUSE_US (1 * G_USEC_PER_SEC)

void conch_prepare(const char *program_name) { g_set_prgname(program_name); }

int conch_gtk_init(void) { return gtk_init_check(NULL, NULL); }

void conch_fit_screen(int *width, int *height) {
	GdkDisplay *display = gdk_display_get_default();
	GdkMonitor *monitor = gdk_display_get_primary_monitor(display);
	if (monitor == NULL) monitor = gdk_display_get_monitor(display, 0);
	if (monitor == NULL) return;
	GdkRectangle room;
	gdk_monitor_get_workarea(monitor, &room);
	*width = MIN(*width, MAX(room.width - 16, 1));
	*height = MIN(*height, MAX(room.height - 48, 1));
}

char *conch_engine_version(void) {
	return g_strdup_printf("%u.%u.%u", webkit_get_major_version(), webkit_get_minor_version(), webkit_get_micro_version());
}

static WebKitWebView *find_view(GtkWidget *widget) {
	if (WEBKIT_IS_WEB_VIEW(widget)) return WEBKIT_WEB_VIEW(widget);
	if (!GTK_IS_CONTAINER(widget)) return NULL;
	WebKitWebView *found = NULL;
	GList *children = gtk_container_get_children(GTK_CONTAINER(widget));
	for (GList *c = children; c != NULL && found == NULL; c = c->next) found = find_view(GTK_WIDGET(c->data));
	g_list_free(children);
	return found;
}

// is_ours reports whether uri is a page of the game's own origin. The character after the origin must end the
// authority, so that http://127.0.0.1:1234 does not cover http://127.0.0.1:12345 or ...:1234@evil.
static gboolean is_ours(const char *uri) {
	size_t n = strlen(rules->origin);
	if (strncmp(uri, rules->origin, n) != 0) return FALSE;
	return uri[n] == '/' || uri[n] == '?' || uri[n] == '#' || uri[n] == 0;
}

#define CRASHED "/__conch/crashed"
#define SETTINGS "/__conch/settings"

static gboolean is_at(const char *uri, const char *path) {
	return is_ours(uri) && strcmp(uri + strlen(rules->origin), path) == 0;
}

// is_inner reports whether uri carries no address of its own: such documents inherit the page's rules.
static gboolean is_inner(const char *uri) {
	return g_str_has_prefix(uri, "about:") || g_str_has_prefix(uri, "blob:") || g_str_has_prefix(uri, "data:");
}

// open_external hands a foreign link to the system browser, only from a real click or key press and once a second.
static void open_external(WebKitNavigationAction *action, const char *uri) {
	if (!webkit_navigation_action_is_user_gesture(action)) {
		conchBlocked(rules->token, (char *)uri);
		return;
	}
	gint64 now = g_get_monotonic_time();
	if (last_external != 0 && now - last_external < EXTERNAL_PAUSE_US) {
		conchBlocked(rules->token, (char *)uri);
		return;
	}
	last_external = now;
	conchOpenExternal(rules->token, (char *)uri);
}

static gboolean on_decide_policy(WebKitWebView *v, WebKitPolicyDecision *decision, WebKitPolicyDecisionType type, gpointer data) {
	if (type == WEBKIT_POLICY_DECISION_TYPE_RESPONSE) return FALSE;
	WebKitNavigationAction *action =
		webkit_navigation_policy_decision_get_navigation_action(WEBKIT_NAVIGATION_POLICY_DECISION(decision));
	const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	if (uri == NULL) uri = "";
	if (type == WEBKIT_POLICY_DECISION_TYPE_NEW_WINDOW_ACTION) {
		if (!is_ours(uri) && !is_inner(uri)) open_external(action, uri);
		webkit_policy_decision_ignore(decision);
		return TRUE;
	}
	if (is_at(uri, SETTINGS)) {
		// The link of the crash screen. No page of a game ever gets here with crash_shown set: what it needs to be in the
		// view, a navigation, has cleared it.
		if (crash_shown && webkit_navigation_action_is_user_gesture(action)) {
			conchOpenSettings(rules->token);
		} else {
			conchBlocked(rules->token, (char *)uri);
		}
		webkit_policy_decision_ignore(decision);
		return TRUE;
	}
	if (!is_at(uri, CRASHED)) crash_shown = FALSE;
	if (is_ours(uri) || is_inner(uri)) {
		WebKitWebsitePolicies *policies = webkit_website_policies_new_with_policies("autoplay", WEBKIT_AUTOPLAY_ALLOW, NULL);
		webkit_policy_decision_use_with_policies(decision, policies);
		g_object_unref(policies);
		return TRUE;
	}
	// The framework's own start page was replaced by the entry address and needs no line in the log.
	if (!g_str_has_prefix(uri, "wails:")) open_external(action, uri);
	webkit_policy_decision_ignore(decision);
	return TRUE;
}

// on_create refuses every second window, for a game has one; what window.open names goes where a link would go.
static GtkWidget *on_create(WebKitWebView *v, WebKitNavigationAction *action, gpointer data) {
	const char *uri = webkit_uri_request_get_uri(webkit_navigation_action_get_request(action));
	if (uri != NULL && *uri != 0 && !is_ours(uri) && !is_inner(uri)) open_external(action, uri);
	return NULL;
}

static gboolean on_permission(WebKitWebView *v, WebKitPermissionRequest *request, gpointer data) {
	gboolean allow = FALSE;
	if (WEBKIT_IS_POINTER_LOCK_PERMISSION_REQUEST(request)) {
		allow = !conch_asking();
	} else if (WEBKIT_IS_USER_MEDIA_PERMISSION_REQUEST(request)) {
		WebKitUserMediaPermissionRequest *media = WEBKIT_USER_MEDIA_PERMISSION_REQUEST(request);
		unsigned need = 0;
		if (webkit_user_media_permission_is_for_audio_device(media)) need |= CONCH_MICROPHONE;
		if (webkit_user_media_permission_is_for_video_device(media)) need |= CONCH_CAMERA;
		allow = need != 0 && (rules->permissions & need) == need;
	} else if (WEBKIT_IS_GEOLOCATION_PERMISSION_REQUEST(request)) {
		allow = (rules->permissions & CONCH_GEOLOCATION) != 0;
	} else if (WEBKIT_IS_NOTIFICATION_PERMISSION_REQUEST(request)) {
		allow = (rules->permissions & CONCH_NOTIFICATIONS) != 0;
	} else if (WEBKIT_IS_CLIPBOARD_PERMISSION_REQUEST(request)) {
		allow = (rules->permissions & CONCH_CLIPBOARD_READ) != 0;
	}
	if (allow) {
		webkit_permission_request_allow(request);
	} else {
		webkit_permission_request_deny(request);
		conchPermissionRefused(rules->token, (char *)G_OBJECT_TYPE_NAME(request));
	}
	return TRUE;
}

static void on_terminated(WebKitWebView *v, WebKitWebProcessTerminationReason reason, gpointer data) {
	if (leaving) return;
	conch_drop_messages();
	conchCrashed(rules->token, (int)reason);
	crash_shown = TRUE;
	char *uri = g_strconcat(rules->origin, CRASHED, NULL);
	webkit_web_view_load_uri(v, uri);
	g_free(uri);
}

static void on_close(WebKitWebView *v, gpointer data) { conchWindowClose(rules->token); }

static gboolean on_download_destination(WebKitDownload *download, const char *suggested, gpointer data) {
	char *path = conchDownloadPath(rules->token, (char *)(suggested ? suggested : ""));
	if (path == NULL) {
		webkit_download_cancel(download);
		return TRUE;
	}
	char *uri = g_filename_to_uri(path, NULL, NULL);
	webkit_download_set_allow_overwrite(download, FALSE);
	webkit_download_set_destination(download, uri);
	g_free(uri);
	free(path);
	return TRUE;
}

static void on_download_end(WebKitDownload *download, const char *error) {
	const char *uri = webkit_download_get_destination(download);
	char *path = uri ? g_filename_from_uri(uri, NULL, NULL) : NULL;
	conchDownloadEnd(rules->token, path ? path : "", (char *)(error ? error : ""));
	g_free(path);
}

static void on_download_failed(WebKitDownload *download, GError *error, gpointer data) {
	g_object_set_data(G_OBJECT(download), "conch-failed", GINT_TO_POINTER(1));
	on_download_end(download, error ? error->message : "unknown error");
}

static void on_download_finished(WebKitDownload *download, gpointer data) {
	if (g_object_get_data(G_OBJECT(download), "conch-failed") != NULL) return;
	on_download_end(download, NULL);
}

static void on_download(WebKitWebContext *context, WebKitDownload *download, gpointer data) {
	g_signal_connect(download, "decide-destination", G_CALLBACK(on_download_destination), NULL);
	g_signal_connect(download, "failed", G_CALLBACK(on_download_failed), NULL);
	g_signal_connect(download, "finished", G_CALLBACK(on_download_finished), NULL);
}

static gboolean on_window_state(GtkWidget *w, GdkEventWindowState *event, gpointer data) {
	fullscreen = (event->new_window_state & GDK_WINDOW_STATE_FULLSCREEN) != 0;
	return FALSE;
}

// on_key keeps F11 and Alt+Enter for full screen; every other key, Escape too, is the game's.
static gboolean on_key(GtkWidget *w, GdkEventKey *event, gpointer data) {
	guint mods = event->state & gtk_accelerator_get_default_mod_mask();
	gboolean enter = event->keyval == GDK_KEY_Return || event->keyval == GDK_KEY_KP_Enter;
	if (!(event->keyval == GDK_KEY_F11 && mods == 0) && !(enter && mods == GDK_MOD1_MASK)) return FALSE;
	if (fullscreen) {
		gtk_window_unfullscreen(window);
	} else {
		gtk_window_fullscreen(window);
	}
	return TRUE;
}

GtkWindow *conch_window(void) { return window; }

// The scripts below run in a world of their own: they share the page's document, never its script objects.
#define SHELL_WORLD "conch"

// Questions may follow each other at once, so the full screen comes back a moment after the last.
#define RESTORE_MS 250

static gboolean was_fullscreen;
static guint restoring;

// conch_uncover_view leaves the window's and the page's full screen and frees the pointer, so that nothing of the game
// hides a question. It reports whether it left a full screen.
int conch_uncover_view(void) {
	if (view == NULL) return FALSE;
	if (restoring != 0) g_source_remove(restoring);
	was_fullscreen = fullscreen || (restoring != 0 && was_fullscreen);
	restoring = 0;
	webkit_web_view_evaluate_javascript(view,
		"globalThis.full = document.fullscreenElement || globalThis.full; globalThis.lock = document.pointerLockElement || globalThis.lock;"
		"if (document.fullscreenElement) document.exitFullscreen(); if (document.pointerLockElement) document.exitPointerLock();",
		-1, SHELL_WORLD, NULL, NULL, NULL, NULL);
	gboolean left = fullscreen;
	if (left) gtk_window_unfullscreen(window);
	// A page that hangs does not hear of it: the pointer is taken from it in any case.
	gdk_seat_ungrab(gdk_display_get_default_seat(gtk_widget_get_display(GTK_WIDGET(window))));
	return left;
}

static gboolean restore(gpointer data) {
	restoring = 0;
	if (leaving) return G_SOURCE_REMOVE;
	if (was_fullscreen) gtk_window_fullscreen(window);
	webkit_web_view_evaluate_javascript(view,
		"(async () => { const { full, lock } = globalThis; globalThis.full = globalThis.lock = null;"
		"if (full) await full.requestFullscreen().catch(() => {}); if (lock) await lock.requestPointerLock() })().catch(() => {})",
		-1, SHELL_WORLD, NULL, NULL, NULL, NULL);
	return G_SOURCE_REMOVE;
}

// conch_restore_view gives the game back what conch_uncover_view took. The keyboard is the game's only when it was the
// question's: a player who went to another program stays there.
void conch_restore_view(int focused) {
	if (view == NULL || leaving) return;
	if (focused) {
		gtk_window_present(window);
		gtk_widget_grab_focus(GTK_WIDGET(view));
	}
	conch_show_messages();
	restoring = g_timeout_add(RESTORE_MS, restore, NULL);
}

// While a question is on screen a page opens nothing over it: no full screen, list, picker or printing.
static gboolean on_enter_fullscreen(WebKitWebView *v, gpointer data) { return conch_asking(); }

static gboolean on_print(WebKitWebView *v, WebKitPrintOperation *operation, gpointer data) { return conch_asking(); }

static gboolean on_option_menu(WebKitWebView *v, WebKitOptionMenu *menu, GdkRectangle *at, gpointer data) {
	if (!conch_asking()) return FALSE;
	webkit_option_menu_close(menu);
	return TRUE;
}

static gboolean on_file_chooser(WebKitWebView *v, WebKitFileChooserRequest *request, gpointer data) {
	if (!conch_asking()) return FALSE;
	webkit_file_chooser_request_cancel(request);
	return TRUE;
}

static gboolean on_color_chooser(WebKitWebView *v, WebKitColorChooserRequest *request, gpointer data) {
	if (!conch_asking()) return FALSE;
	webkit_color_chooser_request_cancel(request);
	return TRUE;
}

static void set_proxy(WebKitWebContext *context) {
	WebKitNetworkProxySettings *proxy = webkit_network_proxy_settings_new(rules->proxy, (const char *const *)rules->direct);
	webkit_website_data_manager_set_network_proxy_settings(
		webkit_web_context_get_website_data_manager(context), WEBKIT_NETWORK_PROXY_MODE_CUSTOM, proxy);
	webkit_network_proxy_settings_free(proxy);
}

// disable_dns_prefetch shuts <link rel=dns-prefetch>: WebKitGTK looks its names up itself, past the proxy, and they can
// say anything to whoever runs the name server. The old setting does nothing since the engine has features (2.42), and
// engines before have no features: so the functions are asked for by name.
static void disable_dns_prefetch(WebKitSettings *s) {
	WebKitFeatureList *(*all)(void) = dlsym(RTLD_DEFAULT, "webkit_settings_get_all_features");
	gsize (*length)(WebKitFeatureList *) = dlsym(RTLD_DEFAULT, "webkit_feature_list_get_length");
	WebKitFeature *(*get)(WebKitFeatureList *, gsize) = dlsym(RTLD_DEFAULT, "webkit_feature_list_get");
	const char *(*identifier)(WebKitFeature *) = dlsym(RTLD_DEFAULT, "webkit_feature_get_identifier");
	void (*set)(WebKitSettings *, WebKitFeature *, gboolean) = dlsym(RTLD_DEFAULT, "webkit_settings_set_feature_enabled");
	void (*unref)(WebKitFeatureList *) = dlsym(RTLD_DEFAULT, "webkit_feature_list_unref");
	g_object_set(s, "enable-dns-prefetching", FALSE, NULL);
	if (all == NULL || length == NULL || get == NULL || identifier == NULL || set == NULL || unref == NULL) return;
	WebKitFeatureList *features = all();
	for (gsize i = 0; i < length(features); i++) {
		WebKitFeature *f = get(features, i);
		if (g_strcmp0(identifier(f), "LinkDNSPrefetch") == 0) set(s, f, FALSE);
	}
	unref(features);
}

static void set_settings(void) {
	WebKitSettings *s = webkit_web_view_get_settings(view);
	webkit_settings_set_user_agent(s, NULL);
	webkit_settings_set_media_playback_requires_user_gesture(s, FALSE);
	webkit_settings_set_enable_developer_extras(s, rules->devtools);
	webkit_settings_set_enable_write_console_messages_to_stdout(s, rules->console);
	webkit_settings_set_enable_back_forward_navigation_gestures(s, FALSE);
	webkit_settings_set_javascript_can_open_windows_automatically(s, FALSE);
	webkit_settings_set_enable_webgl(s, TRUE);
	disable_dns_prefetch(s);
}

static void on_gone(GtkWidget *w, gpointer data);
static gboolean leave(gpointer data);

// on_event lets the player close the game's window while a question or a box of the page is open: GTK would tell the
// window nothing.
static void on_event(GdkEvent *event, gpointer data) {
	if (event->type == GDK_DELETE && window != NULL && event->any.window == gtk_widget_get_window(GTK_WIDGET(window)) &&
		gtk_grab_get_current() != NULL) {
		leave(NULL);
		return;
	}
	gtk_main_do_event(event);
}

static gboolean attach(gpointer data) {
	GList *tops = gtk_window_list_toplevels();
	for (GList *t = tops; t != NULL && view == NULL; t = t->next) {
		view = find_view(GTK_WIDGET(t->data));
		if (view != NULL) window = GTK_WINDOW(t->data);
	}
	g_list_free(tops);
	if (view == NULL) {
		conchAttached(rules->token, 0);
		return G_SOURCE_REMOVE;
	}
	// Nothing in the page may talk to the program except over http: the script handler of the framework goes.
	webkit_user_content_manager_unregister_script_message_handler(webkit_web_view_get_user_content_manager(view), "external");
	WebKitWebContext *context = webkit_web_view_get_context(view);
	set_proxy(context);
	set_settings();
	g_signal_connect(view, "decide-policy", G_CALLBACK(on_decide_policy), NULL);
	g_signal_connect(view, "create", G_CALLBACK(on_create), NULL);
	g_signal_connect(view, "permission-request", G_CALLBACK(on_permission), NULL);
	g_signal_connect(view, "web-process-terminated", G_CALLBACK(on_terminated), NULL);
	g_signal_connect(view, "close", G_CALLBACK(on_close), NULL);
	g_signal_connect(view, "enter-fullscreen", G_CALLBACK(on_enter_fullscreen), NULL);
	g_signal_connect(view, "print", G_CALLBACK(on_print), NULL);
	g_signal_connect(view, "show-option-menu", G_CALLBACK(on_option_menu), NULL);
	g_signal_connect(view, "run-file-chooser", G_CALLBACK(on_file_chooser), NULL);
	g_signal_connect(view, "run-color-chooser", G_CALLBACK(on_color_chooser), NULL);
	conch_take_messages(view, rules->name);
	g_signal_connect(context, "download-started", G_CALLBACK(on_download), NULL);
	g_signal_connect(window, "window-state-event", G_CALLBACK(on_window_state), NULL);
	g_signal_connect(window, "key-press-event", G_CALLBACK(on_key), NULL);
	g_signal_connect(window, "destroy", G_CALLBACK(on_gone), NULL);
	gdk_event_handler_set(on_event, NULL, NULL);
	webkit_web_view_load_uri(view, rules->entry);
	gtk_widget_grab_focus(GTK_WIDGET(view));
	conchAttached(rules->token, 1);
	return G_SOURCE_REMOVE;
}

void conch_attach(conch_rules *r) {
	rules = r;
	g_idle_add_full(G_PRIORITY_HIGH, attach, NULL, NULL);
}

static gboolean quit(gpointer data) {
	if (gtk_main_level() > 0) gtk_main_quit();
	return G_SOURCE_REMOVE;
}

static void on_left(WebKitWebView *v, WebKitLoadEvent event, gpointer data) {
	if (event == WEBKIT_LOAD_FINISHED) quit(NULL);
}

// leave sends the page away before the end, so that a game which saves at pagehide or unload gets to do it. A page
// that does not let go is given LEAVE_MS.
static gboolean leave(gpointer data) {
	if (leaving) return G_SOURCE_REMOVE;
	leaving = TRUE;
	conch_end_questions();
	conch_end_messages();
	if (view == NULL) return quit(NULL);
	if (window != NULL) gtk_widget_hide(GTK_WIDGET(window));
	g_signal_connect(view, "load-changed", G_CALLBACK(on_left), NULL);
	webkit_web_view_load_uri(view, "about:blank");
	g_timeout_add(LEAVE_MS, quit, NULL);
	return G_SOURCE_REMOVE;
}

void conch_quit_soon(void) { g_idle_add(leave, NULL); }

// on_gone: another program can destroy the window. Nothing of it is left to use.
static void on_gone(GtkWidget *w, gpointer data) {
	leaving = TRUE;
	conch_end_questions();
	view = NULL;
	window = NULL;
	quit(NULL);
}

static gboolean raise_window(gpointer data) {
	if (window != NULL) gtk_window_present(window);
	return G_SOURCE_REMOVE;
}

void conch_raise_soon(void) { g_idle_add(raise_window, NULL); }

static gboolean stop_page(gpointer data) {
	if (view != NULL && !leaving) webkit_web_view_terminate_web_process(view);
	return G_SOURCE_REMOVE;
}

// conch_stop_soon ends the page's process, whatever the page does; on_terminated shows the crash screen.
void conch_stop_soon(void) { g_idle_add(stop_page, NULL); }

// text_label shows text as data: never as a format and never as markup, wrapped, never cut.
GtkWidget *conch_text_label(const char *text) {
	GtkWidget *label = gtk_label_new(NULL);
	gtk_label_set_text(GTK_LABEL(label), text);
	gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
	gtk_label_set_line_wrap_mode(GTK_LABEL(label), PANGO_WRAP_WORD_CHAR);
	gtk_label_set_max_width_chars(GTK_LABEL(label), 64);
	gtk_label_set_xalign(GTK_LABEL(label), 0);
	g_object_set(label, "margin", 18, NULL);
	return label;
}

static GtkWidget *alert;

static gboolean cancel_alert(gpointer data) {
	if (alert != NULL) gtk_dialog_response(GTK_DIALOG(alert), GTK_RESPONSE_CANCEL);
	return G_SOURCE_REMOVE;
}

// conch_cancel_alert_soon closes the box on screen; it may be called from any thread.
void conch_cancel_alert_soon(void) { g_idle_add(cancel_alert, NULL); }

// conch_alert shows text with the given buttons and answers the index pressed, or -1 when the box was closed.
int conch_alert(const char *title, const char *text, char **buttons, int count) {
	GtkWidget *dialog = alert = gtk_dialog_new();
	gtk_window_set_title(GTK_WINDOW(dialog), title);
	gtk_window_set_position(GTK_WINDOW(dialog), GTK_WIN_POS_CENTER);
	gtk_window_set_resizable(GTK_WINDOW(dialog), FALSE);
	gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), conch_text_label(text));
	for (int i = 0; i < count; i++) {
		GtkWidget *button = gtk_dialog_add_button(GTK_DIALOG(dialog), buttons[i], i);
		if (i == 0) gtk_widget_grab_focus(button);
	}
	gtk_widget_show_all(dialog);
	int answer = gtk_dialog_run(GTK_DIALOG(dialog));
	alert = NULL;
	gtk_widget_destroy(dialog);
	while (gtk_events_pending()) gtk_main_iteration();
	return answer < 0 ? -1 : answer;
}

typedef struct {
	char *title;
	char *text;
} notice;

static void notice_done(GtkDialog *dialog, int response, gpointer data) { gtk_widget_destroy(GTK_WIDGET(dialog)); }

static gboolean show_notice(gpointer data) {
	notice *n = data;
	GtkWidget *dialog = gtk_dialog_new_with_buttons(n->title, window, GTK_DIALOG_DESTROY_WITH_PARENT, "OK", GTK_RESPONSE_OK, NULL);
	gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(dialog))), conch_text_label(n->text));
	gtk_window_set_resizable(GTK_WINDOW(dialog), FALSE);
	gtk_window_set_focus_on_map(GTK_WINDOW(dialog), FALSE); // the keys stay with the game
	g_signal_connect(dialog, "response", G_CALLBACK(notice_done), NULL);
	gtk_widget_show_all(dialog);
	g_free(n->title);
	g_free(n->text);
	g_free(n);
	return G_SOURCE_REMOVE;
}

// conch_notice_soon shows one sentence over the window without stopping the game.
void conch_notice_soon(const char *title, const char *text) {
	notice *n = g_new0(notice, 1);
	n->title = g_strdup(title);
	n->text = g_strdup(text);
	g_idle_add(show_notice, n);
}
