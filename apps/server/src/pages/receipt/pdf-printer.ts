import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import { ApiError } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import { FairSlots } from '../../kernel/turns/fair-slots.ts'
import { BoundedMap } from '../../platform/bounded-map.ts'
import { ChildWorker } from '../../platform/process/child-worker.ts'
import type { PdfReply, PdfRequest } from './pdf-child.ts'

const program = {
  file: fileURLToPath(new URL('./pdf-child.ts', import.meta.url)),
  memoryMb: 512,
  timeoutMs: 60_000,
}
const slots = { atOnce: 1, atOnceEach: 1, waiting: 64, waitingEach: 8 } as const
const cacheBytes = 16 * 1024 * 1024

/**
 * Draws receipts as PDFs in a child process, one at a time, with fair scheduling among merchants. Caches by
 * receipt and language.
 */
export class PdfPrinter {
  readonly #worker: ChildWorker<PdfRequest, PdfReply>
  readonly #slots = new FairSlots(slots)
  readonly #cache = new BoundedMap<Buffer>(cacheBytes, (pdf) => pdf.length)

  constructor(needs: { readonly clock: Clock }) {
    this.#worker = new ChildWorker(needs, program)
  }

  /**
   * Runs `work` in the owner's slot. Receipts, which can have 500 lines, are read inside the slot to bound
   * memory usage.
   *
   * @param owner - The requested merchant, or the receipt if no merchant is named.
   * @param isGone - Returns true if the client disconnected: queued work is then skipped.
   * @throws {ApiError} `rate_limited` if the queue is full; also any error from `work`.
   */
  async inTurn<T>(owner: string, work: () => Promise<T>, isGone: () => boolean): Promise<T> {
    const outcome = await this.#slots.run(owner, async () => ({ done: await work() }), isGone)
    if (typeof outcome !== 'string') return outcome.done
    throw new ApiError('rate_limited', 'Too many PDF requests; try again later')
  }

  /** Returns the PDF. Call inside `inTurn`. */
  async draw(request: PdfRequest): Promise<Buffer> {
    const key = createHash('sha256').update(serialize(request)).digest('base64')
    const cached = this.#cache.get(key)
    if (cached) return cached
    const reply = await this.#worker.run(request)
    if (!reply) throw new Error('the PDF process stopped or timed out')
    if ('error' in reply) throw new Error(`the PDF could not be created: ${reply.error}`)
    const pdf = Buffer.from(reply.pdf)
    this.#cache.set(key, pdf)
    return pdf
  }

  close(): void {
    this.#worker.close()
  }
}
