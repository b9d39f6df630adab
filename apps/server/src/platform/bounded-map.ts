/**
 * Map with a byte limit that evicts the least recently used entries.
 *
 * All data that callers can grow is kept in such a map, so that requests cannot exhaust the memory.
 */
export class BoundedMap<Value> {
  readonly #kept = new Map<string, { value: Value; bytes: number }>()
  readonly #maxBytes: number
  readonly #bytesOf: (value: Value) => number
  #bytes = 0

  /** @param bytesOf - Returns the size of a value, excluding its key and the overhead of the entry. */
  constructor(maxBytes: number, bytesOf: (value: Value) => number) {
    this.#maxBytes = maxBytes
    this.#bytesOf = bytesOf
  }

  get bytes(): number {
    return this.#bytes
  }

  get size(): number {
    return this.#kept.size
  }

  get(key: string): Value | undefined {
    const found = this.#kept.get(key)
    if (!found) return undefined
    this.#kept.delete(key)
    this.#kept.set(key, found)
    return found.value
  }

  peek(key: string): Value | undefined {
    return this.#kept.get(key)?.value
  }

  /** Replaces a value. A value larger than the whole map is not kept. */
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

  values(): Value[] {
    return Array.from(this.#kept.values(), ({ value }) => value)
  }

  delete(key: string): void {
    const found = this.#kept.get(key)
    if (!found) return
    this.#bytes -= found.bytes
    this.#kept.delete(key)
  }

  deleteWhere(isGone: (value: Value) => boolean): void {
    for (const [key, { value }] of this.#kept) if (isGone(value)) this.delete(key)
  }

  clear(): void {
    this.#kept.clear()
    this.#bytes = 0
  }
}

/** Estimated overhead of an entry in V8, in bytes. */
const entryBytes = 200
