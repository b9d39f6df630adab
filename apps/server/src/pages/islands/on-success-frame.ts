/**
 * Runs in the frame of a merchant's script, and is all that is there beside it: waits for the result of the
 * payment, then evaluates the script. A script that goes to another page asks the checkout to go there.
 */

const { nonce = '' } = document.currentScript as HTMLScriptElement

/** Not in every browser: there such a script goes nowhere, since the checkout's policy lets no other page into the frame. */
const way = (window as { navigation?: Navigation }).navigation
way?.addEventListener('navigate', (event) => {
  event.preventDefault()
  parent.postMessage({ redirect: event.destination.url }, '*')
})

const run = ({ source, data }: MessageEvent) => {
  if (source !== parent) return
  removeEventListener('message', run)
  Object.assign(window, { payment: Object.freeze(data) })
  const script = document.createElement('script')
  script.nonce = nonce
  script.textContent = document.querySelector('template')?.content.textContent ?? ''
  document.body.append(script)
}
addEventListener('message', run)

export {}
