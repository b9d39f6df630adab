const empty = Buffer.alloc(0)

/**
 * The body of an answer as it arrives, in one buffer of at most twice its size: a sender chooses how small his pieces
 * are, and to keep each would cost a hundred times as much.
 */
export class ResponseBody {
  readonly #limit: number
  #buffer = empty
  #size = 0

  /** @param limit - In bytes; what comes beyond it is dropped. */
  constructor(limit: number) {
    this.#limit = limit
  }

  /** Copies what there is room for; whether that was all. */
  append(chunk: Uint8Array): boolean {
    const room = this.#limit - this.#size
    const isWhole = chunk.byteLength <= room
    const size = isWhole ? this.#size + chunk.byteLength : this.#limit
    if (size > this.#buffer.byteLength) this.#grow(size)
    this.#buffer.set(isWhole ? chunk : chunk.subarray(0, room), this.#size)
    this.#size = size
    return isWhole
  }

  /** What has come so far. */
  bytes(): Uint8Array {
    return this.#buffer.subarray(0, this.#size)
  }

  /** An answer that comes in one piece gets just the room it needs. */
  #grow(size: number): void {
    const grown = Buffer.allocUnsafe(Math.min(this.#limit, Math.max(size, 2 * this.#buffer.byteLength)))
    this.#buffer.copy(grown, 0, 0, this.#size)
    this.#buffer = grown
  }
}
