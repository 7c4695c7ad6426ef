// Checks of the page script in a real engine. Each posts one line to the test that serves this page.

const results = []

async function check(name, run) {
  try {
    const problem = await Promise.race([run(), new Promise((resolve) => setTimeout(resolve, 15000, 'no answer'))])
    results.push({ name, problem: problem === undefined ? '' : String(problem) })
  } catch (error) {
    results.push({ name, problem: `${error && error.name}: ${error && error.message}` })
  }
}

function same(got, want, what = '') {
  const [a, b] = [JSON.stringify(got), JSON.stringify(want)]
  if (a !== b) throw new Error(`${what} got ${a}, want ${b}`)
}

function thrown(run) {
  try {
    run()
  } catch (error) {
    return error
  }
  return null
}

const event = (target, type) => new Promise((resolve) => { target.addEventListener(type, resolve, { once: true }) })
const blobURL = (source) => URL.createObjectURL(new Blob([source], { type: 'text/javascript' }))

/** What a worker reports: whether the page script runs in it, and an echo through its WebSocket. */
const PROBE = `
  const report = (port) => {
    const ws = new WebSocket('wss://play.example.net/worker')
    ws.onerror = () => port.postMessage({ conch: typeof conch, error: true })
    ws.onopen = () => ws.send('hi')
    ws.onmessage = (e) => port.postMessage({ conch: typeof conch, net: net.isAvailable(), data: e.data, url: ws.url, origin: e.origin })
  }
  if (typeof SharedWorkerGlobalScope === 'function') onconnect = (e) => report(e.ports[0])
  else report(self)`
const PROBED = { conch: 'object', net: true, data: 'hi', url: 'wss://play.example.net/worker', origin: 'wss://play.example.net' }

async function frame(src) {
  const element = document.createElement('iframe')
  element.src = src
  document.body.append(element)
  await event(element, 'load')
  return element
}

async function run() {
  await check('shape of WebSocket', () => {
    same([WebSocket.name, WebSocket.length], ['WebSocket', 1])
    same([WebSocket.CONNECTING, WebSocket.OPEN, WebSocket.CLOSING, WebSocket.CLOSED], [0, 1, 2, 3])
    same(/\[native code\]/.test(String(WebSocket)), true, 'text')
    const { writable, enumerable, configurable } = Object.getOwnPropertyDescriptor(window, 'WebSocket')
    same([writable, enumerable, configurable], [true, false, true], 'attributes')
    const url = Object.getOwnPropertyDescriptor(WebSocket.prototype, 'url')
    same([url.set === undefined, url.enumerable, url.configurable, url.get.name, /\[native code\]/.test(url.get)],
      [true, true, true, 'get url', true], 'url')
    same(thrown(() => url.get.call({})).name, 'TypeError')
    same(thrown(() => WebSocket('wss://play.example.net')).name, 'TypeError', 'without new')
    same(thrown(() => new WebSocket()).name, 'TypeError', 'without arguments')
    same(WebSocket.prototype.constructor === WebSocket, true)
    class Mine extends WebSocket {}
    const mine = new Mine('wss://play.example.net/x')
    same([mine instanceof Mine, mine instanceof WebSocket, mine.constructor === Mine, mine.url],
      [true, true, true, 'wss://play.example.net/x'])
    mine.close()
    same(Object.prototype.toString.call(mine), '[object WebSocket]')
  })

  await check('errors of the constructor', () => {
    const bad = (...args) => {
      const error = thrown(() => new WebSocket(...args))
      same([error && error.name, error instanceof DOMException], ['SyntaxError', true], String(args[0]))
      same(/127\.0\.0\.1/.test(error.message), false, error.message)
    }
    bad('wss://')
    bad('ftp://play.example.net/')
    bad('wss://play.example.net/#')
    bad('wss://play.example.net/#x')
    bad('wss://play.example.net/', { headers: {} })
    bad('wss://play.example.net/', ['a', 'a'])
    bad('wss://play.example.net/', '')
    bad('wss://other.example.net/#', 'a b')
    same(thrown(() => new WebSocket(Symbol('x'))).name, 'TypeError')
    same(thrown(() => new WebSocket('wss://', { toString() { throw new RangeError('first') } })).name, 'RangeError')
  })

  await check('a WebSocket through the relay', async () => {
    const ws = new WebSocket('https://play.example.net:443/ws?a=1', ['v1', 'v2'])
    ws.binaryType = 'arraybuffer'
    same([ws.url, ws.readyState, ws.protocol, ws.constructor === WebSocket], ['wss://play.example.net/ws?a=1', 0, '', true])
    await event(ws, 'open')
    same(ws.protocol, 'v1')
    ws.send('text')
    const text = await event(ws, 'message')
    same([text.data, text.origin, text.isTrusted], ['text', 'wss://play.example.net', true])
    const copy = new text.constructor(text.type, text)
    same([copy.origin, copy.data], ['wss://play.example.net', 'text'], 'copy')
    ws.send(new Uint8Array([1, 2, 3, 4]).subarray(1, 3))
    same([...new Uint8Array((await event(ws, 'message')).data)], [2, 3])
    ws.close(4001, 'bye')
    const close = await event(ws, 'close')
    same([close.code, close.reason, close.wasClean], [4001, 'bye', true])
    const message = new MessageEvent('message', { origin: 'https://a.example' })
    same(message.origin, 'https://a.example', 'other events')
  })

  await check('a refused WebSocket fails like a network', async () => {
    const ws = new WebSocket('wss://other.example.net/')
    const seen = []
    ws.onerror = () => seen.push(['error', ws.readyState])
    ws.onclose = (e) => seen.push(['close', e.code, e.reason, e.wasClean])
    await event(ws, 'close')
    same(seen, [['error', 3], ['close', 1006, '', false]])
  })

  await check('net.connect', async () => {
    same(conch.net === net && Object.isFrozen(conch) && Object.isFrozen(net), true)
    const sock = net.connect('wss://play.example.net/net', { protocols: ['v1'] })
    const calls = []
    const closed = new Promise((resolve) => {
      sock.onOpen = () => sock.send(new Uint8Array([9, 8]))
      sock.onMessage = (data) => {
        calls.push(data instanceof ArrayBuffer ? [...new Uint8Array(data)] : data)
        if (data instanceof ArrayBuffer) sock.send('text')
        else sock.close(3001, 'done')
      }
      sock.onClose = (...args) => resolve(args)
    })
    same(await closed, [3001, 'done', true])
    same(calls, [[9, 8], 'text'])
    same([sock.url, sock.protocol, sock.readyState, sock.bufferedAmount], ['wss://play.example.net/net', 'v1', 'closed', 0])
    same(thrown(() => sock.send('x')).name, 'InvalidStateError')
    same(thrown(() => net.connect('wss://other.example.net/')).name, 'SecurityError')
    const lone = net.connect('wss://play.example.net/net')
    same([thrown(() => lone.close(1001)).name, thrown(() => lone.close(3000, 'x'.repeat(124))).name],
      ['InvalidAccessError', 'SyntaxError'])
    lone.close()
  })

  await check('onError says why, then onClose', async () => {
    const sock = net.connect('wss://play.example.net/refuse')
    const calls = []
    sock.onError = (message) => calls.push(message)
    await new Promise((resolve) => {
      sock.onClose = (...args) => {
        calls.push(args)
        resolve()
      }
    })
    same(calls, ['refused by the test', [1006, '', false]])
  })

  for (const form of ['let', 'const', 'var', 'function', 'class', 'let-conch']) {
    await check(`a game with its own net: ${form}`, async () => {
      const page = await frame(`/own-net.html?${form}`)
      same([page.contentWindow.loaded, page.contentWindow.used], [true, 'mine'])
    })
  }

  await check('a frame has its own', async () => {
    const page = (await frame('/plain.html')).contentWindow
    same([typeof page.conch, page.conch !== conch, page.WebSocket !== WebSocket], ['object', true, true])
    const ws = new page.WebSocket('wss://play.example.net/frame')
    await event(ws, 'open')
    ws.send('x')
    same([(await event(ws, 'message')).origin, ws.url], ['wss://play.example.net', 'wss://play.example.net/frame'])
    ws.close()
  })

  await check('a second copy changes nothing', async () => {
    const before = [conch, net, WebSocket, WebSocket.prototype.constructor, Worker]
    const script = document.createElement('script')
    script.src = '/__conch/page.js?again'
    document.head.append(script)
    await event(script, 'load')
    same([conch, net, WebSocket, WebSocket.prototype.constructor, Worker].every((it, i) => it === before[i]), true)
    same(Object.keys(window).filter((key) => /conch/i.test(key)), [])
  })

  await check('shape of Worker', () => {
    same([Worker.name, Worker.length, Worker.prototype.constructor === Worker], ['Worker', 1, true])
    same(/\[native code\]/.test(String(Worker)), true)
    same(thrown(() => new Worker()).name, 'TypeError')
    const worker = new Worker(blobURL(''))
    same([worker instanceof Worker, worker.constructor === Worker], [true, true])
    worker.terminate()
  })

  const workers = {
    'a blob worker': () => {
      const url = blobURL(PROBE)
      const worker = new Worker(url)
      URL.revokeObjectURL(url)
      return worker
    },
    'a strict blob worker': () => new Worker(blobURL(`'use strict'; if ((function () { return this })()) throw 1;${PROBE}`), { name: 'x' }),
    'a blob module worker': () => {
      const url = blobURL(`${PROBE}; export {}`)
      const worker = new Worker(url, { type: 'module' })
      URL.revokeObjectURL(url)
      return worker
    },
    'a served worker': () => new Worker('/worker.js'),
    'a served module worker': () => new Worker('/worker.js?module', { type: 'module' }),
    'a blob worker made by a blob worker': () => new Worker(blobURL(`
      const inner = new Worker(URL.createObjectURL(new Blob([${JSON.stringify(PROBE)}])))
      inner.onmessage = (e) => postMessage(e.data)`)),
    'a pool on one blob': () => {
      const url = blobURL(PROBE)
      new Worker(url).terminate()
      return new Worker(url)
    },
    'a worker that starts itself': () => new Worker(blobURL(`
      if (self.name === 'inner') { ${PROBE} }
      else { const inner = new Worker(self.location.href, { name: 'inner' }); inner.onmessage = (e) => postMessage(e.data) }`))
  }
  for (const name of Object.keys(workers)) {
    await check(name, async () => {
      const worker = workers[name]()
      worker.onerror = (e) => { throw new Error(e.message) }
      same((await event(worker, 'message')).data, PROBED)
      worker.terminate()
    })
  }

  await check('a sloppy worker stays sloppy', async () => {
    for (const url of ['/sloppy.js', blobURL('postMessage((function () { return typeof this })())')]) {
      same((await event(new Worker(url), 'message')).data, 'object')
    }
  })

  await check('a shared blob worker', async () => {
    const worker = new SharedWorker(blobURL(PROBE), 'probe')
    worker.port.start()
    same([(await event(worker.port, 'message')).data, worker instanceof SharedWorker], [PROBED, true])
  })

  await check('a data: worker is left alone', async () => {
    const worker = new Worker('data:text/javascript,postMessage(typeof conch)')
    same((await event(worker, 'message')).data, 'undefined')
  })

  await check('lines of a blob worker stay', async () => {
    const worker = new Worker(blobURL('\n\nthrow new Error("third")'))
    const error = await event(worker, 'error')
    error.preventDefault()
    same(error.lineno, 3)
  })

  await check('browser keys, menu and drags', () => {
    const seen = []
    document.body.addEventListener('keydown', (e) => seen.push(e.key))
    const send = (target, made) => {
      target.dispatchEvent(made)
      return made.defaultPrevented
    }
    const key = (init) => send(document.body, new KeyboardEvent('keydown', { bubbles: true, cancelable: true, ...init }))
    same([key({ key: 'F5' }), key({ key: 'r', ctrlKey: true }), key({ key: 'r' }), key({ key: 'F11' })], [true, true, false, false])
    same(seen, ['F5', 'r', 'r', 'F11'])
    const mouse = (type) => new MouseEvent(type, { bubbles: true, cancelable: true })
    same([send(document.body, mouse('contextmenu')), send(document.querySelector('#picture'), mouse('dragstart')),
      send(document.body, mouse('dragstart'))], [true, true, false])
    const wheel = (ctrlKey) => new WheelEvent('wheel', { bubbles: true, cancelable: true, ctrlKey })
    same([send(document.body, wheel(true)), send(document.body, wheel(false))], [true, false])
    same([typeof navigator.getGamepads(), typeof document.body.requestFullscreen], ['object', 'function'])
  })

  await check('saves are restored and copied', async () => {
    same(localStorage.getItem('restored'), 'from the launcher')
    localStorage.setItem('level', '7')
    localStorage.big = 'x'.repeat(100)
    for (const key of ['length', 'getItem', 'key', '__proto__']) localStorage.setItem(key, 'awkward')
    window.dispatchEvent(new Event('pagehide'))
    for (;;) {
      const copy = await (await fetch('/copy')).json()
      if (copy && copy.level === '7') return same(Object.keys(copy).sort(),
        ['__proto__', 'big', 'getItem', 'key', 'length', 'level', 'restored'])
    }
  })

  await check('a game that replaces what it likes', async () => {
    const page = (await frame('/plain.html')).contentWindow
    page.eval(`for (const name of ['URL', 'fetch', 'Promise', 'Set', 'Map', 'WeakMap', 'JSON', 'DOMException', 'Proxy',
      'setTimeout', 'encodeURIComponent', 'CloseEvent', 'MessageEvent', 'console']) window[name] = null
      for (const name of ['send', 'close', 'addEventListener', 'dispatchEvent']) WebSocket.prototype[name] = null
      delete WebSocket.prototype.readyState
      EventTarget.prototype.addEventListener = null
      window.result = (window.WebSocket = null, new window.Array())
      const sock = net.connect('wss://play.example.net/net')
      sock.onOpen = () => sock.send('x')
      sock.onMessage = (data) => { result.push(data, sock.readyState); sock.close() }
      const gone = net.connect('wss://play.example.net/refuse')
      gone.onError = (message) => result.push(message)
      gone.onClose = (code) => result.push(code)
      window.threw = ''
      try { net.connect('nonsense') } catch (error) { window.threw = error.name }`)
    for (let i = 0; i < 200 && page.result.length < 4; i++) await new Promise((resolve) => setTimeout(resolve, 50))
    same([[...page.result].map(String).sort(), page.threw], [['1006', 'open', 'refused by the test', 'x'], 'SyntaxError'])
  })
}

const { fetch: post } = window
run().catch((error) => results.push({ name: 'run', problem: String(error) }))
  .then(() => post('/done', { method: 'POST', body: JSON.stringify(results) }))
