package netsock

// offerExtensions is off on macOS: the WebSocket of WKWebView has a long
// history of breaking on permessage-deflate. Not offering it is always legal.
const offerExtensions = false
