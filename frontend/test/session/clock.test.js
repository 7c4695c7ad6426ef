import test from 'node:test'
import assert from 'node:assert/strict'
import { createClock } from '../../src/session/clock.js'

/** A client and a host whose clocks differ by ahead, and a network with these delays. */
function sampler(clock, ahead, { out = () => 1, back = () => 1, host = () => 0 } = {}) {
  return (t0) => {
    const there = out()
    const here = back()
    const t1 = t0 + there + ahead + host()
    return clock.sample(t0, t1, t1, t0 + there + here)
  }
}

test('the first sample sets the clock, and it runs with the local one', () => {
  const clock = createClock()
  assert.equal(clock.synced, false)
  sampler(clock, 5000)(100)
  assert.equal(clock.synced, true)
  assert.equal(clock.now(102), 5102)
  assert.equal(clock.now(1102), 6102)
  assert.equal(clock.rtt, 2)
})

test('an error under 2 ms is left, up to 250 ms it is slewed at 5 %', () => {
  const clock = createClock()
  clock.start(1000, 0)
  clock.sample(0, 1001.5, 1001.5, 0)
  assert.equal(clock.now(1000), 2000)
  const late = createClock()
  late.start(1000, 0)
  late.sample(0, 1100, 1100, 0)
  assert.equal(late.now(0), 1000)
  assert.equal(late.now(1000), 2050)
  assert.equal(late.now(2000), 3100)
  assert.equal(late.now(3000), 4100, 'and no further')
})

test('a larger error forward is a step, backward it runs at half speed, above 2 s it steps', () => {
  const clock = createClock()
  clock.start(1000, 0)
  assert.equal(clock.sample(0, 1300, 1300, 0), false)
  assert.equal(clock.now(0), 1300)
  const ahead = createClock()
  ahead.start(2000, 0)
  assert.equal(ahead.sample(0, 1000, 1000, 0), false)
  assert.equal(ahead.now(0), 2000)
  assert.equal(ahead.now(1000), 2500)
  assert.equal(ahead.now(2000), 3000)
  assert.equal(ahead.now(3000), 4000)
  const far = createClock()
  far.start(9000, 0)
  assert.equal(far.now(0), 9000)
  assert.equal(far.sample(0, 1000, 1000, 0), true, 'told')
  assert.equal(far.now(0), 1000)
})

test('it never goes back but for that step', () => {
  const clock = createClock()
  let last = 0
  for (let t = 0; t < 60000; t += 100) {
    const ahead = 1e6 + Math.sin(t / 3000) * 200
    if (t % 500 === 0) sampler(clock, ahead, { out: () => 5 + Math.random() * 60, back: () => 5 + Math.random() * 60 })(t)
    const now = clock.now(t + 130)
    assert.ok(now >= last)
    last = now
  }
})

test('samples that cannot be are refused: the future, a negative round trip, one far too slow', () => {
  const clock = createClock()
  for (let i = 0; i < 4; i++) sampler(clock, 1000)(i * 10)
  const at = clock.now(1000)
  clock.sample(1000, 1, 1, 900)
  clock.sample(1000, 9000, 8000, 1002)
  clock.sample(1000, 5000, 9000, 1002)
  clock.sample(1000, 90000, 90000, 1200)
  assert.equal(clock.now(1001), at + 1)
})

test('within 5 ms on a LAN and 20 ms with 60 ms of jitter, in 95 of 100', () => {
  for (const [jitter, most] of [[3, 5], [60, 20]]) {
    const errors = []
    for (let run = 0; run < 100; run++) {
      const clock = createClock()
      const sample = sampler(clock, 1e9, { out: () => 0.2 + Math.random() * jitter, back: () => 0.2 + Math.random() * jitter })
      for (let i = 0; i < 8; i++) sample(i * 50)
      for (let i = 1; i <= 10; i++) sample(i * 2000)
      errors.push(Math.abs(clock.now(25000) - 1e9 - 25000))
    }
    errors.sort((a, b) => a - b)
    assert.ok(errors[94] <= most, `jitter ${jitter}: ${errors[94]}`)
  }
})

test('reset forgets the samples and keeps the time', () => {
  const clock = createClock()
  sampler(clock, 1000)(0)
  clock.reset()
  assert.equal(clock.rtt, 0)
  assert.equal(clock.now(100), 1100)
})
