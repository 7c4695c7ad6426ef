// Passes every message on to all others: a Colyseus room without state, by its messages.
import { Room, Server } from '@colyseus/core'
import { WebSocketTransport } from '@colyseus/ws-transport'

class Fanout extends Room {
  onCreate () {
    this.autoDispose = false
    this.setPatchRate(null)
    this.onMessage('m', (client, text) => this.broadcast('m', text, { except: client }))
  }
}

const transport = new WebSocketTransport({ perMessageDeflate: false })
const server = new Server({ transport, greet: false, gracefullyShutdown: false })
server.define('fanout', Fanout)
await server.listen(0, '127.0.0.1')
console.log('listening ' + transport.server.address().port)
