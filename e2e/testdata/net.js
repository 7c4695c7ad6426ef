// Every member of the net namespace, one report per part. Lines are what the Go side compares.
const tick = () => new Promise(ok => setTimeout(ok, 0))
const thrown = f => { try { f(); return 'nothing' } catch (e) { return e.name + ': ' + e.message } }

/** One socket with a line for everything that happens to it. */
function watched(open) {
  const lines = []
  const sock = open()
  let close
  const closed = new Promise(ok => { close = ok })
  const opened = new Promise(ok => { sock.onOpen = function () { lines.push('open ' + sock.readyState + (this === sock ? '' : ' wrong this')); ok() } })
  sock.onMessage = function (data) {
    lines.push((this === sock ? '' : 'wrong this ') + (typeof data === 'string' ? 'text ' + data : data instanceof ArrayBuffer ? 'bytes ' + new Uint8Array(data).join() : 'strange'))
    sock.waiting && sock.waiting()
  }
  sock.onError = message => lines.push('error ' + sock.readyState + ': ' + message)
  sock.onClose = (code, reason, wasClean) => { lines.push(`close ${sock.readyState} ${code} ${JSON.stringify(reason)} ${wasClean}`); close(lines) }
  const until = count => new Promise(ok => { const look = () => lines.length >= count && ok(lines); sock.waiting = look; look() })
  return { sock, lines, opened, closed, until }
}

async function misuse() {
  report('misuse', [
    () => net.connect(),
    () => net.connect('nowhere'),
    () => net.connect('/ws'),
    () => net.connect('https://play.example.net/ws'),
    () => net.connect('ftp://play.example.net/'),
    () => net.connect('wss://play.example.net/#top'),
    () => net.connect('wss://play.example.net/#'),
    () => net.connect('wss://me:secret@play.example.net/'),
    () => net.connect('ws://play.example.net/ws?token=secret'),
    () => net.connect('wss://other.example.net/ws?token=secret'),
    () => net.connect('wss://example.net/'),
    () => net.connect('wss://play.example.net:8443/'),
    () => net.connect('ws://localhost:1234/'),
    () => net.connect(location.origin.replace('http', 'ws') + '/game'),
    () => net.connect('wss://deep.sub.wild.example/', 'v1'),
    () => net.connect('wss://play.example.net/', ['v1']),
    () => net.connect('wss://play.example.net/', { protocols: ['v1', 'v1'] }),
    () => net.connect('wss://play.example.net/', { protocols: ['a b'] }),
    () => net.forOwner(''),
    () => net.forOwner({})
  ].map(thrown))
}

async function lists() {
  const hosts = net.allowedHosts()
  hosts.push('tampered')
  report('lists', [String(net.isAvailable()), String(conch.net === net), String(net.allowedHosts().includes('tampered')), ...net.allowedHosts().slice(-3)])
}

async function life() {
  const out = []
  const { sock, lines, opened, closed, until } = watched(() => net.connect('ws://ECHO_HOST/echo?life', { protocols: ['v9', 'v1'] }))
  out.push(sock.readyState, sock.url, JSON.stringify(sock.protocol), String(sock.bufferedAmount), thrown(() => sock.send('early')))
  await opened
  out.push(sock.protocol)
  const floats = new Float32Array([0, 1, 2, 3]).subarray(1, 3)
  const reused = new Uint8Array([1, 2, 3])
  sock.send('tëxt')
  sock.send('')
  out.push('buffered ' + sock.bufferedAmount)
  sock.send(new Uint8Array([9, 8]).buffer)
  sock.send(reused)
  reused.fill(7)
  sock.send(reused.subarray(1, 2))
  sock.send(floats)
  sock.send(new DataView(new Uint8Array([1, 2, 3, 4]).buffer, 1, 2))
  sock.send(new Uint8Array(0))
  out.push('buffered ' + sock.bufferedAmount)
  for (const bad of [undefined, null, 5, {}, [1], new Blob(['x']), new Date(0)]) out.push(thrown(() => sock.send(bad)))
  await until(9)
  await tick()
  out.push('buffered ' + sock.bufferedAmount)
  out.push(thrown(() => sock.close(1001)), thrown(() => sock.close(2999)), thrown(() => sock.close(5000)), thrown(() => sock.close(3000, 'x'.repeat(124))), sock.readyState)
  sock.close()
  out.push(sock.readyState, thrown(() => sock.send('late')), thrown(() => sock.close()))
  await closed
  out.push(sock.readyState, thrown(() => sock.send('after')))
  report('life', out.concat(lines))
}

async function closes() {
  for (const [name, path, act] of [
    ['default', '/echo', s => s.close()],
    ['own code', '/echo', s => s.close(4321, 'böse')],
    ['lowest', '/echo', s => s.close(3000)],
    ['by server 1000', '/bye'],
    ['by server 4001', '/close?code=4001&reason=kicked'],
    ['by server without code', '/close?code=1005'],
    ['broken off', '/close?code=1006'],
    ['reset', '/reset']
  ]) {
    const w = watched(() => net.connect('ws://ECHO_HOST' + path))
    if (act) w.opened.then(() => act(w.sock))
    report('closes', [name, ...await w.closed])
  }
  const early = watched(() => net.connect('ws://ECHO_HOST/echo?early'))
  early.sock.close(4000, 'changed my mind')
  report('closes', ['while connecting', early.sock.readyState, ...await early.closed])
}

async function failures() {
  for (const [name, url, protocols] of FAILURES) {
    const w = watched(() => net.connect(url, protocols ? { protocols } : undefined))
    report('failure', [name, ...await w.closed])
  }
}

async function handlersThatThrow() {
  const w = watched(() => net.connect('ws://ECHO_HOST/echo?throws'))
  const { onMessage } = w.sock
  w.sock.onOpen = () => { w.sock.send('one'); throw new Error('in onOpen') }
  w.sock.onMessage = function (data) { onMessage.call(w.sock, data); if (data === 'one') { w.sock.send('two'); throw new Error('in onMessage') } }
  await w.until(2)
  const state = w.sock.readyState
  w.sock.onMessage = 5
  w.sock.onClose = () => { report('throws', [...w.lines, state]); throw new Error('in onClose') }
  w.sock.close()
}

async function owners() {
  const out = []
  const lobby = net.forOwner('Lobby'), manager = net.forOwner('Manager', { persistent: true }), gone = net.forOwner('Gone')
  out.push(lobby.label + ' ' + lobby.persistent, manager.label + ' ' + manager.persistent, String(lobby.isAvailable()), String(lobby.allowedHosts().length === net.allowedHosts().length))
  const open = (who, ns) => watched(() => ns.connect('ws://ECHO_HOST/echo?' + who))
  const all = { lobby: open('lobby', lobby), manager: open('manager', manager), gone: open('gone', gone), page: open('page', net) }
  await Promise.all(Object.values(all).map(w => w.opened))
  const connecting = open('connecting', gone)
  gone.release()
  out.push('released: ' + all.gone.sock.readyState + ' ' + connecting.sock.readyState, thrown(() => gone.connect('ws://ECHO_HOST/echo')), all.lobby.sock.readyState)
  net.sceneChanged()
  out.push('scene: ' + ['lobby', 'manager', 'page'].map(n => all[n].sock.readyState).join())
  // the other sockets are closed when the server has answered; the manager's echo comes after
  all.manager.sock.send('still here')
  await all.manager.until(2)
  const settled = w => new Promise(ok => { const look = () => w.sock.readyState === 'closed' ? ok() : setTimeout(look, 20); look() })
  await Promise.all([all.lobby, all.gone, all.page, connecting].map(settled))
  await tick()
  const again = open('again', lobby)
  await again.opened
  out.push('again: ' + again.sock.readyState)
  report('owners', [...out, ...Object.entries(all).map(([n, w]) => n + ': ' + w.lines.join(' | ')), 'connecting: ' + connecting.lines.join(' | ')])
}

class Online {
  // As the documentation's example has it.
  async inflate(bytes) {
    const stream = new DecompressionStream('deflate')
    const writer = stream.writable.getWriter()
    writer.write(bytes)
    writer.close()
    const reader = stream.readable.getReader()
    const parts = []
    for (;;) {
      const { done, value } = await reader.read()
      if (done) break
      parts.push(value)
    }
    return parts
  }
}

async function compressed() {
  const online = new Online()
  const out = []
  let chain = Promise.resolve()
  const sock = net.connect('ws://ZLIB_HOST/')
  sock.onMessage = data => {
    chain = chain.then(() => online.inflate(data)).then(async parts => {
      const text = await new Blob(parts).text()
      out.push(text.length + ' ' + text.slice(0, 12))
      if (out.length === 3) { sock.close(); report('compressed', out) }
    })
  }
  sock.onError = message => report('compressed', [message])
}

await misuse()
await lists()
await life()
await closes()
await failures()
await handlersThatThrow()
await owners()
await compressed()
