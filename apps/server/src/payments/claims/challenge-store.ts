import type { UnixMs } from '@sluice/protocol/time.ts'
import { count, type Parts, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { ClaimChallenge } from './claim-data.ts'

/** Stores a challenge until it is answered; each one that comes takes a few with it that nobody answered in time. */
export async function insertClaimChallenge(
  db: Database,
  challenge: ClaimChallenge,
  endedBefore: UnixMs,
): Promise<void> {
  await db.run(prune({ endedBefore }))
  await db.run(insert({ ...challenge }))
}

/** Uses a challenge up: of two who try it at once one gets it. */
export async function takeClaimChallenge(db: Database, nonce: string): Promise<ClaimChallenge | undefined> {
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
