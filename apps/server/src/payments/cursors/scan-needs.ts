import type { Chain } from '../../chain/chain.ts'
import { ChainUnavailable } from '../../chain/chain-time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RoundOutcome } from '../../platform/jobs/ticker.ts'
import type { Log } from '../../platform/log.ts'
import type { StateLog } from '../../platform/state-log.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import type { FinalityPolicy } from './finality.ts'

export type ScanNeeds = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly log: Log
  readonly chain: Chain
  readonly rates: RateBook
  readonly policy: FinalityPolicy
  readonly states?: StateLog
}

/** Thrown if another process has already done this round's work. This process then commits nothing. */
export class OvertakenError extends Error {
  constructor() {
    super('another watcher has moved the cursor')
    this.name = 'OvertakenError'
  }
}

/** Runs a watcher's round. If another process was faster, repeats the round. Logs a chain outage once. */
export async function runScan(
  states: StateLog,
  round: () => Promise<RoundOutcome>,
  { onAway }: { onAway?: () => void } = {},
): Promise<RoundOutcome> {
  try {
    const outcome = await round()
    states.end('chain', 'the chain can be read again')
    return outcome
  } catch (error) {
    if (error instanceof OvertakenError) return 'again'
    if (!(error instanceof ChainUnavailable)) throw error
    onAway?.()
    states.say('chain', 'away', 'warn', { err: error }, 'the chain cannot be read; retrying')
    return 'done'
  }
}
