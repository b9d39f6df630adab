import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex } from 'viem'
import { challengeLifeMs } from '../../access/sessions/login-data.ts'
import type { Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { insertClaimChallenge } from './challenge-store.ts'
import type { ClaimChallenge } from './claim-data.ts'

/** A clock that is a day ahead of another takes nothing that somebody still answers. */
const marginMs = 24 * 60 * 60_000

/**
 * A challenge for a wallet that claims a payment: good once, for five minutes, for this payment, this address and this
 * site alone. Anybody may ask for one, whether there is such a payment or not: it says nothing.
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
