/**
 * Runs in the frame of a merchant's script: waits for the payment result, then evaluates the script with
 * `payment`.
 *
 * Such scripts navigate by setting `location`. Every `location` object that they see is a substitute that
 * sends the URL to the checkout.
 */

type Scope = Record<string | symbol, unknown>

const { nonce = '' } = document.currentScript as HTMLScriptElement
const windows = new Set(['window', 'self', 'top', 'parent', 'globalThis'])

const goTo = (url: unknown) => parent.postMessage({ redirect: String(url) }, '*')

const askedLocation = {
  assign: goTo,
  replace: goTo,
  reload() {},
  toString: () => location.href,
  get href() {
    return location.href
  },
  set href(url: string) {
    goTo(url)
  },
}

/** Proxies `target`, but replaces `location` and the objects that contain it. */
function seen(target: Scope): Scope {
  return new Proxy<Scope>(Object.create(null), {
    has: (_, key) => key === 'location' || key === 'document' || windows.has(String(key)),
    get(_, key) {
      if (key === Symbol.unscopables) return undefined
      if (key === 'location') return askedLocation
      if (target === (window as unknown as Scope)) {
        if (key === 'document') return seenDocument
        // The checkout is cross-origin: the frame can only post messages to it.
        if (key === 'parent' || key === 'top') return seenParent
        if (windows.has(String(key))) return seenWindow
      }
      const value = target[key]
      // Browser methods need their original receiver. Classes are not bound.
      const isMethod = typeof value === 'function' && !Object.hasOwn(value, 'prototype')
      return isMethod ? value.bind(target) : value
    },
    set(_, key, value) {
      if (key === 'location') goTo(value)
      else target[key] = value
      return true
    },
  })
}

const seenDocument = seen(document as unknown as Scope)
const seenWindow = seen(window as unknown as Scope)
const seenParent = seen({ postMessage: (message: unknown) => parent.postMessage(message, '*') })

const run = ({ source, data }: MessageEvent) => {
  if (source !== parent) return
  removeEventListener('message', run)
  Object.assign(window, { payment: Object.freeze(data), seenWindow })
  const code = document.querySelector('template')?.content.textContent ?? ''
  const script = document.createElement('script')
  script.nonce = nonce
  script.textContent = `with (seenWindow) (function () {\n${code}\n})()`
  document.body.append(script)
}
addEventListener('message', run)

export {}
