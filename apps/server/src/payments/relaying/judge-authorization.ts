import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { isErc6492Signature, parseErc6492Signature, recoverAddress } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { customerTotalCents, type Receipt, standingOf } from '../../receipts/receipt.ts'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { type Authorization, hashAuthorization, type RelayFault, type TokenDomain } from './authorization.ts'

/** A signature has to be good for so much longer when it comes, and when it is sent: blocks take their time. */
const leastLeftSeconds = 20n
export const leastLeftToSendSeconds = 6n

/** Nobody signs for longer: what is not submitted in an hour is not meant any more. */
const longestValiditySeconds = 3_600n

/** How far the clocks of buyers may be ahead. */
const clockMarginSeconds = 60n

/**
 * Whether the message itself is what the attempt asks for, and in time. The token judges the signature, the
 * payer's balance and whether the nonce is used. Pure.
 *
 * @param payee - Whom it has to name.
 * @param now - The chain's time.
 */
export function judgeMessage(
  { to, validAfter, validBefore }: Authorization,
  payee: Wallet,
  now: UnixMs,
): RelayFault | undefined {
  const seconds = BigInt(Math.floor(now / 1000))
  if (to !== payee) return 'recipient_mismatch'
  if (validAfter > seconds) return 'not_yet_valid'
  if (validBefore < seconds + leastLeftSeconds) return 'authorization_expired'
  if (validBefore > seconds + longestValiditySeconds + clockMarginSeconds) return 'validity_too_long'
  return undefined
}

/**
 * Whether a receipt takes a signed payment for one of its attempts now. Pure.
 *
 * @param remaining - What of the attempt is still missing.
 */
export function judgeReceipt(
  receipt: Receipt,
  attempt: Attempt | undefined,
  facts: {
    readonly value: bigint
    readonly remaining: (attempt: Attempt) => TokenUnits
    readonly minCents: Cents
    readonly now: UnixMs
  },
): RelayFault | undefined {
  const { now, value, minCents, remaining } = facts
  const standing = standingOf(receipt, now)
  if (standing === 'paid') return 'already_paid'
  if (!attempt) return 'attempt_unknown'
  if (standing !== 'open' || !isOpen(attempt, now) || attempt.totalCents !== customerTotalCents(receipt))
    return 'attempt_closed'
  if (customerTotalCents(receipt) < minCents) return 'amount_too_small'
  const missing = remaining(attempt)
  if (missing === 0n) return 'already_paid'
  return value === missing ? undefined : 'amount_mismatch'
}

/**
 * The signature that the payer's contract and token take. Some wallets always wrap it for an account that may not be
 * deployed (ERC-6492), although no contract takes that once the account is.
 *
 * @returns the reason if the payer is not deployed, or the wrapping has another form.
 * @throws {ChainUnavailable}
 */
export async function unwrapSignature(
  chain: Pick<Chain, 'readCode'>,
  payer: Wallet,
  signature: Hex,
): Promise<{ signature: Hex } | { reason: RelayFault }> {
  if (!isErc6492Signature(signature)) return { signature }
  if ((await chain.readCode(payer)) === '0x') return { reason: 'account_not_deployed' }
  try {
    return { signature: parseErc6492Signature(signature).signature }
  } catch {
    return { reason: 'signature_invalid' }
  }
}

/**
 * Whether a signature can be the payer's. An account with a key of its own is judged here, without the chain; what a
 * contract account signed (ERC-1271) the token itself judges in the simulation. A contract account has to stand: no
 * token creates it, and the relayer calls nothing but tokens.
 *
 * @throws {ChainUnavailable}
 */
export async function judgeSignature(
  chain: Pick<Chain, 'readCode'>,
  domain: TokenDomain,
  authorization: Authorization,
  signature: Hex,
): Promise<RelayFault | undefined> {
  return judgeSigner(chain, hashAuthorization(domain, authorization), authorization.from, signature)
}

/** As {@link judgeSignature}, of what has this hash. */
export async function judgeSigner(
  chain: Pick<Chain, 'readCode'>,
  hash: Hex,
  payer: Wallet,
  signature: Hex,
): Promise<RelayFault | undefined> {
  if ((await recover(hash, signature)) === payer) return undefined
  return (await chain.readCode(payer)) === '0x' ? 'signature_invalid' : undefined
}

async function recover(hash: Hex, signature: Hex): Promise<string | undefined> {
  if (signature.length !== 132) return undefined
  try {
    return await recoverAddress({ hash, signature })
  } catch {
    return undefined
  }
}
