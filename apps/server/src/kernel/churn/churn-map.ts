/** So few deletions are not worth a new map. */
const leastDeleted = 64

/**
 * A `Map` whose entries come and go all the time: as one, but made anew when as many have gone as there are.
 *
 * V8 keeps a map's entries in a table, and links each table that was outgrown or is full of holes to the one after it, for
 * iterators that stand in it. An iterator that is kept holds all tables since; and where one table was old when it was left, so many
 * that came after it count as held, with what stood in them, until old data is collected.
 */
export class ChurnMap<Key, Value> {
  #map = new Map<Key, Value>()
  #deletedCount = 0
  /** Goes from the oldest entry on; what it has passed is gone, so that none looks at a hole twice. */
  #oldest: IterableIterator<[Key, Value]> | undefined

  get size(): number {
    return this.#map.size
  }

  get(key: Key): Value | undefined {
    return this.#map.get(key)
  }

  set(key: Key, value: Value): void {
    this.#map.set(key, value)
  }

  delete(key: Key): boolean {
    const isGone = this.#map.delete(key)
    if (isGone && ++this.#deletedCount >= Math.max(leastDeleted, this.#map.size)) this.#renew(this.#map)
    return isGone
  }

  /** Takes out what has stood in it for longest. */
  shift(): [key: Key, value: Value] | undefined {
    this.#oldest ??= this.#map.entries()
    const { value: entry, done } = this.#oldest.next()
    if (done) this.#oldest = undefined
    else this.delete(entry[0])
    return done ? undefined : entry
  }

  clear(): void {
    this.#renew([])
  }

  /** As it is now, from the oldest on: what goes meanwhile is in it still. */
  entries(): [Key, Value][] {
    return [...this.#map]
  }

  #renew(entries: Iterable<[Key, Value]>): void {
    this.#map = new Map(entries)
    this.#deletedCount = 0
    this.#oldest = undefined
  }
}
