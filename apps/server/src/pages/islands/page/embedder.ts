/** Returns the allowed origin of the embedding page, or `undefined` outside frames. */
export function findEmbedder(): string | undefined {
  if (parent === window) return undefined
  return document.querySelector<HTMLMetaElement>('meta[name=embedder]')?.content
}

/** Posts to the embedding page, restricted to its allowed origin. */
export function notifyEmbedder(message: EmbedMessage): void {
  const origin = findEmbedder()
  if (origin !== undefined) parent.postMessage(message, origin)
}

/** Navigates the whole window, even if this page is in a frame. */
export function leavePage(url: string): void {
  if (findEmbedder() === undefined) location.assign(url)
  else document.dispatchEvent(new CustomEvent('leave', { detail: url }))
}

/** Message to the embedding page. The merchant's server must verify the payment through the API. */
export type EmbedMessage = {
  readonly sluice: 'checkout'
  /**
   * `ready`: loaded. `state`: the payment's state changed. `leave`: navigate to `url`. `close`: close the
   * dialog.
   */
  readonly event: 'ready' | 'state' | 'leave' | 'close'
  readonly receiptId: string
  readonly state: EmbedState
  readonly url?: string
  readonly colours: { readonly ground: string; readonly ink: string }
}

export type EmbedState = 'open' | 'pending' | 'paid' | 'failed' | 'closed'
