//go:build linux

#include "consent_linux.h"

#include <gdk/gdkkeysyms.h>
#include <gtk/gtk.h>
#include <string.h>

#include "_cgo_export.h"
#include "webview_linux.h"

// A wait that keys, clicks, focus or moves start again is a third as long after this many times its length: a player
// with restless hands gets to Allow, and hands that never rest do not.
#define WAIT_CAP 20

// How often to look whether a list of the page still hangs open.
#define COVERED_MS 100

// question is the one dialog on screen. It lives on the GTK thread.
typedef struct {
	uint64_t token;
	char *sentence, *host, *notes;
	int offer_stop;
	int wait_ms;

	GtkWidget *dialog, *allow;
	GtkGesture *press; // sees every click before the widget under it does
	guint timer;
	gboolean painted; // the player has been shown the question
	gint64 cap; // monotonic time from which waits are short
	GHashTable *down; // hardware keycodes that are held: a repeat never presses a button
	gboolean answered;
} question;

static question *shown;
static question *coming; // waits until nothing covers it
static gboolean ended; // the window goes: no question is shown any more

static void release(question *q) {
	if (q->timer != 0) g_source_remove(q->timer);
	if (q->down != NULL) g_hash_table_destroy(q->down);
	if (q->press != NULL) g_object_unref(q->press);
	g_free(q->sentence);
	g_free(q->host);
	g_free(q->notes);
	g_free(q);
}

// finish ends the dialog with one answer; answers after the first are dropped.
static void finish(question *q, int answer) {
	if (q->answered) return;
	q->answered = TRUE;
	shown = NULL;
	gboolean focused = gtk_window_is_active(GTK_WINDOW(q->dialog));
	gtk_widget_destroy(q->dialog);
	g_object_unref(q->dialog);
	conch_restore_view(focused);
	conchAnswered(q->token, answer);
	release(q);
}

static gboolean ready(gpointer data) {
	question *q = data;
	q->timer = 0;
	gtk_widget_set_sensitive(q->allow, TRUE);
	return G_SOURCE_REMOVE;
}

// caught_up comes when the wait is over. What the player did meanwhile may still be on its way when a page keeps this
// thread busy, so Allow waits until the thread has nothing else to do: every earlier key and click is seen first.
static gboolean caught_up(gpointer data) {
	question *q = data;
	q->timer = g_idle_add_full(G_PRIORITY_LOW, ready, q, NULL);
	return G_SOURCE_REMOVE;
}

// start_wait makes Allow inactive until the player has left the dialog alone for a while. Before the dialog is painted
// no wait begins.
static void start_wait(question *q) {
	gtk_widget_set_sensitive(q->allow, FALSE);
	if (!q->painted) return;
	gint64 now = g_get_monotonic_time();
	if (q->cap == 0) q->cap = now + (gint64)q->wait_ms * 1000 * WAIT_CAP;
	if (q->timer != 0) g_source_remove(q->timer);
	q->timer = g_timeout_add(now < q->cap ? q->wait_ms : q->wait_ms / 3, caught_up, q);
}

static gboolean on_draw(GtkWidget *w, cairo_t *cr, gpointer data) {
	question *q = data;
	if (q->painted) return FALSE;
	q->painted = TRUE;
	start_wait(q);
	return FALSE;
}

static gboolean on_key_press(GtkWidget *w, GdkEventKey *event, gpointer data) {
	question *q = data;
	gpointer code = GUINT_TO_POINTER((guint)event->hardware_keycode + 1);
	gboolean repeat = !g_hash_table_add(q->down, code);
	if (event->keyval == GDK_KEY_Escape && !repeat) {
		finish(q, CONCH_DENY);
		return TRUE;
	}
	if (gtk_widget_get_sensitive(q->allow)) return repeat;
	start_wait(q);
	return TRUE;
}

static gboolean on_key_release(GtkWidget *w, GdkEventKey *event, gpointer data) {
	question *q = data;
	// A release whose press came before the dialog, or during the wait, is not the player's answer.
	gboolean known = g_hash_table_remove(q->down, GUINT_TO_POINTER((guint)event->hardware_keycode + 1));
	return !known || !gtk_widget_get_sensitive(q->allow);
}

static void on_press(GtkGestureMultiPress *gesture, int count, double x, double y, gpointer data) {
	question *q = data;
	if (!gtk_widget_get_sensitive(q->allow)) start_wait(q);
}

static gboolean on_focus_in(GtkWidget *w, GdkEventFocus *event, gpointer data) {
	start_wait(data);
	return FALSE;
}

static gboolean on_configure(GtkWidget *w, GdkEventConfigure *event, gpointer data) {
	start_wait(data);
	return FALSE;
}

static void on_response(GtkDialog *dialog, int response, gpointer data) {
	question *q = data;
	if (response == CONCH_ALLOW && !gtk_widget_get_sensitive(q->allow)) return;
	finish(q, response == CONCH_ALLOW ? CONCH_ALLOW : CONCH_DENY);
}

static void on_stop(GtkButton *button, gpointer data) { finish(data, CONCH_DENY_UNTIL_RESTART); }

// on_destroy: another program can destroy the window under the dialog, and that is no answer.
static void on_destroy(GtkWidget *w, gpointer data) { finish(data, CONCH_DENY); }

static GtkWidget *text(const char *words, gboolean monospace) {
	GtkWidget *label = gtk_label_new(NULL);
	gtk_label_set_text(GTK_LABEL(label), words);
	gtk_label_set_line_wrap(GTK_LABEL(label), TRUE);
	gtk_label_set_line_wrap_mode(GTK_LABEL(label), monospace ? PANGO_WRAP_CHAR : PANGO_WRAP_WORD_CHAR);
	gtk_label_set_max_width_chars(GTK_LABEL(label), 56);
	gtk_label_set_xalign(GTK_LABEL(label), 0);
	gtk_widget_set_direction(label, GTK_TEXT_DIR_LTR);
	PangoAttrList *attributes = pango_attr_list_new();
	// A hyphen at the end of a line would look like a part of the name.
	pango_attr_list_insert(attributes, pango_attr_insert_hyphens_new(FALSE));
	if (monospace) {
		pango_attr_list_insert(attributes, pango_attr_family_new("monospace"));
		pango_attr_list_insert(attributes, pango_attr_weight_new(PANGO_WEIGHT_BOLD));
	}
	gtk_label_set_attributes(GTK_LABEL(label), attributes);
	pango_attr_list_unref(attributes);
	return label;
}

// build makes the dialog: deny has the focus and is what Escape, the close box and Return mean.
static void build(question *q, GtkWindowPosition place) {
	GtkWindow *parent = conch_window();
	q->dialog = g_object_ref(gtk_dialog_new());
	gtk_window_set_title(GTK_WINDOW(q->dialog), "Conch");
	gtk_window_set_resizable(GTK_WINDOW(q->dialog), FALSE);
	gtk_window_set_modal(GTK_WINDOW(q->dialog), TRUE);
	gtk_window_set_position(GTK_WINDOW(q->dialog), place);
	gtk_window_set_keep_above(GTK_WINDOW(q->dialog), TRUE);
	if (parent != NULL) gtk_window_set_transient_for(GTK_WINDOW(q->dialog), parent);

	GtkWidget *box = gtk_box_new(GTK_ORIENTATION_VERTICAL, 12);
	g_object_set(box, "margin", 18, NULL);
	gtk_box_pack_start(GTK_BOX(box), text(q->sentence, FALSE), FALSE, FALSE, 0);
	if (*q->host != 0) gtk_box_pack_start(GTK_BOX(box), text(q->host, TRUE), FALSE, FALSE, 0);
	if (*q->notes != 0) gtk_box_pack_start(GTK_BOX(box), text(q->notes, FALSE), FALSE, FALSE, 0);
	gtk_container_add(GTK_CONTAINER(gtk_dialog_get_content_area(GTK_DIALOG(q->dialog))), box);

	if (q->offer_stop) { // on a line of its own: three buttons beside each other are too wide for a small screen
		GtkWidget *stop = gtk_button_new_with_label("Stop asking until I restart this game");
		gtk_widget_set_halign(stop, GTK_ALIGN_START);
		g_signal_connect(stop, "clicked", G_CALLBACK(on_stop), q);
		gtk_box_pack_start(GTK_BOX(box), stop, FALSE, FALSE, 0);
	}
	q->allow = gtk_dialog_add_button(GTK_DIALOG(q->dialog), "Allow", CONCH_ALLOW);
	GtkWidget *deny = gtk_dialog_add_button(GTK_DIALOG(q->dialog), "Don't allow", CONCH_DENY);
	gtk_widget_set_sensitive(q->allow, FALSE);
	gtk_dialog_set_default_response(GTK_DIALOG(q->dialog), CONCH_DENY);
	gtk_widget_grab_focus(deny);
}

// covered reports whether a list or picker of the page hangs open: it lies over all windows, and its words are the
// page's.
static gboolean covered(void) {
	gboolean found = FALSE;
	GList *tops = gtk_window_list_toplevels();
	for (GList *t = tops; t != NULL; t = t->next) {
		GtkWindow *w = GTK_WINDOW(t->data);
		found = found || (gtk_window_get_window_type(w) == GTK_WINDOW_POPUP && gtk_widget_get_mapped(GTK_WIDGET(w)) &&
			gtk_window_get_type_hint(w) != GDK_WINDOW_TYPE_HINT_TOOLTIP);
	}
	g_list_free(tops);
	return found;
}

static gboolean ask(gpointer data) {
	question *q = data;
	q->timer = 0;
	// The caller asks one at a time; a second question is never merged with the first. And nobody is asked at the end.
	if (shown != NULL || (coming != NULL && coming != q) || ended) {
		conchAnswered(q->token, CONCH_DENY);
		release(q);
		return G_SOURCE_REMOVE;
	}
	coming = NULL;
	if (covered()) {
		coming = q;
		q->timer = g_timeout_add(COVERED_MS, ask, q);
		return G_SOURCE_REMOVE;
	}
	shown = q;
	q->down = g_hash_table_new(NULL, NULL);
	// A window that leaves its full screen is on its way: its middle is not known yet.
	build(q, conch_uncover_view() ? GTK_WIN_POS_CENTER : GTK_WIN_POS_CENTER_ON_PARENT);
	g_signal_connect(q->dialog, "key-press-event", G_CALLBACK(on_key_press), q);
	g_signal_connect(q->dialog, "key-release-event", G_CALLBACK(on_key_release), q);
	q->press = gtk_gesture_multi_press_new(q->dialog);
	gtk_event_controller_set_propagation_phase(GTK_EVENT_CONTROLLER(q->press), GTK_PHASE_CAPTURE);
	gtk_gesture_single_set_button(GTK_GESTURE_SINGLE(q->press), 0);
	g_signal_connect(q->press, "pressed", G_CALLBACK(on_press), q);
	g_signal_connect_after(q->dialog, "draw", G_CALLBACK(on_draw), q);
	g_signal_connect(q->dialog, "focus-in-event", G_CALLBACK(on_focus_in), q);
	g_signal_connect(q->dialog, "configure-event", G_CALLBACK(on_configure), q);
	g_signal_connect(q->dialog, "response", G_CALLBACK(on_response), q);
	g_signal_connect(q->dialog, "destroy", G_CALLBACK(on_destroy), q);
	gtk_widget_show_all(q->dialog);
	gtk_window_present(GTK_WINDOW(q->dialog));
	return G_SOURCE_REMOVE;
}

void conch_ask_soon(uint64_t token, const char *sentence, const char *host, const char *notes, int offer_stop, int wait_ms) {
	question *q = g_new0(question, 1);
	q->token = token;
	q->sentence = g_strdup(sentence);
	q->host = g_strdup(host);
	q->notes = g_strdup(notes);
	q->offer_stop = offer_stop;
	q->wait_ms = wait_ms;
	g_idle_add(ask, q);
}

// call_off ends a question that was not shown yet.
static void call_off(void) {
	question *q = coming;
	coming = NULL;
	conchAnswered(q->token, CONCH_DENY);
	release(q);
}

static gboolean dismiss(gpointer data) {
	uint64_t *token = data;
	if (coming != NULL && coming->token == *token) call_off();
	if (shown != NULL && shown->token == *token) finish(shown, CONCH_DENY);
	g_free(token);
	return G_SOURCE_REMOVE;
}

// conch_dismiss_soon takes the dialog away; its answer is deny.
void conch_dismiss_soon(uint64_t token) {
	uint64_t *copy = g_new(uint64_t, 1);
	*copy = token;
	g_idle_add(dismiss, copy);
}

int conch_asking(void) { return shown != NULL; }

// conch_end_questions answers the question on screen, and every later one, with deny.
void conch_end_questions(void) {
	ended = TRUE;
	if (coming != NULL) call_off();
	if (shown != NULL) finish(shown, CONCH_DENY);
}
