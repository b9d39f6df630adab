import type { IslandOffer } from '../live/island-data.ts'
import type { Slots } from './wallet/payment.ts'

export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`the page has no #${id}`)
  return element
}

let home: ChildNode[] | undefined
let current: string | undefined

export function shownStep(): string | undefined {
  return current
}

export function markStep(name: string): void {
  current = name
}

export function enterStage(content: DocumentFragment): void {
  const stage = byId('stage')
  home ??= [...stage.childNodes]
  stage.replaceChildren(content)
  focusHead()
  sayHead(false)
}

/** Returns a copy of a template with its slots filled. Removes `data-if` parts whose slot is empty. */
export function fill(template: HTMLTemplateElement, slots: Slots): DocumentFragment {
  const filled = template.content.cloneNode(true) as DocumentFragment
  for (const part of filled.querySelectorAll<HTMLElement>('[data-if]'))
    if (!slots[part.dataset.if ?? '']) part.remove()
  for (const gap of filled.querySelectorAll<HTMLElement>('[data-slot]'))
    gap.textContent = slots[gap.dataset.slot ?? ''] ?? ''
  for (const link of filled.querySelectorAll<HTMLAnchorElement>('a[data-href]'))
    link.href = slots[link.dataset.href ?? ''] ?? ''
  for (const button of filled.querySelectorAll<HTMLElement>('[data-copy-slot]'))
    button.dataset.copy = slots[button.dataset.copySlot ?? ''] ?? ''
  return filled
}

/** Returns a text in the page's language from the template with this `data-text` name. */
export function pageText(name: string, slots: Slots = {}): string {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-text=${name}]`)
  return template ? (fill(template, slots).textContent ?? '') : ''
}

export function showHome(): void {
  if (home) byId('stage').replaceChildren(...home)
  dropHome()
  focusHead()
}

export function dropHome(): void {
  home = undefined
  current = undefined
}

export function focusHead(): void {
  byId('stage').querySelector<HTMLElement>('h2')?.focus()
}

/**
 * Announces the panel's text, as an alert if its tone is `bad`. Omits the heading if moving the focus already
 * announced it.
 */
export function sayHead(withHeading: boolean): void {
  const head = byId('stage').querySelector<HTMLElement>('.head')
  const heading = byId('stage').querySelector('h2')?.textContent ?? ''
  const text = head?.querySelector('p')?.textContent ?? ''
  say(
    withHeading || !text ? `${heading}. ${text}`.trim() : text,
    head?.dataset.tone === 'bad' ? 'warn' : 'say',
  )
}

/** Announces text through one of the page's two live regions. */
export function say(text: string, region: 'say' | 'warn' = 'say'): void {
  byId(region === 'say' ? 'warn' : 'say').textContent = ''
  byId(region).textContent = text
}

export const pageData = {
  panel: (): HTMLElement => byId('panel'),
  /** `<recipient>/<receipt id>`, unique in this browser. */
  receipt: (): string => byId('panel').dataset.receipt ?? '',
  names: (): { readonly recipient: string; readonly receiptId: string } => {
    const name = pageData.receipt()
    const at = name.indexOf('/')
    return { recipient: name.slice(0, at), receiptId: name.slice(at + 1) }
  },
  offer: (): IslandOffer | undefined => readOffer(byId('panel')),
}

export function readOffer(panel: HTMLElement): IslandOffer | undefined {
  const text = panel.dataset.offer
  return text ? (JSON.parse(text) as IslandOffer) : undefined
}

type Reported =
  | 'link_opened'
  | 'buyer_logged_in'
  | 'checkout_initialized'
  | 'onramp_session_opened'
  | 'onramp_returned'
  | 'error'

const reported = new Set<Reported>()

/**
 * Reports the buyer's progress to the merchant: each value once per page load, without waiting for the
 * response.
 */
export function report(value: Reported): void {
  const { receiptId, recipient } = pageData.names()
  if (reported.has(value) || !receiptId) return
  reported.add(value)
  const body = new Blob([JSON.stringify({ receiptId, wallet: recipient, status: value })], {
    type: 'application/json',
  })
  navigator.sendBeacon?.('/api/receipts/status', body)
}
