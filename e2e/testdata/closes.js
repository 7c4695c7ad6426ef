// Opens one socket per case, does what the case says and reports every event.
const atOpen = {
  'close-in-packet-of-101': () => {},
  'page-close': ws => ws.close(),
  'page-close-1000': ws => ws.close(1000, 'done'),
  'page-close-4001': ws => ws.close(4001, 'näh'),
  'page-close-then-more': ws => { ws.send('a'); ws.close(3000); ws.send('lost') },
  'page-close-crossing': ws => ws.send('go')
}
const protocols = { 'protocol-chosen': ['b', 'c'], 'protocol-not-offered': ['b'], 'protocol-missing': ['b'] }

function run(name) {
  return new Promise(done => {
    const log = []
    const url = 'ws://127.0.0.1:CASE_PORT/' + name
    const ws = name in protocols ? new WebSocket(url, protocols[name]) : new WebSocket(url)
    if (ws.url !== url) log.push('url ' + ws.url)
    ws.binaryType = 'arraybuffer'
    const step = text => log.push(text + ' state=' + ws.readyState)
    ws.onopen = () => {
      step('open protocol=' + ws.protocol + ' extensions=' + ws.extensions)
      ;(atOpen[name] || (ws => ws.send('go')))(ws)
    }
    ws.onmessage = e => {
      step('message ' + (typeof e.data === 'string' ? JSON.stringify(e.data.slice(0, 20)) : 'binary ' + e.data.byteLength) +
        (e.origin === 'ws://127.0.0.1:CASE_PORT' ? '' : ' origin ' + e.origin))
      if (name === 'page-close-crossing') ws.close(4002, 'crossing')
    }
    ws.onerror = () => step('error')
    ws.onclose = e => {
      step('close ' + e.code + ' ' + JSON.stringify(e.reason.slice(0, 20)) + ' ' + e.reason.length + ' clean=' + e.wasClean +
        ' buffered=' + ws.bufferedAmount)
      done(log)
    }
    if (name === 'page-close-connecting') ws.close(4003, 'early')
  })
}

for (const name of CASES) report('case', { name, events: (await run(name)).join(' | ') })
