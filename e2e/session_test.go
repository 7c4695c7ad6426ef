//go:build e2e

package e2e

import (
	"encoding/json"
	"fmt"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// sessionJS is what the pages of these tests share.
const sessionJS = `
const s = new conch.NetSessionManager()
const text = (...parts) => { const d = new conch.DataStream(); for (const p of parts) d.writeString(p); return d }
const told = name => s[name].add((...args) => report(name, args.map(a => a && a.connectionId ? a.connectionId : a)))
setInterval(() => s.update(0.02), 20)
`

// hostPage hosts "friday" and does what its peers ask for: the peers are the test's hands.
const hostPage = sessionJS + `
for (const name of ['onSessionStarted', 'onSessionStopped', 'onHostPeerConnected', 'onHostPeerDisconnected', 'onHostSceneTransitionComplete',
  'onHostPeerSceneLoadComplete', 'onHostPeerActivatedInScene', 'onHostPeerDropped', 'onHostPeerResumed']) told(name)
s.connectionApprovalCallback = r => r.playerName === 'no' ? { approved: false, reason: 'not you' } : { approved: true, playerState: { hp: 10 } }
const ok = s.startHost('lab', 'friday', '1.0', undefined, { open: true, origins: ORIGINS })
report('hosting', { ok, port: s.hostPort, active: s.isSessionActive, error: s.lastError })
document.body.append('hosting on port ' + s.hostPort)
let told_ = ''
setInterval(() => { const all = s.hostAddresses.join(); if (all !== told_) report('addresses', told_ = all) }, 50)
s.onSessionStarted.add(() => {
  const { context } = s
  const loads = Number(context.gameState.get('loads') || 0) + 1
  context.gameState.set('loads', loads)
  context.sceneLoader = async scene => ({ made: scene.name })
  const on = (name, run) => context.onRpc(name, run)
  on('echo', args => text('host says ' + args.readString()))
  on('greet', (args, from) => { s.sendRpcToConnection('hello', 0, text('from the host'), from).onDone(op => report('greeted', op.result ? op.result.status : op.error)) })
  on('scene', () => { s.hostLoadScene({ uuid: 'island', name: 'The Island' }) })
  on('spawn', (args, from) => { context.spawn('boat', { x: 1 }, { owner: from }) })
  on('kick', (args, from) => { s.disconnectPeer(from, 'because I say so') })
  on('reload', () => { setTimeout(() => location.reload(), 100) })
  on('hide', () => { report('hiding') })
  setInterval(() => context.gameState.set('seconds', Math.floor(performance.now() / 1000)), 500)
  document.body.style.background = '#204060'; document.body.style.color = 'white'; document.body.style.font = '30px sans-serif'
})
s.onHostPeerConnected.add(p => { document.body.append(' · ' + p.playerName + ' (' + p.clientKind + ') is in') })
`

// joinPage joins ADDRESS and reports; window.act does what the test asks for by its script.
const joinPage = sessionJS + `
for (const name of ['onSessionStarted', 'onSessionStopped', 'onClientJoinFailed', 'onClientSceneLoadRequested', 'onClientSceneActivate',
  'onClientConnectionLost', 'onClientConnectionResumed']) told(name)
const once = (event, test) => new Promise(resolve => s[event].add((...args) => { if (!test || test(...args)) resolve(args) }))
const started = once('onSessionStarted')
report('joining', s.joinSession({ projectId: 'lab', buildHash: '1.0', playerName: 'NAME' }, 'ADDRESS') || s.lastError)
const call = (name, ...args) => s.sendRpcToHost(name, 0, text(...args))
async function play() {
  await started
  const { context } = s
  Object.assign(document.body.style, { font: '30px sans-serif', background: '#206040', color: 'white' })
  document.body.append('joined as ' + s.localConnectionId)
  context.sceneLoader = async scene => ({ made: scene.name })
  report('hp', context.playerState.get('hp'))
  report('loads', context.gameState.get('loads'))
  report('clock', Math.abs(s.serverTimeEpochMs - Date.now()) < 1000)
  context.onRpc('hello', args => { report('hello', args.readString()) })
  const answer = await call('echo', 'moo')
  report('echo', answer.status + ' ' + answer.value.readString())
  await call('greet')
  SCRIPT
}
play().catch(e => report('pageerror', String(e && e.stack || e)))
`

func joiner(name, address, script string) string {
	return strings.NewReplacer("NAME", name, "ADDRESS", address, "SCRIPT", script).Replace(joinPage)
}

// allScenes plays everything that two nodes do together.
const allScenes = `
  const activated = once('onClientSceneActivate')
  await call('scene')
  const [tid] = await activated
  report('scene', [tid, s.activeScene.scene.name, s.activeScene.made])
  const spawned = once('onClientObjectReplicated')
  await call('spawn')
  const [id] = await spawned
  report('boat', [context.objects.get(id).get('x'), context.objects.get(id).isMine])
`

type hosting struct {
	OK     bool
	Port   int
	Active bool
	Error  string
}

// hostGame is a game whose page hosts.
func (r *reporter) hostGame(t *testing.T, id string, origins ...string) string {
	t.Helper()
	list, _ := json.Marshal(append([]string{}, origins...))
	return r.game(t, `"id": "org.example.`+id+`", "window": {"title": "`+id+`", "width": 700, "height": 300},
		"network": {"allowedHosts": ALLOWED, "sessions": true}`, nil,
		map[string]string{"index.html": page(strings.ReplaceAll(hostPage, "ORIGINS", string(list)))})
}

// joinGame is a game whose page joins.
func (r *reporter) joinGame(t *testing.T, id, name, address, script string) string {
	t.Helper()
	return r.game(t, `"id": "org.example.`+id+`", "window": {"title": "`+id+`", "width": 700, "height": 300},
		"network": {"allowedHosts": ALLOWED, "sessions": true}`, nil,
		map[string]string{"index.html": page(joiner(name, address, script))})
}

// waitHosting is what startHost answered, at once.
func (r *reporter) waitHosting() hosting {
	r.t.Helper()
	var h hosting
	if err := json.Unmarshal(r.wait("hosting"), &h); err != nil || !h.OK || h.Port == 0 || !h.Active {
		r.t.Fatalf("startHost: %+v %v", h, err)
	}
	return h
}

func (r *reporter) want(name, want string) {
	r.t.Helper()
	if got := string(r.wait(name)); got != want {
		r.t.Errorf("%s: got %s, want %s", name, got, want)
	}
}

// plainSite serves a page with the session script and nothing of Conch, as an author's own website does.
func plainSite(t *testing.T, r *reporter, script func() string) *httptest.Server {
	t.Helper()
	session, err := os.ReadFile(filepath.Join("..", "frontend", "dist", "session.js"))
	if err != nil {
		t.Fatal(err)
	}
	site := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		switch q.URL.Path {
		case "/session.js":
			w.Header().Set("Content-Type", "text/javascript")
			w.Write(session)
		case "/report.js":
			w.Header().Set("Content-Type", "text/javascript")
			fmt.Fprint(w, strings.ReplaceAll(reportJS, "REPORT_PORT", strconv.Itoa(r.Port)))
		default:
			w.Header().Set("Content-Type", "text/html")
			fmt.Fprint(w, strings.Replace(page(script()), "<body>", `<body><script src="/session.js"></script>`, 1))
		}
	}))
	t.Cleanup(site.Close)
	return site
}

// checkPlay is what allScenes has to report.
func checkPlay(t *testing.T, host, peer *reporter) {
	t.Helper()
	peer.want("hp", "10")
	peer.want("clock", "true")
	peer.want("echo", `"ok host says moo"`)
	peer.want("hello", `"from the host"`)
	host.want("greeted", `"ok"`)
	peer.want("scene", `[1,"The Island","The Island"]`)
	peer.want("boat", "[1,true]")
	host.want("onHostSceneTransitionComplete", "[1]")
}

// TestTwoWindowsPlayASession: one window hosts, another joins it over loopback, where nobody is asked, and they play.
func TestTwoWindowsPlayASession(t *testing.T) {
	host, peer := newReporter(t), newReporter(t)
	play(t, newHome(t), host.hostGame(t, "hostone"))
	port := host.waitHosting().Port
	waitDialog(t)
	screenshot(t, "session-question")
	x(t, "xdotool", "key", "Escape") // only this computer then
	play(t, newHome(t), peer.joinGame(t, "peerone", "Ada", fmt.Sprintf("127.0.0.1:%d", port), allScenes+`
  requestAnimationFrame(() => requestAnimationFrame(() => report('painted')))
  addEventListener('keydown', () => { call('kick').catch(() => {}) })`))
	peer.want("joining", "true")
	host.want("onHostPeerConnected", "[2]")
	checkPlay(t, host, peer)
	peer.wait("painted")
	x(t, "xdotool", "windowmove", windowID(t, "^hostone$"), "100", "30")
	x(t, "xdotool", "windowmove", windowID(t, "^peerone$"), "100", "420")
	screenshot(t, "session-two-windows")
	activate(t, "^peerone$")
	x(t, "xdotool", "key", "d")
	peer.want("onSessionStopped", `["kicked: because I say so"]`)
	host.want("onHostPeerDisconnected", `[2,"kicked: because I say so"]`)
}

// TestPlainBrowserJoinsAWindow: a page of another website, with the session script and without Conch, joins a window that lets
// its origin in. A page whose origin the host did not name is refused.
func TestPlainBrowserJoinsAWindow(t *testing.T) {
	host, peer, stranger := newReporter(t), newReporter(t), newReporter(t)
	var address string
	site := plainSite(t, peer, func() string { return joiner("Bo", address, allScenes) })
	evil := plainSite(t, stranger, func() string { return joiner("Eve", address, "") })
	play(t, newHome(t), host.hostGame(t, "hosttwo", site.URL))
	address = fmt.Sprintf("127.0.0.1:%d", host.waitHosting().Port)
	dismissHostQuestion(t)
	chromium(t, newHome(t), evil.URL)
	stranger.want("onClientJoinFailed", `["unreachable"]`)
	chromium(t, newHome(t), site.URL)
	checkPlay(t, host, peer)
}

// dismissHostQuestion says no to people on the network.
func dismissHostQuestion(t *testing.T) {
	t.Helper()
	waitDialog(t)
	x(t, "xdotool", "key", "Escape")
}

// TestHostPageReloads: the page of a host is loaded again, and its peers stay. The state is as it was.
func TestHostPageReloads(t *testing.T) {
	host, peer := newReporter(t), newReporter(t)
	play(t, newHome(t), host.hostGame(t, "hostthree"))
	port := host.waitHosting().Port
	dismissHostQuestion(t)
	play(t, newHome(t), peer.joinGame(t, "peerthree", "Ada", fmt.Sprintf("127.0.0.1:%d", port), `
  report('before', context.gameState.get('loads'))
  call('reload')
  await once('onClientGameStateReplicated', state => state.get('loads') === 2)
  report('after', [s.isSessionActive, s.localConnectionId])
  const again = await call('echo', 'again')
  report('again', again.status + ' ' + again.value.readString())`))
	host.want("onHostPeerConnected", "[2]")
	peer.want("before", "1")
	again := host.waitHosting()
	if again.Port != port {
		t.Errorf("port %d after the reload, was %d", again.Port, port)
	}
	host.want("onHostPeerConnected", "[2]") // the new page is told who is there
	peer.want("after", "[true,2]")
	peer.want("again", `"ok host says again"`)
}

// TestHostWindowIsKilled: the peers notice, try to come back, and do when the host's window is opened again.
func TestHostWindowIsKilled(t *testing.T) {
	host, peer, h := newReporter(t), newReporter(t), newHome(t)
	game := host.hostGame(t, "hostfour")
	p := play(t, h, game)
	port := host.waitHosting().Port
	dismissHostQuestion(t)
	play(t, newHome(t), peer.joinGame(t, "peerfour", "Ada", fmt.Sprintf("127.0.0.1:%d", port), `
  report('in')
  await once('onClientConnectionResumed')
  await once('onClientGameStateReplicated', state => state.get('loads') === 2)
  report('back', s.localConnectionId)`))
	peer.wait("in")
	eventually(t, "the session is on disk", func() bool {
		all, _ := filepath.Glob(filepath.Join(h.dir, ".local/share/conch/games/*/sessions.db*"))
		return len(all) > 0
	})
	p.kill()
	peer.wait("onClientConnectionLost")
	play(t, h, game)
	if again := host.waitHosting(); again.Port != port {
		t.Errorf("port %d after the restart, was %d", again.Port, port)
	}
	peer.want("back", "2")
	screenshot(t, "session-back")
}

// TestHiddenHostKeepsItsSession: a window that is hidden has no frames; its peers stay, and somebody new is let in.
func TestHiddenHostKeepsItsSession(t *testing.T) {
	host, peer, late := newReporter(t), newReporter(t), newReporter(t)
	play(t, newHome(t), host.hostGame(t, "hostfive"))
	address := fmt.Sprintf("127.0.0.1:%d", host.waitHosting().Port)
	dismissHostQuestion(t)
	play(t, newHome(t), peer.joinGame(t, "peerfive", "Ada", address, `
  report('in')
  const end = performance.now() + 15000 // longer than a silent peer is kept
  while (performance.now() < end) await once('onClientGameStateReplicated')
  report('stayed', s.isSessionActive)`))
	peer.wait("in")
	x(t, "xdotool", "windowunmap", windowID(t, "^hostfive$"))
	play(t, newHome(t), late.joinGame(t, "latefive", "Bo", address, ""))
	late.want("echo", `"ok host says moo"`)
	peer.want("stayed", "true")
}

// TestHostingOnTheNetworkAsksOnce: after a yes the session is on the network, without another question also at the next start;
// joining an address of the network is asked too. Forgetting closes it.
func TestHostingOnTheNetworkAsksOnce(t *testing.T) {
	lan := newSegment(t).here
	host, peer, h := newReporter(t), newReporter(t), newHome(t)
	game := host.hostGame(t, "hostsix")
	p := play(t, h, game)
	port := host.waitHosting().Port
	at := net.JoinHostPort(lan, strconv.Itoa(port))
	if c, err := net.Dial("tcp", at); err == nil {
		c.Close()
		t.Error("the session is on the network before anybody was asked")
	}
	waitDialog(t)
	allow(t)
	p.waitOutput("people on the network can join")
	rows := approvals(t, h)
	if len(rows) != 1 || rows[0].Kind != "host" || rows[0].Host != "this network" {
		t.Errorf("approvals: %v", rows)
	}
	if got := host.waitString("addresses"); !strings.Contains(got, at) {
		t.Errorf("the page was told %q, want %s in it", got, at)
	}
	p.stop()

	p = play(t, h, game)
	host.waitHosting()
	p.waitOutput("people on the network can join") // nobody pressed anything

	play(t, newHome(t), peer.joinGame(t, "peersix", "Ada", at, allScenes))
	waitDialog(t)
	screenshot(t, "session-join-question")
	allow(t)
	checkPlay(t, host, peer)

	forget := exec.Command(conchBin, "approvals", "forget", "--all")
	forget.Env = h.env()
	if out, err := forget.CombinedOutput(); err != nil {
		t.Fatalf("forget: %v %s", err, out)
	}
	if got := string(peer.wait("onSessionStopped")); !strings.Contains(got, "took the permission back") {
		t.Errorf("the peer was told %s", got)
	}
	eventually(t, "the network is closed", func() bool {
		c, err := net.Dial("tcp", at)
		if err == nil {
			c.Close()
		}
		return err != nil
	})
}
