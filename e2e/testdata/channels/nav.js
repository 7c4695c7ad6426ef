// Ways to leave the page. Each is tried by name; the address called says which.
function navigate(kind, host) {
  const u = 'http://' + host('nav-' + kind) + '/' + kind
  const el = function (tag, attributes, text) {
    const e = document.createElement(tag)
    for (const k of Object.keys(attributes)) e.setAttribute(k, attributes[k])
    e.textContent = text || ''
    document.body.append(e)
    return e
  }
  const frame = function (attributes) { el('iframe', attributes) }
  const ways = {
    location: function () { location = u },
    href: function () { location.href = u },
    assign: function () { location.assign(u) },
    replace: function () { location.replace(u) },
    protocol: function () { location.host = host('nav-protocol') },
    navigation: function () { window.navigation.navigate(u) },
    meta: function () { const m = document.createElement('meta'); m.httpEquiv = 'refresh'; m.content = '0;url=' + u; document.head.append(m) },
    a: function () { el('a', { href: u }, 'x').click() },
    blank: function () { el('a', { href: u, target: '_blank' }, 'x').click() },
    noopener: function () { el('a', { href: u, target: '_blank', rel: 'noopener' }, 'x').click() },
    download: function () { el('a', { href: u, download: 'x' }, 'x').click() },
    'form-get': function () { el('form', { action: u }).submit() },
    'form-post': function () { el('form', { action: u, method: 'post' }).submit() },
    'form-blank': function () { el('form', { action: u, method: 'post', target: '_blank' }).submit() },
    open: function () { return window.open(u) },
    'open-later': function () { const w = window.open('about:blank'); w.location = u },
    'open-write': function () { const w = window.open(''); w.document.write('<img src="' + u + '"><meta http-equiv=refresh content="0;url=' + u + '">') },
    'frame-top': function () { frame({ srcdoc: '<script>top.location = "' + u + '"</' + 'script>' }) },
    'data-top': function () { frame({ src: 'data:text/html,<script>top.location="' + u + '"</' + 'script>' }) },
    'sandbox-top': function () { frame({ sandbox: 'allow-scripts allow-top-navigation', srcdoc: '<script>top.location = "' + u + '"</' + 'script>' }) },
    svg: function () { const s = document.createElementNS('http://www.w3.org/2000/svg', 'a'); s.setAttribute('href', u); const r = document.createElementNS('http://www.w3.org/2000/svg', 'svg'); r.append(s); document.body.append(r); s.dispatchEvent(new MouseEvent('click', { bubbles: true })) },
    javascript: function () { location = 'javascript:void(location = "' + u + '")' },
    https: function () { location = u.replace('http:', 'https:') },
    blob: function () {
      const text = '<script src="' + location.origin + '/attack.js"></' + 'script><script>realm(self, "nblob-", hosts("name")); location = "' + u + '"</' + 'script>'
      location = URL.createObjectURL(new Blob([text], { type: 'text/html' }))
    }
  }
  return ways[kind]()
}
