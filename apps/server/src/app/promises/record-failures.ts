import type { Clock } from '../../kernel/clock.ts'
import { isItemFault } from '../../platform/jobs/item-fault.ts'
import type { SpoolRecord } from '../../platform/spool/spool.ts'

/**
 * A promise that fails of itself is given up when it has done so in this many hours: time to mend a release that
 * breaks it. Hours are counted one by one, so that a clock that is set ahead gives nothing up.
 */
const hoursPerRecord = 24
const hourMs = 3_600_000

/** In how many hours records that still wait have failed: the first of their subjects alone. */
export class RecordFailures {
  readonly #clock: Pick<Clock, 'now'>
  readonly #failures = new Map<string, { readonly hours: number; readonly at: number }>()

  constructor({ clock }: { clock: Pick<Clock, 'now'> }) {
    this.#clock = clock
  }

  /** Takes note that a record has failed of itself. */
  note({ id }: SpoolRecord): void {
    const at = this.#clock.now()
    const last = this.#failures.get(id)
    if (last && Math.abs(at - last.at) < hourMs) return
    this.#failures.set(id, { hours: (last?.hours ?? 0) + 1, at })
  }

  /** Whether a record is to be given up. */
  isHopeless({ id }: SpoolRecord): boolean {
    return (this.#failures.get(id)?.hours ?? 0) >= hoursPerRecord
  }

  /** A record waits no more. */
  forget({ id }: SpoolRecord): void {
    this.#failures.delete(id)
  }
}

/** Whether a record failed of itself. What the database or the network is short of passes, however long it takes. */
export function isOfRecord(error: unknown): boolean {
  return isItemFault(error) && !('syscall' in (error as Error))
}
