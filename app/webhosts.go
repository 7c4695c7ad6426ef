package app

import (
	"fmt"
	"net/netip"

	"conch/consent/hostlist"
)

// webHostAllowed reports whether the manifest's network.webHosts let the webview reach host over https.
func (a *App) webHostAllowed(host string, port int) bool {
	if port != 443 || len(a.Bundle.Manifest.Network.WebHosts) == 0 {
		return false
	}
	list, err := hostlist.ParseList(a.Bundle.Manifest.Network.WebHosts)
	if err != nil {
		return false
	}
	t, err := hostlist.ParseTarget("wss://" + host + "/")
	return err == nil && t.Path == "/" && t.Port == 443 && list.Match(t)
}

// publicOnly refuses every address that a public name has no business pointing to, whatever the name is.
func publicOnly(a netip.Addr) error {
	if (hostlist.Target{Secure: true, Host: "web.invalid", Port: 443}).CheckAddr(a) != nil {
		return fmt.Errorf("it points to %s, which is not an address of the internet", a)
	}
	return nil
}
