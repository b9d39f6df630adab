import type { IslandOffer } from '../live/island-data.ts'
import { byId } from './stage.ts'

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
