import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Secrets } from '../../platform/secrets.ts'
import type { Receipt } from '../receipt.ts'

const dayMs = 24 * 60 * 60_000
/** How long a link opens a receipt in full: three months, in which people do their books. */
const linkLifeMs = 90 * dayMs

/**
 * What is added to a receipt's address so that it shows the buyer's own data too: when it ends, and a signature over
 * that, the merchant and the receipt, under a key for nothing else. The same all day long.
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

/** Whether a link's signature is this receipt's, and has not ended. What is no signature at all is none. */
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
