import { BoundedMap } from './bounded-map.ts'

const megabyte = 1024 * 1024

export const defaultRoom = { bytes: 64 * megabyte, ownerBytes: 4 * megabyte }

/**
 * Last responses of this process, for reads from memory while the datastore is unavailable.
 *
 * Stored as text, at most two bytes per character. Evicts the least recently used responses, an owner's own
 * first, so that a heavy caller evicts only its own responses.
 */
export class ResponseCache {
  readonly #owners: BoundedMap<BoundedMap<string>>
  readonly #ownerBytes: number

  constructor(room = defaultRoom) {
    this.#ownerBytes = room.ownerBytes
    this.#owners = new BoundedMap(room.bytes, (responses) => responses.bytes)
  }

  get bytes(): number {
    return this.#owners.bytes
  }

  memoize(owner: string, key: string, response: string): void {
    const responses =
      this.#owners.peek(owner) ?? new BoundedMap<string>(this.#ownerBytes, (kept) => 2 * kept.length)
    responses.set(key, response)
    this.#owners.set(owner, responses)
  }

  find(owner: string, key: string): string | undefined {
    return this.#owners.get(owner)?.get(key)
  }
}
