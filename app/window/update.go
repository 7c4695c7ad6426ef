package window

import "conch/app"

// updateSentence is the fixed sentence with name and versions as data.
func updateSentence(o app.UpdateOffer) string {
	return "A new version of " + o.Name + " is out (" + o.Version + "; you have " + o.Have + ")."
}

// openPage shows the author's page in the system's browser, by the rules of every other link.
func openPage(link string) error {
	approved, err := externalURL(link)
	if err != nil {
		return err
	}
	return openInBrowser(approved)
}
