import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Receipt } from '../receipt.ts'

const dayMs = 24 * 60 * 60_000
/** Lifetime of a private link: three months, long enough for bookkeeping. */
const linkLifeMs = 90 * dayMs

/**
 * Returns the `access` parameter of a private link: its expiry, and a MAC over expiry, merchant and receipt
 * under a purpose-bound key. Constant within a UTC day.
 */
export function signReceiptLink(
  secrets: Secrets,
  receipt: Pick<Receipt, 'merchant' | 'id'>,
  now: UnixMs,
): string {
  const endOfDay = (Math.floor(now / dayMs) + 1) * dayMs
  const end = (addMs(endOfDay as UnixMs, linkLifeMs) / 1_000).toString(36)
  return `${end}.${secrets.mac(purpose, signedText(receipt, end))}`
}

/**
 * Returns whether a signature is valid for this receipt and unexpired. Returns `false` for malformed input.
 */
export function opensReceipt(
  secrets: Secrets,
  receipt: Pick<Receipt, 'merchant' | 'id'>,
  access: string,
  now: UnixMs,
): boolean {
  const [, end, mac] = /^([0-9a-z]{1,10})\.([0-9a-f]{64})$/.exec(access) ?? []
  if (end === undefined || mac === undefined) return false
  return secrets.isMac(purpose, signedText(receipt, end), mac) && now < Number.parseInt(end, 36) * 1_000
}

const purpose = 'receipt link'

function signedText({ merchant, id }: Pick<Receipt, 'merchant' | 'id'>, end: string): string {
  return `${merchant}\n${end}\n${id}`
}
