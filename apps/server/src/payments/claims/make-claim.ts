import { claimLimits } from '@sluice/protocol/api/claims.ts'
import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import { ApiError, invalidInput } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { makeCaseId } from '../../kernel/generate-id.ts'
import type { Random } from '../../kernel/random.ts'
import { errorOfLine, errorOfLines } from '../../kernel/text/merchant-text.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { lockUnmatched } from '../ledger/unmatched-store.ts'
import type { ClaimChallenge } from './challenge.ts'
import { type Claim, evaluateClaim } from './claim.ts'
import {
  type FindClaimableNeeds,
  findClaimableRow,
  keepUnlisted,
  listShownUnlisted,
} from './find-claimable.ts'
import { type ClaimableRow, insertClaim, listClaims, replaceClaim } from './store.ts'

export type MakeClaimNeeds = FindClaimableNeeds & {
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
}

type ClaimInput = ClaimWords & {
  readonly transactionHash: string
  readonly logIndex: number
  readonly proven: ClaimChallenge | undefined
  readonly refundAddress: string | undefined
  readonly host: string | undefined
  /** The client's network address. Only a keyed hash is stored. */
  readonly address: string
}

/**
 * Records a claim of an unmatched payment. No money moves: the merchant decides.
 *
 * @returns the case id.
 * @throws {ApiError} `not_found` if no such payment can be claimed, or if another wallet signed;
 * `invalid_input` for invalid fields, and if the payment has too many unproven claims.
 */
export async function makeClaim(
  needs: MakeClaimNeeds,
  input: ClaimInput,
): Promise<{ id: string; merchant: Wallet }> {
  const found = (await findClaimableRow(needs, input)) ?? (await takeUnlisted(needs, input))
  if (!found || (input.proven && input.proven.wallet !== found.payer)) throw notFound()
  const { merchant, id: unmatchedId } = found
  const words = readWords(needs, input, found.source)
  const origin = input.proven
    ? undefined
    : needs.secrets.mac('claim origin', `${merchant}\n${unmatchedId}\n${input.address}`).slice(0, 32)
  return needs.db.transaction(async (tx) => {
    const payment = await lockUnmatched(tx, merchant, unmatchedId)
    if (payment?.state !== 'open' && payment?.state !== 'kept') throw notFound()
    const said = { ...words, wallet: input.proven?.wallet, origin }
    const verdict = evaluateClaim(await listClaims(tx, merchant, unmatchedId), said)
    if (verdict.kind === 'full')
      throw invalidInput({
        path: '',
        message: 'This payment has already been claimed several times; contact the merchant you paid',
      })
    if (verdict.kind === 'known') return { id: verdict.id, merchant }
    const id = verdict.kind === 'instead' ? verdict.id : makeCaseId(needs.random)
    const claim: Claim = { ...said, merchant, unmatchedId, id, madeAt: needs.clock.now() }
    await (verdict.kind === 'instead' ? replaceClaim(tx, claim) : insertClaim(tx, claim))
    return { id, merchant }
  })
}

async function takeUnlisted(
  needs: MakeClaimNeeds,
  { transactionHash, logIndex, host }: ClaimInput,
): Promise<ClaimableRow | undefined> {
  const logs = await listShownUnlisted(needs, transactionHash, host)
  const log = logs.find((each) => each.logIndex === logIndex)
  if (!log) return undefined
  await keepUnlisted(needs, needs.chain.id, log)
  return findClaimableRow(needs, { transactionHash, logIndex, host })
}

function readWords(needs: MakeClaimNeeds, input: ClaimInput, source: string | undefined) {
  const { proven, contact, note } = input
  const taken = [...needs.chain.tokens.map(({ address }) => address), ...(source ? [source] : [])]
  if (proven) return { refundAddress: parseRefundAddress(proven.refundAddress, taken), contact, note }
  const issues = [
    ...(input.refundAddress ? [] : [{ path: 'refundAddress', message: 'is required without proof' }]),
    ...(contact ? [] : [{ path: 'contact', message: 'is required without proof' }]),
  ]
  if (issues.length > 0) throw invalidInput(...issues)
  return { refundAddress: parseRefundAddress(input.refundAddress ?? '', taken), contact, note }
}

function notFound(): ApiError {
  return new ApiError('not_found', 'This transaction contains no payment to claim')
}

type ClaimWords = { readonly contact: string | undefined; readonly note: string | undefined }

/**
 * Parses a refund address. A mixed-case address with a wrong checksum is rejected, because money sent there
 * would be lost.
 *
 * @param taken - Addresses that cannot be the buyer's wallet: tokens, and the recipient of the payment.
 * @throws {ApiError} `invalid_input`.
 */
export function parseRefundAddress(sent: string, taken: readonly string[]): Wallet {
  const text = sent.trim()
  const address = parseWallet(text)
  const refuse = (message: string) => invalidInput({ path: 'refundAddress', message })
  if (!address || /^0x0{40}$/.test(text)) throw refuse('must be 0x followed by 40 hexadecimal digits')
  const hasChecksum = /[a-f]/.test(text) && /[A-F]/.test(text.slice(2))
  if (hasChecksum && text !== address) throw refuse('has a wrong checksum; a character may be mistyped')
  if (taken.some((each) => each.toLowerCase() === address.toLowerCase()))
    throw refuse('must be your own wallet, not the address of a token or of this payment')
  return address
}

/**
 * Trims contact and note. An empty text becomes `undefined`.
 *
 * @throws {ApiError} `invalid_input` if a text is too long or contains characters that hide or reverse text.
 */
export function parseClaimWords(sent: {
  contact?: string | undefined
  note?: string | undefined
}): ClaimWords {
  const contact = sent.contact?.trim() || undefined
  const note = sent.note?.replace(/\r\n?/g, '\n').trim() || undefined
  refuseText('contact', contact, claimLimits.contact, errorOfLine)
  refuseText('note', note, claimLimits.note, errorOfLines)
  return { contact, note }
}

function refuseText(
  path: string,
  text: string | undefined,
  maxLength: number,
  errorOf: (text: string) => string | undefined,
): void {
  if (text === undefined) return
  const error = text.length > maxLength ? `must be at most ${maxLength} characters` : errorOf(text)
  if (error) throw invalidInput({ path, message: error })
}
