import type { Cents, TokenUnits } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { isErc6492Signature, parseErc6492Signature, recoverAddress } from 'viem'
import type { Chain, Hex } from '../../chain/chain.ts'
import { customerTotalCents, type Receipt, standingOf } from '../../receipts/receipt.ts'
import { type Attempt, isOpen } from '../attempts/attempt.ts'
import { type Authorization, hashAuthorization, type RelayError, type TokenDomain } from './authorization.ts'

/**
 * Minimum remaining validity when the signature is received and when it is sent, because mining takes time.
 */
const leastLeftSeconds = 20n
export const leastLeftToSendSeconds = 6n

const longestValiditySeconds = 3_600n

const clockMarginSeconds = 60n

/**
 * Validates the message against the attempt and the time. Pure.
 *
 * Does not check the signature, the balance or the nonce.
 *
 * @param now - The chain's time.
 */
export function validateMessage(
  { to, validAfter, validBefore }: Authorization,
  payee: Wallet,
  now: UnixMs,
): RelayError | undefined {
  const seconds = BigInt(Math.floor(now / 1000))
  if (to !== payee) return 'recipient_mismatch'
  if (validAfter > seconds) return 'not_yet_valid'
  if (validBefore < seconds + leastLeftSeconds) return 'authorization_expired'
  if (validBefore > seconds + longestValiditySeconds + clockMarginSeconds) return 'validity_too_long'
  return undefined
}

export function evaluateReceipt(
  receipt: Receipt,
  attempt: Attempt | undefined,
  facts: {
    readonly value: bigint
    readonly remaining: (attempt: Attempt) => TokenUnits
    readonly minCents: Cents
    readonly now: UnixMs
  },
): RelayError | undefined {
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
 * Unwraps an ERC-6492 signature, which no contract accepts once the account is deployed.
 *
 * @throws {ChainUnavailable}
 */
export async function unwrapSignature(
  chain: Pick<Chain, 'readCode'>,
  payer: Wallet,
  signature: Hex,
): Promise<{ signature: Hex } | { reason: RelayError }> {
  if (!isErc6492Signature(signature)) return { signature }
  if ((await chain.readCode(payer)) === '0x') return { reason: 'account_not_deployed' }
  try {
    return { signature: parseErc6492Signature(signature).signature }
  } catch {
    return { reason: 'signature_invalid' }
  }
}

/**
 * Verifies the payer's signature. An EOA is checked here, a contract account (ERC-1271) in the simulation.
 *
 * A contract account must be deployed, because the relayer never deploys one.
 *
 * @throws {ChainUnavailable}
 */
export async function validateSignature(
  chain: Pick<Chain, 'readCode'>,
  domain: TokenDomain,
  authorization: Authorization,
  signature: Hex,
): Promise<RelayError | undefined> {
  return validateSigner(chain, hashAuthorization(domain, authorization), authorization.from, signature)
}

export async function validateSigner(
  chain: Pick<Chain, 'readCode'>,
  hash: Hex,
  payer: Wallet,
  signature: Hex,
): Promise<RelayError | undefined> {
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
