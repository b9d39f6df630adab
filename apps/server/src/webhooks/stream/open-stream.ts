import { Readable } from 'node:stream'
import type { EventView } from '@sluice/protocol/api/events.ts'
import { webhookKindOf } from '@sluice/protocol/api/webhook-body.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { KnownCaller } from '../../access/caller.ts'

/** Maximum number of unread bytes in a stream. A single event can exceed this limit. */
const maxWaitingBytes = 256 * 1024
const maxStallMs = 30_000

export class OpenStream {
  readonly caller: KnownCaller
  readonly body: Readable
  position: bigint | undefined
  isDegradedSent = false
  #beatAt: number
  #isEnded = false
  #stalledSince: number | undefined

  constructor(caller: KnownCaller, position: bigint | undefined, now: UnixMs) {
    this.caller = caller
    this.position = position
    this.#beatAt = now
    this.body = new Readable({ read() {} })
    // A comment of 2 KiB exceeds the first-chunk buffer of some proxies. Clients reconnect after three
    // seconds.
    this.body.push(`: ${' '.repeat(2_048)}\nretry: 3000\n\n`)
  }

  get hasRoom(): boolean {
    return !this.#isEnded && this.body.readableLength < maxWaitingBytes
  }

  get isOver(): boolean {
    return this.body.destroyed || this.body.readableEnded
  }

  /** Sends the start position, so that a client can resume from there even before the first event. */
  begin(position: bigint): void {
    this.position = position
    if (this.#isEnded) return
    this.body.push(`id: ${position}\nevent: ready\ndata: {}\n\n`)
  }

  write(events: readonly EventView[]): void {
    for (const event of events) {
      if (!this.hasRoom) return
      if (BigInt(event.number) <= (this.position ?? 0n)) continue
      this.position = BigInt(event.number)
      const kind = webhookKindOf(event.idempotencyKey)
      this.body.push(`id: ${event.number}\nevent: ${kind}\ndata: ${JSON.stringify(event)}\n\n`)
    }
  }

  sendDegraded(isDegraded: boolean): void {
    if (this.#isEnded || this.isDegradedSent === isDegraded) return
    this.isDegradedSent = isDegraded
    const data = isDegraded ? '{"degraded":true,"reason":"datastore_unavailable"}' : '{}'
    this.body.push(`event: ${isDegraded ? 'degraded' : 'recovered'}\ndata: ${data}\n\n`)
  }

  /**
   * Sends a comment every `everyMs` so that proxies do not close the connection. Destroys stalled streams.
   */
  beat(now: number, everyMs: number): void {
    this.#stalledSince = this.hasRoom ? undefined : (this.#stalledSince ?? now)
    if (this.#stalledSince !== undefined && Math.abs(now - this.#stalledSince) >= maxStallMs)
      this.body.destroy()
    else if (this.hasRoom && Math.abs(now - this.#beatAt) >= everyMs) {
      this.#beatAt = now
      this.body.push(': beat\n\n')
    }
  }

  end(reason?: 'unauthorized'): void {
    if (this.#isEnded) return
    this.#isEnded = true
    if (reason) this.body.push(`event: end\ndata: ${JSON.stringify({ reason })}\n\n`)
    this.body.push(null)
  }
}
