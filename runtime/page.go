package runtime

import (
	"bytes"
	"html/template"
	"net/http"
	"net/url"
	"path"
	"regexp"
)

// page is a plain page of the shell's own: one sentence and perhaps a button, no script of the game and no outside
// file.
type page struct {
	Title      string
	Text       string
	Button     string // "": none
	Href       string // where the button leads, or the page at once when MoveOn is set
	Settings   string // where the link to the settings leads; "": none
	MoveOn     bool
	CopyToken  string // allows the button that copies the saves; "": none
	Background template.CSS
}

var pageTemplate = template.Must(template.New("page").Parse(`<!doctype html>
<html lang="en"><head><meta charset="utf-8"><title>{{.Title}}</title>
<meta name="viewport" content="width=device-width">
<style>
html{height:100%;background:{{.Background}};color:#e8e8ea;font:18px/1.5 system-ui,sans-serif}
body{min-height:100%;margin:0;display:flex;flex-direction:column;align-items:center;justify-content:center;text-align:center}
p{max-width:34em;margin:0 1em 1.5em}
button{font:inherit;padding:.5em 1.6em;border:1px solid #8a8a94;border-radius:6px;background:#2d2d35;color:inherit}
a{color:#9cc4ff;margin-top:1.5em}
button:focus,a:focus{outline:3px solid #7fb4ff;outline-offset:2px}
</style>{{if .MoveOn}}<script>location.replace({{.Href}})</script>{{end}}</head>
<body>{{with .Text}}<p>{{.}}</p>{{end}}{{if .Button}}<button id="go" autofocus>{{.Button}}</button>
<script>document.getElementById('go').onclick=function(){location.replace({{.Href}})}</script>{{end}}{{with .CopyToken}}<p></p><button id="copy">Save a copy of my progress</button><p id="copied" role="status"></p>
<script>document.getElementById('copy').onclick=function(){var b=this,p=document.getElementById('copied');b.disabled=true
fetch('/__conch/copy-saves',{method:'POST',body:{{.}}}).then(function(r){return r.text()}).catch(function(){return 'The copy could not be made.'}).then(function(t){p.textContent=t})}</script>{{end}}{{with .Settings}}<a href="{{.}}">Settings</a>{{end}}</body></html>
`))

var plainColour = regexp.MustCompile(`^#[0-9a-fA-F]{6}$`)

func (p page) write(w http.ResponseWriter, status int) {
	if p.Background == "" {
		p.Background = "#17171b"
	}
	var b bytes.Buffer
	if err := pageTemplate.Execute(&b, p); err != nil {
		panic(err) // the template and its data are ours
	}
	p.send(w, status, b.Bytes())
}

func (page) send(w http.ResponseWriter, status int, text []byte) {
	h := w.Header()
	h.Set("Cache-Control", "no-store")
	h.Set("Content-Type", "text/html; charset=utf-8")
	w.WriteHeader(status)
	w.Write(text)
}

// movingPage shows nothing but the game's background colour and goes to href, leaving no entry in the history.
func movingPage(title, href, background string) page {
	p := page{Title: title, Href: href, MoveOn: true}
	if plainColour.MatchString(background) {
		p.Background = template.CSS(background)
	}
	return p
}

// Paths of the crash screen. Nothing answers at the second.
const (
	crashedPath  = internalPrefix + "crashed"
	settingsPath = internalPrefix + "settings"
)

// serveCrashed is where the window goes when the web process has died, or was stopped.
func (s *Server) serveCrashed(w http.ResponseWriter, r *http.Request) {
	p := page{Title: s.Bundle.Title}
	if p.Title == "" {
		p.Title = "The game"
	}
	if s.Settings {
		p.Settings = settingsPath
	}
	switch why := s.stopped.Load(); {
	case why != nil:
		p.Text = *why
	case s.Strict:
		p.Text, p.Button, p.Href = "This window stopped unexpectedly.", "Show it again", s.entryPath()
	default:
		p.Text, p.Button, p.Href = p.Title+" stopped unexpectedly. What it saved is still there.", "Restart", s.entryPath()
		p.CopyToken = s.copyToken(r)
	}
	s.writePage(w, http.StatusOK, p)
}

// serveStopped answers after Stop.
func (s *Server) serveStopped(w http.ResponseWriter, r *http.Request) {
	if r.URL.Path == crashedPath || r.Header.Get("Sec-Fetch-Dest") == "document" {
		s.serveCrashed(w, r)
		return
	}
	plainError(w, http.StatusGone)
}

func (s *Server) writePage(w http.ResponseWriter, status int, p page) {
	if s.Strict {
		p.writeStrict(w, status)
		return
	}
	p.write(w, status)
}

// entryPath is the address of the game's first page.
func (s *Server) entryPath() string {
	if s.Bundle.Entry == "index.html" {
		return "/"
	}
	return (&url.URL{Path: path.Join("/", s.Bundle.Entry)}).EscapedPath()
}
