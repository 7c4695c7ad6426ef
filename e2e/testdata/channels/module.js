// A module worker: no importScripts, so the attack is imported as text.
const mode = new URL(import.meta.url).searchParams.get('mode')
const text = await (await fetch('/attack.js')).text()
;(0, eval)(text + '; globalThis.realm = realm; globalThis.hosts = hosts')
realm(self, 'wmodule-', hosts(mode))
postMessage('begun')
export {}
