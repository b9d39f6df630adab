import { Refusal } from '../../kernel/refusal.ts'
import type { Gate } from './gate.ts'

/** What knows our own pages. */
export type OwnHostNeeds = {
  readonly gate: Pick<Gate, 'isOwnOrigin'>
  readonly site: { readonly baseUrl: string }
}

/**
 * The host of the page that asks for something to be signed, so that a signature made for another site is good for
 * nothing here; ours, where a program asks.
 *
 * @param what - What is accepted from our own pages only, as the refusal calls it.
 * @throws {Refusal} `forbidden` for a page of another site.
 */
export function ownHost({ gate, site }: OwnHostNeeds, origin: string | undefined, what: string): string {
  if (origin === undefined) return new URL(site.baseUrl).host
  if (gate.isOwnOrigin(origin)) return new URL(origin).host
  throw new Refusal(
    'forbidden',
    `${what} are accepted from pages of this service only (check the Origin header)`,
  )
}
