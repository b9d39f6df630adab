import { fileURLToPath } from 'node:url'
import type { Clock } from '../kernel/clock.ts'
import { ChildWorker } from '../platform/process/child-worker.ts'
import type { EncodeReply, EncodeRequest } from './encode-child.ts'
import { type ImageKind, type ImageOutcome, imageLimits } from './image.ts'

const program = {
  file: fileURLToPath(new URL('./encode-child.ts', import.meta.url)),
  memoryMb: 96,
  timeoutMs: imageLimits.encodeMs,
}

/** Re-encodes images in a child process, one at a time. */
export class ImageEncoder {
  readonly #worker: ChildWorker<EncodeRequest, EncodeReply>

  constructor(needs: { clock: Clock }) {
    this.#worker = new ChildWorker(needs, program)
  }

  async encode(bytes: Uint8Array, kind: ImageKind): Promise<ImageOutcome> {
    const reply = await this.#worker.run({ bytes, kind })
    if (!reply) return { kind: 'error', error: this.#isClosed ? 'busy' : 'not-an-image' }
    if ('error' in reply) return { kind: 'error', error: reply.error }
    return { kind: 'image', image: reply.image }
  }

  close(): void {
    this.#isClosed = true
    this.#worker.close()
  }

  #isClosed = false
}
