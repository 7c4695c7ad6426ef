setup({ message_events: [] })
add_completion_callback((tests, status) => {
  if (self === top || parent !== top) return
  parent.postMessage({ wpt: { status: String(status.status), tests: tests.map(t => ({ name: t.name, status: t.status, message: t.message })) } }, '*')
})
