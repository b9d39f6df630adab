/** What a checkout in a frame tells the page around it. The merchant's server believes none of it: it asks the API. */
export type EmbedMessage = {
  /** Which messages these are among all that a page may get. */
  readonly sluice: 'checkout'
  /** It is there; it has another state; the buyer is to be taken to `url`; the buyer wants to close it. */
  readonly event: 'ready' | 'state' | 'leave' | 'close'
  readonly receiptId: string
  readonly state: EmbedState
  readonly url?: string
  /** The colours of the page, for what stands around it. */
  readonly colours: { readonly ground: string; readonly ink: string }
}

/** Where the payment is. */
export type EmbedState = 'open' | 'pending' | 'paid' | 'failed' | 'closed'
