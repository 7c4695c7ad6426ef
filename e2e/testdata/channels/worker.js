// A worker from a file of the game. It attacks, starts workers of its own and says when all have begun.
importScripts('/attack.js')
const query = new URLSearchParams(location.search)
const mode = query.get('mode')
const say = function (to) { to.postMessage('begun') }
realm(self, query.get('as') + '-', hosts(mode))
if (query.get('nested')) {
  const text = 'importScripts("' + location.origin + '/attack.js"); realm(self, "wnestedblob-", hosts("' + mode + '")); postMessage("begun")'
  const inner = [new Worker('/worker.js?as=wnested&mode=' + mode), new Worker(URL.createObjectURL(new Blob([text])))]
  let left = inner.length
  for (const w of inner) w.onmessage = w.onerror = function () { if (--left === 0) say(self) }
} else if (self.onconnect !== undefined || typeof SharedWorkerGlobalScope !== 'undefined') {
  self.onconnect = function (e) { say(e.ports[0]) }
} else {
  say(self)
}
