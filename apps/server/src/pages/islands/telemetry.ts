import { pageData } from './page-data.ts'

/** What a checkout tells of itself; none of it changes a receipt's status. */
export type Told =
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
