//go:build linux

#include "update_linux.h"

#include <gtk/gtk.h>

#include "_cgo_export.h"
#include "webview_linux.h"

#define NOTES_WIDTH 420
#define NOTES_HEIGHT 120

// One box per process, on the GTK thread.
static struct {
	uint64_t token;
	char *sentence, *notes;
	int can_replace, wait_ms;
	GtkWidget *dialog;
	guint timer;
} box;

static void finish(int answer) {
	if (box.dialog == NULL) return;
	GtkWidget *dialog = box.dialog;
	box.dialog = NULL;
	if (box.timer != 0) g_source_remove(box.timer);
	box.timer = 0;
	gtk_widget_destroy(dialog);
	conchUpdateAnswered(box.token, answer);
}

static void set_active(gboolean active) {
	const int choices[] = {CONCH_UPDATE_PAGE, CONCH_UPDATE_NOW, CONCH_UPDATE_SKIP};
	for (int i = 0; i < 3; i++) gtk_dialog_set_response_sensitive(GTK_DIALOG(box.dialog), choices[i], active);
}

static gboolean ready(gpointer data) {
	box.timer = 0;
	set_active(TRUE);
	return G_SOURCE_REMOVE;
}

// wait_again makes every choice but Later inactive for a moment: a click that was meant for the game, and lands where
// the box has just come up or moved to, chooses nothing.
static gboolean wait_again(GtkWidget *w, GdkEvent *event, gpointer data) {
	if (box.timer != 0) g_source_remove(box.timer);
	set_active(FALSE);
	box.timer = g_timeout_add(box.wait_ms, ready, NULL);
	return FALSE;
}

static void on_response(GtkDialog *dialog, int response, gpointer data) { finish(response < 0 ? CONCH_UPDATE_LATER : response); }

static GtkWidget *scrolled(const char *notes) {
	GtkWidget *area = gtk_scrolled_window_new(NULL, NULL);
	gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(area), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
	gtk_scrolled_window_set_shadow_type(GTK_SCROLLED_WINDOW(area), GTK_SHADOW_IN);
	gtk_widget_set_size_request(area, NOTES_WIDTH, NOTES_HEIGHT);
	g_object_set(area, "margin-start", 18, "margin-end", 18, "margin-bottom", 12, NULL);
	GtkWidget *label = conch_text_label(notes);
	g_object_set(label, "margin", 8, "valign", GTK_ALIGN_START, NULL);
	gtk_container_add(GTK_CONTAINER(area), label);
	return area;
}

static gboolean ask(gpointer data) {
	box.dialog = gtk_dialog_new();
	GtkWindow *w = GTK_WINDOW(box.dialog);
	gtk_window_set_title(w, "New version");
	gtk_window_set_resizable(w, FALSE);
	gtk_window_set_position(w, GTK_WIN_POS_CENTER_ON_PARENT);
	// The game goes on below, so its keys stay with it until the player turns to the box.
	gtk_window_set_focus_on_map(w, FALSE);
	if (conch_window() != NULL) gtk_window_set_transient_for(w, conch_window());
	GtkBox *content = GTK_BOX(gtk_dialog_get_content_area(GTK_DIALOG(box.dialog)));
	gtk_box_pack_start(content, conch_text_label(box.sentence), FALSE, FALSE, 0);
	if (*box.notes != 0) gtk_box_pack_start(content, scrolled(box.notes), FALSE, FALSE, 0);

	gtk_dialog_add_button(GTK_DIALOG(box.dialog), "Skip this version", CONCH_UPDATE_SKIP);
	gtk_dialog_add_button(GTK_DIALOG(box.dialog), "Open its page", CONCH_UPDATE_PAGE);
	if (box.can_replace) gtk_dialog_add_button(GTK_DIALOG(box.dialog), "Update now", CONCH_UPDATE_NOW);
	GtkWidget *later = gtk_dialog_add_button(GTK_DIALOG(box.dialog), "Later", CONCH_UPDATE_LATER);
	gtk_dialog_set_default_response(GTK_DIALOG(box.dialog), CONCH_UPDATE_LATER);
	gtk_widget_grab_focus(later);
	g_signal_connect(box.dialog, "response", G_CALLBACK(on_response), NULL);
	g_signal_connect(box.dialog, "configure-event", G_CALLBACK(wait_again), NULL);
	g_signal_connect(box.dialog, "focus-in-event", G_CALLBACK(wait_again), NULL);
	wait_again(NULL, NULL, NULL);
	gtk_widget_show_all(box.dialog);
	return G_SOURCE_REMOVE;
}

void conch_update_ask_soon(uint64_t token, const char *sentence, const char *notes, int can_replace, int wait_ms) {
	box.token = token;
	box.sentence = g_strdup(sentence);
	box.notes = g_strdup(notes);
	box.can_replace = can_replace;
	box.wait_ms = wait_ms;
	g_idle_add(ask, NULL);
}

static gboolean dismiss(gpointer data) {
	finish(CONCH_UPDATE_LATER);
	return G_SOURCE_REMOVE;
}

void conch_update_dismiss_soon(void) { g_idle_add(dismiss, NULL); }
