//go:build !darwin

package netsock

// offerExtensions passes the page's Sec-WebSocket-Extensions on, so that
// permessage-deflate is agreed end to end.
const offerExtensions = true
