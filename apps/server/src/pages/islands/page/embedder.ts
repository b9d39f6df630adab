/** The origin whose page shows this one in a frame, if the merchant allows it; `undefined` outside of frames. */
export function findEmbedder(): string | undefined {
  if (parent === window) return undefined
  return document.querySelector<HTMLMetaElement>('meta[name=embedder]')?.content
}

/** Tells the page around this one, and no page of another origin. */
export function tellEmbedder(message: EmbedMessage): void {
  const origin = findEmbedder()
  if (origin !== undefined) parent.postMessage(message, origin)
}

/** Takes the buyer to another page: the whole window, also where this page is only a frame in it. */
export function leavePage(url: string): void {
  if (findEmbedder() === undefined) location.assign(url)
  else document.dispatchEvent(new CustomEvent('leave', { detail: url }))
}

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
