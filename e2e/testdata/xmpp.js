const FRAMING = 'urn:ietf:params:xml:ns:xmpp-framing'
const lines = []
const open = `<open xmlns="${FRAMING}" to="localhost" version="1.0"/>`

/** One stanza without the ids and names that the server makes up, in an order of its own: it has none. */
function stable(xml) {
  const order = element => {
    const attributes = [...element.attributes].filter(a => !['id', 'to', 'from', 'ver'].includes(a.name)).map(a => `${a.name}=${a.value}`).sort()
    const children = [...element.children].map(order).sort()
    const text = children.length || element.localName === 'jid' ? '' : element.textContent
    return `<${[element.nodeName, ...attributes].join(' ')}>${text}${children.join('')}`
  }
  return order(new DOMParser().parseFromString(xml, 'text/xml').documentElement)
}

async function talk(name, sends, url) {
  const ws = new WebSocket('ws://SERVER_HOST/xmpp-websocket', 'xmpp')
  await new Promise(ok => {
    ws.onopen = () => { lines.push(`${name}: open ${ws.protocol}`); ws.send(open) }
    ws.onmessage = e => {
      lines.push(`${name}: ${stable(e.data)}`)
      for (const [match, answer] of sends) if (e.data.includes(match)) { ws.send(answer); break }
    }
    // This server ends TCP without waiting for our Close, so whether it was clean is chance.
    ws.onclose = e => { lines.push(`${name}: close ${e.code} ${e.reason}`); ok() }
  })
}
await talk('session', [
  ['<mechanism>', '<auth xmlns="urn:ietf:params:xml:ns:xmpp-sasl" mechanism="ANONYMOUS"/>'],
  ['<success', open],
  ['xmpp-bind', '<iq xmlns="jabber:client" type="set" id="b1"><bind xmlns="urn:ietf:params:xml:ns:xmpp-bind"/></iq>'],
  ["id='b1'", '<iq xmlns="jabber:client" type="get" id="p1"><ping xmlns="urn:xmpp:ping"/></iq>'],
  ["id='p1'", `<close xmlns="${FRAMING}"/>`]
].reverse())
await talk('bad xml', [['<mechanism>', '<not <xml']])
report('xmpp', lines)
