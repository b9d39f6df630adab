/**
 * A map of at most so many bytes: what was not used for longest goes first, one entry for each that comes.
 *
 * Whatever callers can make grow is kept in one of these, so that no number of requests can take the memory.
 */
export class BoundedMap<Value> {
  readonly #kept = new Map<string, { value: Value; bytes: number }>()
  readonly #maxBytes: number
  readonly #bytesOf: (value: Value) => number
  #bytes = 0

  /** @param bytesOf - What a value takes; its key and the entry itself are counted beside it. */
  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes
    this.#bytesOf = bytesOf
  }

  /** What its entries take together, never more than it was made for. */
  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#kept.size
  }

  /** The value, which counts as used. */
  get(key: string): Value | undefined {
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value
  }

  /** The value, without a use of it. */
  peek(key: string): Value | undefined {
    return this.#kept.get(key)?.value
  }

  /** Keeps a value in place of what was there; one that is too large for the whole map is not kept. */
  set(key: string, value: Value): void {
    this.delete(key)
    const bytes = this.#bytesOf(value) + 2 * key.length + entryBytes
    if (bytes > this.#maxBytes) return
    this.#kept.set(key, { value, bytes })
    this.#bytes += bytes
    for (const oldest of this.#kept.keys()) {
      if (this.#bytes <= this.#maxBytes) return
      this.delete(oldest)
    }
  }

  /** All values, none of which counts as used. */
  values(): Value[] {
    return Array.from(this.#kept.values(), ({ value }) => value)
  }

  delete(key: string): void {
    const found = this.#kept.get(key)
    if (!found) return
    this.#bytes -= found.bytes
    this.#kept.delete(key)
  }

  /** Lets go of the values of which `isGone` says so: looks at all of them. */
  deleteWhere(isGone: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#kept) if (isGone(value)) this.delete(key)
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }
}

/** The entry, its place in the map and the objects around the value, as V8 keeps them. */
const entryBytes = 200
