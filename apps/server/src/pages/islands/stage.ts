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

/** Shows a step of a wallet payment in place of the panel, moves the focus to it and says it. */
export function showStep(name: string, slots: Slots = {}): void {
  const template = document.querySelector<HTMLTemplateElement>(`template[data-step=${name}]`)
  if (!template) return
  const stage = byId('stage')
  home ??= [...stage.childNodes]
  current = name
  stage.replaceChildren(fill(template, slots))
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
  if (!home) return
  byId('stage').replaceChildren(...home)
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
