import type { UnixMs } from '@sluice/protocol/time.ts'
import { replay } from '../../access/idempotency/idempotency.ts'
import type { KeyedRequest, PlainAnswer } from '../../access/route.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Outage } from '../../kernel/outage.ts'
import type { Receipt } from '../receipt.ts'
import type { KeyedOutcome } from './insert-keyed-receipts.ts'
import type { ReceiptBatches } from './receipt-batches.ts'

/**
 * Answers a request for a new receipt that has an Idempotency-Key with one statement: the receipt and its answer are
 * stored together, or what was answered before is answered again. `undefined`, and nothing is stored, where neither is
 * so: the id is somebody's already, or the key is being answered in this moment.
 *
 * @throws {Refusal} `idempotency_conflict` where the key stands for another request.
 */
export async function createKeyed(
  needs: { readonly clock: Clock; readonly batches: Pick<ReceiptBatches, 'insertKeyed'> },
  receipt: Receipt,
  request: KeyedRequest,
  answer: PlainAnswer,
): Promise<(PlainAnswer & { readonly isReplay: boolean }) | undefined> {
  const at: UnixMs = needs.clock.now()
  const { isMade, kept } = await needs.batches.insertKeyed({ receipt, request, answer, at }).catch(orNothing)
  if (isMade) return { ...answer, isReplay: false }
  return kept && replay(kept, request)
}

/** Whatever else went wrong is found again, and told, by who does it alone in a transaction. */
function orNothing(error: unknown): KeyedOutcome {
  if (error instanceof Outage) throw error
  return { isMade: false, kept: undefined }
}
