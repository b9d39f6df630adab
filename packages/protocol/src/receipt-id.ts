declare const unit: unique symbol

/** A receipt's id, the caller's or one of ours; unique within its merchant. */
export type ReceiptId = string & { readonly [unit]: 'ReceiptId' }

const form = /^[A-Za-z0-9][A-Za-z0-9._:~-]{0,127}$/
const taken = new Set(['status', 'refund', 'terminal'])
const made = /^R-[0-9A-HJKMNP-TV-Z]{26}$/

/** The id `value` is, or `undefined` where it has not the form of one or is a word of the API's paths. */
export function parseReceiptId(value: unknown): ReceiptId | undefined {
  return typeof value === 'string' && form.test(value) && !taken.has(value) ? (value as ReceiptId) : undefined
}

/** Has the form of the ids Sluice makes itself. Such ids are unique over all merchants. */
export function isMadeReceiptId(id: string): boolean {
  return made.test(id)
}
