import type { IslandOffer } from '../live/island-data.ts'
import type { Slots } from './wallet/payment.ts'

/** The element every checkout has under this id. */
export function byId(id: string): HTMLElement {
  const element = document.getElementById(id)
  if (!element) throw new Error(`the page has no #${id}`)
  return element
}

let home: ChildNode[] | undefined
let current: string | undefined

/** The wallet step that is shown; `undefined` where the server's own panel is. */
export function shownStep(): string | undefined {
  return current
}

/** From now on a step is shown, though its content may come a moment later. */
export function markStep(name: string): void {
  current = name
}

/** Puts a step in place of the panel, moves the focus to it and says it. */
export function enterStage(content: DocumentFragment): void {
  const stage = byId('stage')
  home ??= [...stage.childNodes]
  stage.replaceChildren(content)
  focusHead()
  sayHead(false)
}

/** A copy of a template with its gaps filled: texts, addresses of links, and what is only there with a value. */
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

/** A text of the page's language that only its script shows: the template `data-text` of this name. */
export function pageText(name: string, slots: Slots = {}): string {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-text=${name}]`)
  return template ? (fill(template, slots).textContent ?? '') : ''
}

/** Back to the panel the server made. */
export function showHome(): void {
  if (home) byId('stage').replaceChildren(...home)
  dropHome()
  focusHead()
}

/** The panel was replaced from outside: there is nothing to go back to. */
export function dropHome(): void {
  home = undefined
  current = undefined
}

/** Moves the focus to what the panel says. */
export function focusHead(): void {
  byId('stage').querySelector<HTMLElement>('h2')?.focus()
}

/**
 * Says what the panel says, as an alert where it is bad news. The heading is left out where the
 * focus went to it: it has been read already.
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

/** Says a text through one of the page's two live regions. */
export function say(text: string, region: 'say' | 'warn' = 'say'): void {
  byId(region === 'say' ? 'warn' : 'say').textContent = ''
  byId(region).textContent = text
}

/** What the server says of the panel that is in the page now. */
export const pageData = {
  panel: (): HTMLElement => byId('panel'),
  /** Names the receipt among all of this browser's. */
  receipt: (): string => byId('panel').dataset.receipt ?? '',
  /** The receipt and the merchant, as the API names them. */
  names: (): { readonly recipient: string; readonly receiptId: string } => {
    const name = pageData.receipt()
    const at = name.indexOf('/')
    return { recipient: name.slice(0, at), receiptId: name.slice(at + 1) }
  },
  /** The offer, where the panel can be paid. */
  offer: (): IslandOffer | undefined => readOffer(byId('panel')),
}

/** The offer that a panel carries. */
export function readOffer(panel: HTMLElement): IslandOffer | undefined {
  const text = panel.dataset.offer
  return text ? (JSON.parse(text) as IslandOffer) : undefined
}

/** What a checkout tells of itself; none of it changes a receipt's status. */
type Told =
  | 'link_opened'
  | 'buyer_logged_in'
  | 'checkout_initialized'
  | 'onramp_session_opened'
  | 'onramp_returned'
  | 'error'

const told = new Set<Told>()

/** Tells the merchant how far the buyer came: each value once in the life of a page, and without waiting. */
export function tell(value: Told): void {
  const { receiptId, recipient } = pageData.names()
  if (told.has(value) || !receiptId) return
  told.add(value)
  const body = new Blob([JSON.stringify({ receiptId, wallet: recipient, status: value })], {
    type: 'application/json',
  })
  navigator.sendBeacon?.('/api/receipts/status', body)
}
