//go:build linux

#include "messages_linux.h"

#include <gtk/gtk.h>
#include <string.h>
#include <webkit2/webkit2.h>

#include "consent_linux.h"
#include "webview_linux.h"

// A longer text is cut, and what does not fit into this height scrolls: the buttons stay on the screen.
#define MAX_TEXT 20000
#define MAX_HEIGHT 260

// The page waits while its box is open, so there is one at a time. More come when frames of other processes ask too,
// or while a question is on screen: a box never lies over a question.
static GQueue waiting = G_QUEUE_INIT; // of WebKitScriptDialog
static WebKitScriptDialog *current;
static GtkWidget *box, *entry;
static char *heading;
static gboolean ended;

static GtkWidget *label(const char *words, gboolean bold) {
	GtkWidget *l = gtk_label_new(NULL);
	gtk_label_set_text(GTK_LABEL(l), words);
	gtk_label_set_line_wrap(GTK_LABEL(l), TRUE);
	gtk_label_set_line_wrap_mode(GTK_LABEL(l), PANGO_WRAP_WORD_CHAR);
	gtk_label_set_max_width_chars(GTK_LABEL(l), 56);
	gtk_label_set_xalign(GTK_LABEL(l), 0);
	if (bold) {
		PangoAttrList *attributes = pango_attr_list_new();
		pango_attr_list_insert(attributes, pango_attr_weight_new(PANGO_WEIGHT_BOLD));
		gtk_label_set_attributes(GTK_LABEL(l), attributes);
		pango_attr_list_unref(attributes);
	}
	return l;
}

static void answer(WebKitScriptDialog *dialog, gboolean yes, const char *text) {
	WebKitScriptDialogType type = webkit_script_dialog_get_dialog_type(dialog);
	if (type == WEBKIT_SCRIPT_DIALOG_CONFIRM) webkit_script_dialog_confirm_set_confirmed(dialog, yes);
	if (type == WEBKIT_SCRIPT_DIALOG_PROMPT && yes) webkit_script_dialog_prompt_set_text(dialog, text);
	webkit_script_dialog_close(dialog);
	webkit_script_dialog_unref(dialog);
}

static void on_response(GtkDialog *d, int response, gpointer data) {
	WebKitScriptDialog *dialog = current;
	char *text = entry != NULL ? g_strdup(gtk_entry_get_text(GTK_ENTRY(entry))) : NULL;
	current = NULL;
	entry = NULL;
	gtk_widget_destroy(box);
	answer(dialog, response == GTK_RESPONSE_OK, text);
	g_free(text);
	conch_show_messages();
}

static void build(WebKitScriptDialogType type) {
	box = gtk_dialog_new_with_buttons(heading, conch_window(), GTK_DIALOG_MODAL | GTK_DIALOG_DESTROY_WITH_PARENT, NULL, NULL);
	gtk_window_set_resizable(GTK_WINDOW(box), FALSE);
	GtkWidget *all = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
	g_object_set(all, "margin", 18, NULL);
	gtk_box_pack_start(GTK_BOX(all), label(heading, TRUE), FALSE, FALSE, 0);

	const char *message = webkit_script_dialog_get_message(current);
	char *text = g_utf8_make_valid(message, strnlen(message, MAX_TEXT));
	GtkWidget *scroll = gtk_scrolled_window_new(NULL, NULL);
	gtk_scrolled_window_set_policy(GTK_SCROLLED_WINDOW(scroll), GTK_POLICY_NEVER, GTK_POLICY_AUTOMATIC);
	gtk_scrolled_window_set_propagate_natural_height(GTK_SCROLLED_WINDOW(scroll), TRUE);
	gtk_scrolled_window_set_max_content_height(GTK_SCROLLED_WINDOW(scroll), MAX_HEIGHT);
	gtk_container_add(GTK_CONTAINER(scroll), label(text, FALSE));
	gtk_box_pack_start(GTK_BOX(all), scroll, FALSE, FALSE, 0);
	g_free(text);

	if (type == WEBKIT_SCRIPT_DIALOG_PROMPT) {
		entry = gtk_entry_new();
		gtk_entry_set_text(GTK_ENTRY(entry), webkit_script_dialog_prompt_get_default_text(current));
		gtk_entry_set_activates_default(GTK_ENTRY(entry), TRUE);
		gtk_box_pack_start(GTK_BOX(all), entry, FALSE, FALSE, 0);
	}
	gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(box))), all);
	if (type != WEBKIT_SCRIPT_DIALOG_ALERT) gtk_dialog_add_button(GTK_DIALOG(box), "Cancel", GTK_RESPONSE_CANCEL);
	GtkWidget *ok = gtk_dialog_add_button(GTK_DIALOG(box), "OK", GTK_RESPONSE_OK);
	gtk_dialog_set_default_response(GTK_DIALOG(box), GTK_RESPONSE_OK);
	gtk_widget_grab_focus(entry != NULL ? entry : ok);
}

void conch_show_messages(void) {
	if (current != NULL || conch_asking() || g_queue_is_empty(&waiting)) return;
	current = g_queue_pop_head(&waiting);
	build(webkit_script_dialog_get_dialog_type(current));
	g_signal_connect(box, "response", G_CALLBACK(on_response), NULL);
	gtk_widget_show_all(box);
	gtk_window_present(GTK_WINDOW(box));
}

void conch_drop_messages(void) {
	WebKitScriptDialog *dialog;
	while ((dialog = g_queue_pop_head(&waiting)) != NULL) answer(dialog, FALSE, NULL);
	if (current != NULL) gtk_dialog_response(GTK_DIALOG(box), GTK_RESPONSE_CANCEL);
}

void conch_end_messages(void) {
	ended = TRUE;
	conch_drop_messages();
}

static gboolean on_script_dialog(WebKitWebView *view, WebKitScriptDialog *dialog, gpointer data) {
	if (webkit_script_dialog_get_dialog_type(dialog) == WEBKIT_SCRIPT_DIALOG_BEFORE_UNLOAD_CONFIRM) return FALSE;
	if (ended) {
		answer(webkit_script_dialog_ref(dialog), FALSE, NULL);
		return TRUE;
	}
	g_queue_push_tail(&waiting, webkit_script_dialog_ref(dialog));
	conch_show_messages();
	return TRUE;
}

void conch_take_messages(WebKitWebView *view, const char *name) {
	heading = g_strdup_printf("Message from the game %s", name);
	g_signal_connect(view, "script-dialog", G_CALLBACK(on_script_dialog), NULL);
}
