import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Clock, isAhead } from '../../kernel/clock.ts'
import { isDiskFull } from './degraded.ts'

/** Jobs write every few seconds: a disk that has room again is believed to have it after this long. */
const fullForMs = 60_000

/** What this process has met of a database that answers and takes no writes. */
export class RefusedWrites {
  readonly #clock: Pick<Clock, 'now'>
  #fullUntil: UnixMs | undefined

  constructor(clock: Pick<Clock, 'now'>) {
    this.#clock = clock
  }

  /** Takes note of what befell a statement. */
  note(error: unknown): void {
    if (isDiskFull(error)) this.#fullUntil = addMs(this.#clock.now(), fullForMs)
  }

  /** Whether a write found no room on a disk in the last minute. */
  isDiskFull(): boolean {
    return this.#fullUntil !== undefined && isAhead(this.#fullUntil, this.#clock.now(), fullForMs)
  }
}
