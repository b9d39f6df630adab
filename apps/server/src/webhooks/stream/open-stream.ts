import { Readable } from 'node:stream'
import type { EventView } from '@sluice/protocol/api/events.ts'
import { webhookKindOf } from '@sluice/protocol/api/webhook-body.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { KnownCaller } from '../../access/caller.ts'

/** What may wait for a reader who takes nothing, in bytes, before he is told no more; a single event comes on top. */
const maxWaitingBytes = 256 * 1024
/** How long he may leave it waiting. */
const maxStallMs = 30_000

/** The stream of one client: what it was told last, and what of it waits to be taken. */
export class OpenStream {
  readonly caller: KnownCaller
  readonly body: Readable
  /** The number of the last event that was written; `undefined` until it is known where to begin. */
  position: bigint | undefined
  isToldDegraded = false
  #beatAt: number
  #isEnded = false
  #stalledSince: number | undefined

  constructor(caller: KnownCaller, position: bigint | undefined, now: UnixMs) {
    this.caller = caller
    this.position = position
    this.#beatAt = now
    this.body = new Readable({ read() {} })
    // Where proxies wait for a first piece of a certain size, this is it; and clients come back after three seconds.
    this.body.push(`: ${' '.repeat(2_048)}\nretry: 3000\n\n`)
  }

  /** Whether anything more can be written; of one that has ended nothing is. */
  get hasRoom(): boolean {
    return !this.#isEnded && this.body.readableLength < maxWaitingBytes
  }

  get isOver(): boolean {
    return this.body.destroyed || this.body.readableEnded
  }

  /** Says where the stream begins: who loses his connection before the first event comes back with this number. */
  begin(position: bigint): void {
    this.position = position
    if (this.#isEnded) return
    this.body.push(`id: ${position}\nevent: ready\ndata: {}\n\n`)
  }

  /** Writes the events that were not written yet, in order, as far as there is room. */
  write(events: readonly EventView[]): void {
    for (const event of events) {
      if (!this.hasRoom) return
      if (BigInt(event.number) <= (this.position ?? 0n)) continue
      this.position = BigInt(event.number)
      const kind = webhookKindOf(event.idempotencyKey)
      this.body.push(`id: ${event.number}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`)
    }
  }

  /** Says that the datastore is away, or back; once each. */
  tellDegraded(isDegraded: boolean): void {
    if (this.#isEnded || this.isToldDegraded === isDegraded) return
    this.isToldDegraded = isDegraded
    const data = isDegraded ? '{"degraded":true,"reason":"datastore_unavailable"}' : '{}'
    this.body.push(`event: ${isDegraded ? 'degraded' : 'recovered'}\ndata: ${data}\n\n`)
  }

  /** A sign of life every `everyMs`, so that no proxy takes the connection for dead; who takes nothing is cut off. */
  beat(now: number, everyMs: number): void {
    this.#stalledSince = this.hasRoom ? undefined : (this.#stalledSince ?? now)
    if (this.#stalledSince !== undefined && Math.abs(now - this.#stalledSince) >= maxStallMs)
      this.body.destroy()
    else if (this.hasRoom && Math.abs(now - this.#beatAt) >= everyMs) {
      this.#beatAt = now
      this.body.push(': beat\n\n')
    }
  }

  /** The end: of the session or key, or of this process, whose clients come back to another. */
  end(reason?: 'unauthorized'): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (reason) this.body.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
    this.body.push(null)
  }
}
