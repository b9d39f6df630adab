import { claimLimits } from '@sluice/protocol/api/claims.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { invalidInput } from '../../kernel/refusal.ts'
import { faultOfLine, faultOfLines } from '../../kernel/text/merchant-text.ts'

/** What somebody writes about a payment, checked. */
export type ClaimWords = { readonly contact: string | undefined; readonly note: string | undefined }

/**
 * An address that money can be returned to.
 *
 * One in mixed case carries a checksum, and one in which that is wrong is mistyped: money sent there would be lost.
 *
 * @param taken - Addresses that are no wallet of the buyer's: tokens, and what the payment itself went to.
 * @throws {Refusal} `invalid_input`.
 */
export function parseRefundAddress(sent: string, taken: readonly string[]): Wallet {
  const text = sent.trim()
  const address = parseWallet(text)
  const refuse = (message: string) => invalidInput({ path: 'refundAddress', message })
  if (!address || /^0x0{40}$/.test(text)) throw refuse('must be 0x followed by 40 hexadecimal digits')
  const hasChecksum = /[a-f]/.test(text) && /[A-F]/.test(text.slice(2))
  if (hasChecksum && text !== address) throw refuse('is mistyped: its checksum is wrong')
  if (taken.some((each) => each.toLowerCase() === address.toLowerCase()))
    throw refuse('must be a wallet of your own, not the address of a token or of this payment')
  return address
}

/**
 * Contact and note, without the spaces around them; empty is as good as absent.
 *
 * @throws {Refusal} `invalid_input` for what is too long, or has signs that hide or turn text.
 */
export function parseClaimWords(sent: {
  contact?: string | undefined
  note?: string | undefined
}): ClaimWords {
  const contact = sent.contact?.trim() || undefined
  const note = sent.note?.replace(/\r\n?/g, '\n').trim() || undefined
  refuseText('contact', contact, claimLimits.contact, faultOfLine)
  refuseText('note', note, claimLimits.note, faultOfLines)
  return { contact, note }
}

function refuseText(
  path: string,
  text: string | undefined,
  maxLength: number,
  faultOf: (text: string) => string | undefined,
): void {
  if (text === undefined) return
  const fault = text.length > maxLength ? `must be at most ${maxLength} characters` : faultOf(text)
  if (fault) throw invalidInput({ path, message: fault })
}
