fetch('story.json').then(answer => answer.text()).then(text => {
  const story = new inkjs.Story(text)
  const box = document.querySelector('#story')
  function go() {
    while (story.canContinue) box.appendChild(document.createElement('p')).textContent = story.Continue()
    for (const choice of story.currentChoices) {
      const link = box.appendChild(document.createElement('p')).appendChild(document.createElement('a'))
      link.href = '#'
      link.textContent = choice.text
      link.onclick = event => {
        event.preventDefault()
        box.textContent = ''
        story.ChooseChoiceIndex(choice.index)
        go()
      }
    }
  }
  go()
  addEventListener('keydown', event => { if (event.key === '1' && !event.repeat) box.querySelector('a')?.click() })
})
