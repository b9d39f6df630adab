declare const unit: unique symbol

/** A receipt's id, the caller's or one of ours; unique within its merchant. */
export type ReceiptId = string & { readonly [unit]: 'ReceiptId' }

/** Letters, digits, punctuation and symbols of any script; marks behind them. No spaces, no invisible signs. */
const form = /^[\p{L}\p{N}\p{P}\p{S}][\p{L}\p{M}\p{N}\p{P}\p{S}]{0,127}$/u
/** Words of the API's paths, and what a path would lose: no percent-encoding keeps a dot. */
const taken = new Set(['status', 'refund', 'terminal', 'summary', 'export', '.', '..'])
/** What an id has to be, as an answer says it. */
export const receiptIdText = `must be 1 to 128 visible characters without spaces, and none of ${[...taken].join(' ')}`
const made = /^R-[0-9A-HJKMNP-TV-Z]{26}$/

/** The id `value` is, or `undefined` where it has not the form of one or is a word of the API's paths. */
export function parseReceiptId(value: unknown): ReceiptId | undefined {
  return typeof value === 'string' && form.test(value) && !taken.has(value) ? (value as ReceiptId) : undefined
}

/** Has the form of the ids Sluice makes itself. Such ids are unique over all merchants. */
export function isMadeReceiptId(id: string): boolean {
  return made.test(id)
}
