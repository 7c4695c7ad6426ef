// Makes the exports that need their engine's own exporter. Run in a folder with node_modules; writes below out/.
import { execFileSync } from 'node:child_process'
import { cpSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { resolve } from 'node:path'

const require = createRequire(import.meta.url)
const here = resolve('.')
mkdirSync('out', { recursive: true })

// LÖVE: the exporter's own test game, with threads and without.
for (const [name, flags] of [['love-threads', []], ['love-compat', ['-c']]]) {
  execFileSync(process.execPath, ['index.js', ...flags, '-t', name, 'spec', resolve(here, 'out', name)],
    { cwd: 'node_modules/love.js', stdio: 'inherit' })
}

// ink: a story compiled by inkjs, fetched by the page as its browser template does.
const { Compiler } = require('inkjs/full')
cpSync('ink', 'out/ink', { recursive: true })
writeFileSync('out/ink/story.json', new Compiler(readFileSync('ink/story.ink', 'utf8')).Compile().ToJson())
cpSync('node_modules/inkjs/dist/ink.js', 'out/ink/ink.js')

// WASM-4: a cartridge bundled into one HTML file by the engine's own bundler.
const wabt = await require('wabt')()
const cart = wabt.parseWat('cart.wat', readFileSync('wasm4/cart.wat', 'utf8'))
writeFileSync('out/cart.wasm', cart.toBinary({}).buffer)
await require('wasm4/lib/bundle').run('out/cart.wasm', { html: 'out/wasm4.html', title: 'Conch cart' })
