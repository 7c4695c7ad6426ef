// Passes every message on to all others: socket.io without polling. The message is a text, which is one frame; bytes are two.
import { createServer } from 'node:http'
import { Server } from 'socket.io'

const http = createServer()
const io = new Server(http, { transports: ['websocket'], serveClient: false, perMessageDeflate: false })
io.on('connection', socket => socket.on('m', text => socket.broadcast.emit('m', text)))
http.listen(0, '127.0.0.1', () => console.log('listening ' + http.address().port))
