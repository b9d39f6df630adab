import { ChainUnavailable } from '../../chain/chain-unavailable.ts'
import type { RoundOutcome } from '../../platform/jobs/ticker.ts'
import type { StateLog } from '../../platform/state-log.ts'
import { OvertakenError } from './scan-needs.ts'

/**
 * Runs a watcher's round. One that another process was quicker at is begun anew; while the chain cannot be
 * reached the watcher waits, which is said once.
 */
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
    states.say('chain', 'away', 'warn', { err: error }, 'the chain cannot be read; it will be retried')
    return 'done'
  }
}
