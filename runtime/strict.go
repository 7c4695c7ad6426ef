package runtime

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"html/template"
	"net/http"
	"strings"
)

// strictStyle is how the pages of this package look under the strict policy, which names its digest.
const strictStyle = `:root{color-scheme:light dark;background:Canvas;color:CanvasText}` +
	`body{font:18px/1.5 system-ui,sans-serif;text-align:center;margin:20vh 1em}`

// strictPage is a page without script: it moves on by itself, or has a link.
var strictPage = template.Must(template.New("strict").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<meta name="viewport" content="width=device-width">{{if .MoveOn}}<meta http-equiv="refresh" content="0;url={{.Href}}">{{end}}
<style>` + strictStyle + `</style></head>
<body>{{with .Text}}<p>{{.}}</p>{{end}}{{with .Button}}<p><a href="{{$.Href}}">{{.}}</a></p>{{end}}</body></html>
`))

func (p page) writeStrict(w http.ResponseWriter, status int) {
	var b bytes.Buffer
	if err := strictPage.Execute(&b, p); err != nil {
		panic(err) // the template and its data are ours
	}
	p.send(w, status, b.Bytes())
}

// strictPolicy is for pages of the shell's own: their files and their server, nothing inline, in no frame.
func strictPolicy() policy {
	sum := sha256.Sum256([]byte(strictStyle))
	var p policy
	p.add("Content-Security-Policy", strings.Join([]string{
		"default-src 'self'", "style-src 'self' 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'", "object-src 'none'",
		"frame-src 'none'", "worker-src 'none'", "base-uri 'none'", "form-action 'none'", "frame-ancestors 'none'", "webrtc 'block'",
		"require-trusted-types-for 'script'",
	}, "; "))
	p.add("Connection-Allowlist", connectionAllowlist(nil, nil))
	p.add("Permissions-Policy", permissionsPolicy(nil))
	p.add("Referrer-Policy", "no-referrer")
	p.add("X-Content-Type-Options", "nosniff")
	p.add("X-Frame-Options", "DENY")
	p.add("Cross-Origin-Resource-Policy", "same-origin")
	p.add("Cross-Origin-Opener-Policy", "same-origin")
	return p
}
