// A server on ws: echoes, pings, closes as it is asked to.
import { WebSocketServer } from 'ws'

const server = new WebSocketServer({
  host: '127.0.0.1', port: 0, perMessageDeflate: { threshold: 100 },
  handleProtocols: offered => (offered.has('game.v2') ? 'game.v2' : false)
})
server.on('connection', (socket, request) => {
  socket.on('pong', data => socket.send('pong ' + data))
  socket.on('message', (data, binary) => {
    const text = binary ? '' : data.toString()
    if (text === 'ping me') socket.ping('p1')
    else if (text === 'close me') socket.close(4010, 'as you wish')
    else if (text === 'terminate me') socket.terminate()
    else if (text === 'who am I') socket.send(JSON.stringify([request.url, request.headers.cookie || 'no cookie', request.headers.referer || 'no referrer']))
    else socket.send(data, { binary })
  })
})
server.on('listening', () => console.log('listening ' + server.address().port))
