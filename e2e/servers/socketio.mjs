// A small chat on socket.io: echoes with acknowledgements, says who talks to it, drops who asks for it.
import { createServer } from 'node:http'
import { Server } from 'socket.io'

const http = createServer()
const io = new Server(http, { perMessageDeflate: { threshold: 64 } })
io.on('connection', socket => {
  const { headers } = socket.handshake
  socket.emit('hello', { origin: headers.origin || 'none', cookie: headers.cookie || 'none', query: socket.handshake.query.player })
  socket.on('echo', (value, answer) => answer(value))
  socket.on('join', room => { socket.join(room); io.to(room).emit('joined', room) })
  socket.on('drop me', () => socket.disconnect())
})
io.of('/lobby').on('connection', socket => socket.emit('in lobby', socket.handshake.auth.ticket))
http.listen(0, '127.0.0.1', () => console.log('listening ' + http.address().port))
