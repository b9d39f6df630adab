import { loginDomain } from '@sluice/protocol/api/auth.ts'
import { type ClaimTypedData, claimTypes } from '@sluice/protocol/api/claims.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex, hashTypedData } from 'viem'
import { checkSignature } from '../../access/sessions/check-signature.ts'
import { challengeLifeMs, domainFields, type LoginChallenge } from '../../access/sessions/login-challenge.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { count, type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'

/**
 * Tolerates a clock that is a day ahead: such a clock must not delete challenges that can still be answered.
 */
const marginMs = 24 * 60 * 60_000

/**
 * Creates a single-use challenge for one payment, refund address and site. Does not check that the payment
 * exists, so that the response reveals nothing.
 */
export async function startClaim(
  needs: { db: Database; clock: Clock; random: Random; chain: { readonly id: number } },
  claim: {
    readonly wallet: Wallet
    readonly txHash: Hex
    readonly logIndex: number
    readonly refundAddress: Wallet
    readonly host: string
  },
): Promise<ClaimChallenge> {
  const issuedAt = needs.clock.now()
  const challenge: ClaimChallenge = {
    ...claim,
    chainId: needs.chain.id,
    nonce: bytesToHex(needs.random.bytes(32)),
    issuedAt,
    expiresAt: (issuedAt + challengeLifeMs) as UnixMs,
  }
  await insertClaimChallenge(needs.db, challenge, (issuedAt - marginMs) as UnixMs)
  return challenge
}

type Proof = { readonly wallet: Wallet; readonly nonce: string; readonly signature: Hex }

type Claimed = { readonly transactionHash: Hex; readonly logIndex: number; readonly host: string }

/**
 * Returns the signed challenge for a payment.
 *
 * The challenge is consumed before validation, so that it allows only one attempt. The signature of a smart
 * account is checked on the chain, and counts only if two endpoints agree.
 *
 * @throws {ApiError} `forbidden` unless the challenge is open, is for this wallet, payment, host and chain,
 * and is signed.
 * @throws {ChainUnavailable} if a smart account cannot be checked.
 */
export async function checkProof(
  needs: { db: Database; clock: Clock; chain: Pick<Chain, 'id' | 'callCode' | 'isCorroborated'> },
  proof: Proof,
  claimed: Claimed,
): Promise<ClaimChallenge> {
  const challenge = await takeClaimChallenge(needs.db, proof.nonce)
  const error = challenge ? errorOf(challenge, needs, proof, claimed) : 'unknown or already used'
  if (!challenge || error) throw refused(`the challenge is ${error}; request a new one`)
  const verdict = await checkSignature(needs, proof.wallet, hashClaim(challenge), proof.signature)
  if (verdict === 'not-asked')
    throw refused(
      'this service has too few RPC endpoints to verify a contract wallet; send contact details instead of a proof',
    )
  if (verdict === 'not-signed') throw refused('the challenge was not signed by this wallet')
  return challenge
}

function errorOf(
  challenge: ClaimChallenge,
  needs: { clock: Clock; chain: Pick<Chain, 'id'> },
  { wallet }: Proof,
  { transactionHash, logIndex, host }: Claimed,
): string | undefined {
  const now = needs.clock.now()
  if (challenge.wallet !== wallet) return "another wallet's"
  if (challenge.txHash !== transactionHash || challenge.logIndex !== logIndex) return "another payment's"
  if (challenge.host !== host) return "another site's"
  if (challenge.chainId !== needs.chain.id) return "another chain's"
  if (now >= challenge.expiresAt) return 'expired'
  return now < challenge.issuedAt ? 'not open yet' : undefined
}

function refused(why: string): ApiError {
  return new ApiError('forbidden', `The claim cannot be proven: ${why}`)
}

const purpose = 'Prove that this wallet sent the payment. This signature moves no money.'

export type ClaimChallenge = LoginChallenge & {
  readonly txHash: Hex
  readonly logIndex: number
  readonly refundAddress: Wallet
}

export function claimTypedDataOf({ txHash: transactionHash, ...rest }: ClaimChallenge): ClaimTypedData {
  return {
    domain: { ...loginDomain },
    types: { EIP712Domain: domainFields, Claim: claimTypes.Claim.map((field) => ({ ...field })) },
    primaryType: 'Claim',
    message: { ...rest, transactionHash, purpose },
  }
}

function hashClaim(challenge: ClaimChallenge): Hex {
  const { wallet, host, chainId, txHash, logIndex, refundAddress, nonce, issuedAt, expiresAt } = challenge
  return hashTypedData({
    domain: loginDomain,
    types: claimTypes,
    primaryType: 'Claim',
    message: {
      wallet,
      host,
      purpose,
      chainId: BigInt(chainId),
      transactionHash: txHash,
      logIndex: BigInt(logIndex),
      refundAddress,
      nonce,
      issuedAt: BigInt(issuedAt),
      expiresAt: BigInt(expiresAt),
    },
  })
}

async function insertClaimChallenge(
  db: Database,
  challenge: ClaimChallenge,
  endedBefore: UnixMs,
): Promise<void> {
  await db.run(prune({ endedBefore }))
  await db.run(insert({ ...challenge }))
}

/** Deletes and returns a challenge. Of concurrent callers, only one gets it. */
async function takeClaimChallenge(db: Database, nonce: string): Promise<ClaimChallenge | undefined> {
  return db.row(take({ nonce }))
}

const insert = statement({
  name: 'insert-claim-challenge',
  text: `INSERT INTO claim_challenge (nonce, wallet, tx_hash, log_index, refund_address, host, chain_id, issued_at,
      expires_at)
    VALUES (:nonce, :wallet, :txHash, :logIndex, :refundAddress, :host, :chainId, :issuedAt, :expiresAt)`,
})

const prune = statement({
  name: 'prune-claim-challenges',
  text: `DELETE FROM claim_challenge WHERE nonce IN (
      SELECT nonce FROM claim_challenge WHERE expires_at < :endedBefore ORDER BY expires_at LIMIT 10)`,
})

const stored: Parts<ClaimChallenge> = {
  nonce: text(),
  wallet: text(),
  txHash: text(),
  logIndex: count(),
  refundAddress: text(),
  host: text(),
  chainId: count(),
  issuedAt: time(),
  expiresAt: time(),
}

const take = statement({
  name: 'take-claim-challenge',
  reads: stored,
  text: `DELETE FROM claim_challenge WHERE nonce = :nonce
    RETURNING nonce, wallet, tx_hash, log_index, refund_address, host, chain_id, issued_at, expires_at`,
})
