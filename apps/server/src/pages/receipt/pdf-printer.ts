import { createHash } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import { serialize } from 'node:v8'
import type { Clock } from '../../kernel/clock.ts'
import { Refusal } from '../../kernel/refusal.ts'
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
 * Draws receipts as PDFs in a child process, one at a time, in rotation among merchants. The same receipt in the same
 * language is drawn once and then cached.
 */
export class PdfPrinter {
  readonly #worker: ChildWorker<PdfRequest, PdfReply>
  readonly #slots = new FairSlots(slots)
  readonly #cache = new BoundedMap<Buffer>(cacheBytes, (pdf) => pdf.length)

  constructor(needs: { readonly clock: Clock }) {
    this.#worker = new ChildWorker(needs, program)
  }

  /**
   * @param isGone - Returns true when the client has left: a receipt that still waits is then not drawn.
   * @throws {Refusal} `rate_limited` if too many receipts wait.
   */
  async print(request: PdfRequest, isGone: () => boolean): Promise<Buffer> {
    const key = createHash('sha256').update(serialize(request)).digest('base64')
    const draw = async () => this.#cache.get(key) ?? this.#draw(key, request)
    const pdf = this.#cache.get(key) ?? (await this.#slots.run(request.view.recipient, draw, isGone))
    if (typeof pdf !== 'string') return pdf
    throw new Refusal('rate_limited', 'Too many receipts wait to be drawn as a PDF; try again later')
  }

  close(): void {
    this.#worker.close()
  }

  async #draw(key: string, request: PdfRequest): Promise<Buffer> {
    const reply = await this.#worker.run(request)
    if (!reply) throw new Error('the process that draws PDFs ended or took too long')
    if ('error' in reply) throw new Error(`a PDF could not be drawn: ${reply.error}`)
    const pdf = Buffer.from(reply.pdf)
    this.#cache.set(key, pdf)
    return pdf
  }
}
