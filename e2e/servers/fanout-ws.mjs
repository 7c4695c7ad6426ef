// Passes every message on to all others: ws, the floor of what Node can do.
import { WebSocketServer, WebSocket } from 'ws'

const server = new WebSocketServer({ host: '127.0.0.1', port: 0, perMessageDeflate: false })
server.on('connection', socket => {
  socket.on('message', (data, binary) => {
    for (const other of server.clients) {
      if (other !== socket && other.readyState === WebSocket.OPEN) other.send(data, { binary })
    }
  })
})
server.on('listening', () => console.log('listening ' + server.address().port))
