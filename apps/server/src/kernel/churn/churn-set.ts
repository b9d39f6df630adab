import { ChurnMap } from './churn-map.ts'

/** A `Set` whose items come and go all the time ({@link ChurnMap}). */
export class ChurnSet<Item> {
  readonly #kept = new ChurnMap<Item, Item>()

  get size(): number {
    return this.#kept.size
  }

  add(item: Item): void {
    this.#kept.set(item, item)
  }

  delete(item: Item): boolean {
    return this.#kept.delete(item)
  }

  /** As it is now, from the oldest on: what goes meanwhile is in it still. */
  items(): Item[] {
    return this.#kept.entries().map(([item]) => item)
  }
}
