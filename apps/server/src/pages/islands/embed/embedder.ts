import type { EmbedMessage } from './embed-message.ts'

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
