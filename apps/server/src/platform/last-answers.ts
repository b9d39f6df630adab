import { BoundedMap } from './bounded-map.ts'

const megabyte = 1024 * 1024

/** What all of them may take, and what one owner's may. */
export const defaultRoom = { bytes: 64 * megabyte, ownerBytes: 4 * megabyte }

/**
 * The last answers this process gave, for reads that may be answered from memory while the datastore is away.
 *
 * They are kept as texts, which take two bytes a character at most. The least recently used go first, an owner's own
 * before any of somebody else's: who asks for much pushes out nobody.
 */
export class LastAnswers {
  readonly #owners: BoundedMap<BoundedMap<string>>
  readonly #ownerBytes: number

  constructor(room = defaultRoom) {
    this.#ownerBytes = room.ownerBytes
    this.#owners = new BoundedMap(room.bytes, (answers) => answers.bytes)
  }

  /** What they take together. */
  get bytes(): number {
    return this.#owners.bytes
  }

  /** @param answer - JSON, the text that is sent. */
  remember(owner: string, key: string, answer: string): void {
    const answers =
      this.#owners.peek(owner) ?? new BoundedMap<string>(this.#ownerBytes, (kept) => 2 * kept.length)
    answers.set(key, answer)
    this.#owners.set(owner, answers)
  }

  find(owner: string, key: string): string | undefined {
    return this.#owners.get(owner)?.get(key)
  }
}
