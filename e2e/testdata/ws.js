const lines = []
async function talk(name, protocols, steps) {
  const ws = new WebSocket('ws://SERVER_HOST/path?q=1', protocols)
  ws.binaryType = 'arraybuffer'
  await new Promise(ok => {
    ws.onopen = () => { lines.push(`${name}: open ${ws.protocol} ${ws.extensions}`); ws.send(steps.shift()) }
    ws.onmessage = e => {
      lines.push(`${name}: ` + (typeof e.data === 'string' ? e.data.length + ' ' + e.data.slice(0, 60) : 'bytes ' + e.data.byteLength))
      if (steps.length) ws.send(steps.shift()); else ws.close(1000, 'bye')
    }
    ws.onerror = () => lines.push(name + ': error')
    ws.onclose = e => { lines.push(`${name}: close ${e.code} ${e.reason} ${e.wasClean}`); ok() }
  })
}
await talk('echo', ['game.v1', 'game.v2'], ['short', 'z'.repeat(5000), new Uint8Array(1 << 20), 'ping me', 'who am I', ''])
await talk('closed', 'game.v2', ['a', 'close me'])
await talk('terminated', 'game.v2', ['a', 'terminate me'])
await talk('no protocol', [], ['x'])
report('ws', lines)
