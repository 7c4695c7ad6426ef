#import <Cocoa/Cocoa.h>

#include "_cgo_export.h"
#include "consent_darwin.h"

// A wait that is started again and again is a third as long after this many times its length.
#define WAIT_CAP 20

// ConchQuestion is the one question on screen. It lives on the main thread. It is a sheet and not a modal loop: a loop
// inside a block of the main queue would keep every later block waiting, the one that takes the question away too.
@interface ConchQuestion : NSObject
@property uint64_t token;
@property NSAlert *alert;
@property NSWindow *parent;
@property NSButton *allow;
@property NSTimeInterval wait;
@property NSTimeInterval until; // when Allow can be pressed; 0: no wait has begun
@property NSTimeInterval cap; // from when waits are short
@property NSTimer *timer;
@property id monitor;
@property NSMutableSet<NSNumber *> *down; // keys whose press the sheet has seen
@end

static ConchQuestion *shown;

@implementation ConchQuestion

- (void)startWait {
	NSTimeInterval now = NSProcessInfo.processInfo.systemUptime;
	if (self.cap == 0) self.cap = now + self.wait * WAIT_CAP;
	self.allow.enabled = NO;
	self.until = now + (now < self.cap ? self.wait : self.wait / 3);
}

- (void)tick {
	if (!NSApp.active || !self.alert.window.keyWindow) { // the wait is for a sheet in front of the player's eyes
		self.allow.enabled = NO;
		self.until = 0;
	} else if (self.until == 0) {
		[self startWait];
	} else if (NSProcessInfo.processInfo.systemUptime >= self.until) {
		self.allow.enabled = YES;
	}
}

// sees answers the event that the sheet may see, nil for none. During the wait it sees no key; Escape means no; a key
// that is held is never pressed; and a release counts only when the press did.
- (NSEvent *)sees:(NSEvent *)event {
	if (event.window != self.alert.window) return event;
	NSNumber *key;
	switch (event.type) {
	case NSEventTypeKeyDown:
		if (event.keyCode == 53 && !event.ARepeat) {
			[self answer:CONCH_DENY];
			return nil;
		}
		if (!self.allow.enabled) [self startWait];
		if (!self.allow.enabled || event.ARepeat) return nil;
		[self.down addObject:@(event.keyCode)];
		return event;
	case NSEventTypeKeyUp:
		key = @(event.keyCode);
		if (![self.down containsObject:key]) return nil;
		[self.down removeObject:key];
		return self.allow.enabled ? event : nil;
	default:
		if (!self.allow.enabled) [self startWait];
		return event;
	}
}

// answer ends the question; answers after the first are dropped.
- (void)answer:(int)answer {
	if (shown != self) return;
	uint64_t token = self.token; // nothing may hold self at the end
	NSWindow *parent = self.parent, *sheet = self.alert.window;
	shown = nil;
	id monitor = self.monitor;
	[self.timer invalidate];
	[NSEvent removeMonitor:monitor];
	[parent endSheet:sheet];
	conchAnswered(token, answer);
}

- (void)showOn:(NSWindow *)parent {
	self.parent = parent;
	self.down = [NSMutableSet set];
	NSEventMask mask = NSEventMaskKeyDown | NSEventMaskKeyUp | NSEventMaskLeftMouseDown | NSEventMaskRightMouseDown | NSEventMaskOtherMouseDown;
	self.monitor = [NSEvent addLocalMonitorForEventsMatchingMask:mask handler:^NSEvent *(NSEvent *event) { return [self sees:event]; }];
	self.timer = [NSTimer timerWithTimeInterval:0.1 repeats:YES block:^(NSTimer *timer) { [self tick]; }];
	[NSRunLoop.mainRunLoop addTimer:self.timer forMode:NSRunLoopCommonModes];
	[parent makeKeyAndOrderFront:nil];
	[self.alert beginSheetModalForWindow:parent completionHandler:^(NSModalResponse code) {
		if (code == NSAlertSecondButtonReturn && self.allow.enabled) [self answer:CONCH_ALLOW];
		else if (code == NSAlertThirdButtonReturn) [self answer:CONCH_DENY_UNTIL_RESTART];
		else [self answer:CONCH_DENY];
	}];
}

@end

// front is the window that the player looks at: the game's, or the one that shows an element of its page in full screen.
static NSWindow *front(void) {
	if (NSApp.keyWindow != nil) return NSApp.keyWindow;
	if (NSApp.mainWindow != nil) return NSApp.mainWindow;
	for (NSWindow *w in NSApp.orderedWindows) if (w.visible) return w;
	return nil;
}

void conch_ask_soon(uint64_t token, const char *sentence, const char *details, const char *deny, const char *allow, const char *stop, int wait_ms) {
	NSString *title = @(sentence), *below = @(details), *no = @(deny), *yes = @(allow), *never = stop == NULL ? nil : @(stop);
	dispatch_async(dispatch_get_main_queue(), ^{
		NSWindow *parent = front();
		// The caller asks one at a time; a second question is never merged with the first.
		if (shown != nil || parent == nil) {
			conchAnswered(token, CONCH_DENY);
			return;
		}
		ConchQuestion *q = [ConchQuestion new];
		q.token = token;
		q.wait = wait_ms / 1000.0;
		q.alert = [NSAlert new];
		q.alert.icon = [NSImage imageNamed:NSImageNameCaution]; // not the game's
		q.alert.messageText = title;
		q.alert.informativeText = below;
		[q.alert addButtonWithTitle:no]; // the first is what Return means
		q.allow = [q.alert addButtonWithTitle:yes];
		q.allow.keyEquivalent = @"";
		q.allow.enabled = NO;
		if (never != nil) [q.alert addButtonWithTitle:never].keyEquivalent = @"";
		shown = q;
		[q showOn:parent];
	});
}

void conch_dismiss_soon(uint64_t token) {
	dispatch_async(dispatch_get_main_queue(), ^{
		if (shown != nil && shown.token == token) [shown answer:CONCH_DENY];
	});
}
