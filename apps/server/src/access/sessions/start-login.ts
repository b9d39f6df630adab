import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { bytesToHex } from 'viem'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import { insertChallenge } from './challenge-store.ts'
import { challengeLifeMs, type LoginChallenge } from './login-data.ts'

/** A challenge for a wallet that wants to log in: good once, for five minutes. Anybody may ask for one. */
export async function startLogin(
  needs: { db: Database; clock: Clock; random: Random },
  wallet: Wallet,
  site: { host: string; chainId: number },
): Promise<LoginChallenge> {
  const issuedAt = needs.clock.now()
  const challenge: LoginChallenge = {
    ...site,
    wallet,
    nonce: bytesToHex(needs.random.bytes(32)),
    issuedAt,
    expiresAt: (issuedAt + challengeLifeMs) as UnixMs,
  }
  await insertChallenge(needs.db, challenge)
  return challenge
}
