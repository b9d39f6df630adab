import { BoundedMap } from './bounded-map.ts'
import { ownBytes } from './own-bytes.ts'

const megabyte = 1024 * 1024

/** What all of them may take, and what one owner's may. */
export const defaultRoom = { bytes: 64 * megabyte, ownerBytes: 4 * megabyte }

/**
 * The last answers this process gave, for reads that may be answered from memory while the datastore is away.
 *
 * They are kept as they were sent, so that what they take is what they are long. The least recently used go
 * first, an owner's own before any of somebody else's: who asks for much pushes out nobody.
 */
export class LastAnswers {
  readonly #owners: BoundedMap<BoundedMap<Buffer>>
  readonly #ownerBytes: number

  constructor(room = defaultRoom) {
    this.#ownerBytes = room.ownerBytes
    this.#owners = new BoundedMap(room.bytes, (answers) => answers.bytes)
  }

  /** What they take together. */
  get bytes(): number {
    return this.#owners.bytes
  }

  /** @param answer - JSON, the bytes that are sent. */
  remember(owner: string, key: string, answer: Buffer): void {
    const answers =
      this.#owners.peek(owner) ?? new BoundedMap<Buffer>(this.#ownerBytes, (kept) => kept.byteLength)
    answers.set(key, ownBytes(answer))
    this.#owners.set(owner, answers)
  }

  find(owner: string, key: string): string | undefined {
    return this.#owners.get(owner)?.get(key)?.toString()
  }
}
