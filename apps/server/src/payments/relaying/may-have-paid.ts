import { addMs } from '@sluice/protocol/time.ts'
import type { RelayedPayment } from './authorization.ts'
import { readUsed } from './find-use.ts'
import type { SettleRelayNeeds } from './settle-relays.ts'

/** A permit's nonce may have been used for something else, which leaves no trace: nobody waits for one longer. */
const permitMs = 30_000

/**
 * Whether a signed payment that is not to be sent any more may have been submitted by somebody else since it was looked
 * at: its receipt may be paid by this very signature. A later round then finds what it did.
 *
 * @throws {ChainUnavailable}
 */
export async function mayHavePaid(
  { chain, clock }: Pick<SettleRelayNeeds, 'chain' | 'clock'>,
  relay: RelayedPayment,
): Promise<boolean> {
  const [isUsed] = await readUsed(chain, [relay])
  return isUsed === true && (relay.way !== 'permit' || clock.now() < addMs(relay.createdAt, permitMs))
}
