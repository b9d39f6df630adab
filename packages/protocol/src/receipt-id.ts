declare const unit: unique symbol

/** Receipt id, from the caller or generated. Unique within its merchant. */
export type ReceiptId = string & { readonly [unit]: 'ReceiptId' }

/**
 * Letters, digits, punctuation and symbols of any script, with combining marks. Excludes spaces and invisible
 * characters.
 */
const form = /^[\p{L}\p{N}\p{P}\p{S}][\p{L}\p{M}\p{N}\p{P}\p{S}]{0,127}$/u
/**
 * Reserved ids: path segments of the API, and dot segments, because percent-encoding does not protect dots.
 */
const taken = new Set(['status', 'refund', 'terminal', 'summary', 'export', '.', '..'])
export const receiptIdText = `must be 1 to 128 visible characters without spaces, and none of ${[...taken].join(' ')}`
const made = /^R-[0-9A-HJKMNP-TV-Z]{26}$/

/** Returns `undefined` if the format is invalid or the id is reserved: docs/contract.md#receipts. */
export function parseReceiptId(value: unknown): ReceiptId | undefined {
  return typeof value === 'string' && form.test(value) && !taken.has(value) ? (value as ReceiptId) : undefined
}

/** Returns whether an id has the generated format. Generated ids are unique across merchants. */
export function isMadeReceiptId(id: string): boolean {
  return made.test(id)
}
