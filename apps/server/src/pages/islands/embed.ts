import type { EmbedMessage, EmbedState } from './page/embedder.ts'

/**
 * Script for merchants' pages: opens links with `data-sluice-pay` in a dialog. If a dialog is not possible,
 * they remain normal links.
 */

declare const embedWords: Readonly<Record<string, { readonly title: string; readonly close: string }>>

type Outcome = { readonly receiptId: string; readonly state: EmbedState }

const base = new URL((document.currentScript as HTMLScriptElement).src).origin
const readyMs = 500
const patienceMs = 15_000

const style = `
.sluice-button{display:inline-flex;align-items:center;justify-content:center;box-sizing:border-box;min-height:48px;padding:10px 24px;border-radius:12px;background:var(--sluice-button,#0b5d66);color:var(--sluice-button-text,#fff);font:600 16px/1.5 system-ui,sans-serif;text-decoration:none}
.sluice-button:hover{filter:brightness(.92)}
.sluice-button:focus-visible{outline:3px solid var(--sluice-button,#0b5d66);outline-offset:2px}
dialog.sluice-checkout{box-sizing:border-box;flex-direction:column;width:min(560px,100vw);height:min(880px,100dvh);max-width:none;max-height:none;margin:auto;padding:0;border:0;border-radius:18px;overflow:hidden;background:#fff;color:#14222a;box-shadow:0 24px 80px #0006}
dialog.sluice-checkout[open]{display:flex}
dialog.sluice-checkout::backdrop{background:#0b1518a6}
dialog.sluice-checkout button{align-self:flex-end;width:44px;height:44px;margin:2px;padding:0;border:0;border-radius:12px;background:none;color:inherit;font:24px/1 system-ui,sans-serif;cursor:pointer}
dialog.sluice-checkout button:focus-visible{outline:3px solid currentcolor;outline-offset:-3px}
dialog.sluice-checkout iframe{flex:1;width:100%;border:0}
@media(max-width:600px){dialog.sluice-checkout{width:100vw;height:100dvh;border-radius:0}}
@media(prefers-color-scheme:dark){dialog.sluice-checkout{background:#162024;color:#e8eff0}}`

let current: HTMLDialogElement | undefined

// A constructed style sheet is exempt from the page's `style-src` policy.
const sheet = new CSSStyleSheet()
sheet.replaceSync(style)
document.adoptedStyleSheets = [...document.adoptedStyleSheets, sheet]

document.addEventListener('click', (event) => {
  if (event.defaultPrevented || event.button !== 0) return
  if (event.metaKey || event.ctrlKey || event.shiftKey || event.altKey) return
  const link = (event.target as Element).closest<HTMLAnchorElement>('a[data-sluice-pay]')
  if (!link || !canOpen(link.href)) return
  event.preventDefault()
  void openCheckout(link.href, link)
})

Object.assign(globalThis, { Sluice: { open: (url: string) => openCheckout(new URL(url, base).href) } })

function canOpen(href: string): boolean {
  const { origin, pathname } = new URL(href)
  const isCheckout = origin === base && /^\/(pay|portal)\/[^/]+$/.test(pathname)
  return isCheckout && 'HTMLDialogElement' in globalThis && location.origin !== 'null'
}

/** Opens the checkout in a dialog. Resolves when it closes, with the payment's state at that time. */
function openCheckout(href: string, source: EventTarget = document): Promise<Outcome> {
  if (!canOpen(href)) {
    location.assign(href)
    return new Promise(() => {})
  }
  current?.close()
  const { dialog, frame } = build(href)
  current = dialog
  let outcome: Outcome = { receiptId: '', state: 'open' }
  let isReady = false

  const dispatch = (name: string, detail: object) =>
    source.dispatchEvent(new CustomEvent(`sluice:${name}`, { detail, bubbles: true, cancelable: true }))
  const hear = ({ origin, source: sender, data }: MessageEvent<EmbedMessage>) => {
    if (origin !== base || sender !== frame.contentWindow || data?.sluice !== 'checkout') return
    const { event, receiptId, state, url, colours } = data
    dialog.style.backgroundColor = colours.ground
    dialog.style.color = colours.ink
    const wasPaid = outcome.state === 'paid'
    outcome = { receiptId, state }
    isReady = true
    if (event === 'ready' || event === 'state') dispatch('state', outcome)
    if (state === 'paid' && !wasPaid) dispatch('paid', outcome)
    if (event === 'close') dialog.close()
    if (event === 'leave' && url && isWeb(url) && dispatch('leave', { ...outcome, url })) location.assign(url)
  }
  // A blocked frame also fires `load`, but sends no message.
  const giveUp = () => {
    if (isReady || !dialog.isConnected) return
    dialog.remove()
    location.assign(href)
  }
  frame.addEventListener('load', () => setTimeout(giveUp, readyMs))
  setTimeout(giveUp, patienceMs)
  addEventListener('message', hear)
  return new Promise((resolve) => {
    dialog.addEventListener('close', () => {
      removeEventListener('message', hear)
      dialog.remove()
      current = undefined
      dispatch('closed', outcome)
      resolve(outcome)
    })
    document.body.append(dialog)
    dialog.showModal()
  })
}

function build(href: string): { dialog: HTMLDialogElement; frame: HTMLIFrameElement } {
  const lang = document.documentElement.lang.toLowerCase().split('-')[0] ?? ''
  const words = embedWords[lang] ?? embedWords.en ?? { title: '', close: '' }
  const url = new URL(href)
  url.searchParams.set('embed', location.origin)
  const dialog = document.createElement('dialog')
  dialog.className = 'sluice-checkout'
  dialog.setAttribute('aria-label', words.title)
  const close = document.createElement('button')
  close.type = 'button'
  close.textContent = '×'
  close.setAttribute('aria-label', words.close)
  close.addEventListener('click', () => dialog.close())
  const frame = document.createElement('iframe')
  frame.title = words.title
  frame.allow = 'clipboard-write'
  frame.src = url.href
  dialog.append(close, frame)
  return { dialog, frame }
}

function isWeb(url: string): boolean {
  return /^https?:\/\//i.test(url)
}
