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

/** Re-encodes pictures, one at a time, in a child process. */
export class ImageEncoder {
  readonly #worker: ChildWorker<EncodeRequest, EncodeReply>

  constructor(needs: { clock: Clock }) {
    this.#worker = new ChildWorker(needs, program)
  }

  /** Returns the picture in the widths of its kind, or why there is none. */
  async encode(bytes: Uint8Array, kind: ImageKind): Promise<ImageOutcome> {
    const reply = await this.#worker.run({ bytes, kind })
    if (!reply) return { kind: 'fault', fault: this.#isClosed ? 'busy' : 'not-an-image' }
    if ('fault' in reply) return { kind: 'fault', fault: reply.fault }
    return { kind: 'image', image: reply.image }
  }

  /** Ends the process. Pictures that it works on end with a fault. */
  close(): void {
    this.#isClosed = true
    this.#worker.close()
  }

  #isClosed = false
}
