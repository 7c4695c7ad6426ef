// Tries the two ways to open a socket, to a listed and to an unlisted host, and tells what came of it.
function probe(who, send) {
  const out = { who }
  const step = (key, value) => {
    if (key in out) return
    out[key] = value
    if ('raw' in out && 'net' in out && 'refused' in out && 'thrown' in out) send(out)
  }
  const ws = new WebSocket('ws://ECHO_HOST/echo?raw-' + who)
  ws.onopen = () => ws.send('hello')
  ws.onmessage = e => { step('raw', e.data + ' ' + ws.url); ws.close() }
  ws.onerror = () => step('raw', 'error')
  const sock = net.connect('ws://ECHO_HOST/echo?net-' + who)
  sock.onOpen = () => sock.send(new Uint8Array([1, 2, 3]))
  sock.onMessage = data => { step('net', new Uint8Array(data).join()); sock.close() }
  sock.onError = message => step('net', message)
  try {
    const bad = new WebSocket('ws://UNLISTED_HOST/' + who)
    bad.onopen = () => step('refused', 'open')
    bad.onclose = e => step('refused', e.code)
  } catch (e) {
    step('refused', e.name)
  }
  try {
    net.connect('ws://UNLISTED_HOST/' + who)
    step('thrown', 'nothing')
  } catch (e) {
    step('thrown', e.name)
  }
}
