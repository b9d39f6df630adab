import { Outage } from '../outage.ts'
import { nextTurn } from './next-turn.ts'

/** How items are done together. */
export type BatchWork<Item, Outcome> = {
  /** The most that one batch takes. */
  readonly most: number
  /** So many batches of a group may be under way; what comes meanwhile waits for the next, the larger for it. */
  readonly atOnce: number
  /**
   * So long at least, and for twice as long as batches took lately, those that wait leave it to one that is under way
   * before another begins beside it: the fewer batches there are, the larger they are, and one that stands still on a
   * lock holds nobody up. Without it they leave it to none.
   */
  readonly patienceMs?: number
  /** Begins without waiting for the end of the turn: with what was asked in the same moment, and not with all of the turn. */
  readonly isPrompt?: boolean
  /** Items of different groups are never in one batch, and wait for each other in nothing; without it all are of one. */
  groupOf?(item: Item): string
  /** Items of one key are never under way at the same time, in one batch or in two; without it any may be. */
  keyOf?(item: Item): string
  /** Does all of them or, where it fails, none: an outcome for each, in their order. */
  together(items: readonly Item[]): Promise<readonly Outcome[]>
  alone(item: Item): Promise<Outcome>
}

type Waiting<Item, Outcome> = {
  readonly item: Item
  readonly resolve: (outcome: Outcome) => void
  readonly reject: (error: unknown) => void
}

type Group<Item, Outcome> = {
  waiting: Waiting<Item, Outcome>[]
  underWay: number
  /** Of the items that are under way. */
  readonly keys: Set<string>
  patience?: NodeJS.Timeout | undefined
}

/** Whatever batches took lately, nobody waits longer for one that stands still. */
const longestPatienceMs = 1_000

/**
 * Work that many callers ask for at the same time and that is cheaper done together: who asks alone waits for nobody,
 * and each gets an outcome of his own. Where a batch fails its items are done one by one, so that an item that cannot
 * be done fails alone; an outage is everybody's.
 */
export class Batches<Item, Outcome> {
  readonly #work: BatchWork<Item, Outcome>
  /** Those that have something under way. */
  readonly #groups = new Map<string, Group<Item, Outcome>>()
  /** What batches took lately: half of it is the last one's. */
  #usualMs = 0

  constructor(work: BatchWork<Item, Outcome>) {
    this.#work = work
  }

  /** How many groups have something under way. */
  get groupCount(): number {
    return this.#groups.size
  }

  /** What the item came to. */
  do(item: Item): Promise<Outcome> {
    return new Promise((resolve, reject) => {
      const name = this.#work.groupOf?.(item) ?? ''
      let group = this.#groups.get(name)
      if (!group) {
        group = { waiting: [], underWay: 0, keys: new Set() }
        this.#groups.set(name, group)
      }
      group.waiting.push({ item, resolve, reject })
      const { patienceMs } = this.#work
      if (group.underWay === 0 || patienceMs === undefined) return this.#begin(name, group)
      const waitMs = Math.min(longestPatienceMs, Math.max(patienceMs, 2 * this.#usualMs))
      group.patience ??= setTimeout(() => this.#begin(name, group), waitMs)
    })
  }

  #begin(name: string, group: Group<Item, Outcome>): void {
    group.patience = undefined
    if (group.underWay < this.#work.atOnce) void this.#run(name, group)
  }

  async #run(name: string, group: Group<Item, Outcome>): Promise<void> {
    group.underWay++
    try {
      // Whoever asks in the same turn comes along, or in the same moment.
      if (this.#work.isPrompt) await undefined
      else await nextTurn()
      for (let batch = this.#take(group); batch.length > 0; batch = this.#take(group)) {
        const begunAt = performance.now()
        await this.#doBatch(batch)
        this.#letGo(group, batch)
        const tookMs = performance.now() - begunAt
        this.#usualMs = (this.#usualMs + tookMs) / 2
      }
    } finally {
      group.underWay--
      if (group.underWay === 0) this.#groups.delete(name)
    }
  }

  /**
   * The next items, in the order they came; one whose key is under way stays for whoever has it: should that stand still,
   * only one batch does.
   */
  #take(group: Group<Item, Outcome>): Waiting<Item, Outcome>[] {
    const { most, keyOf } = this.#work
    clearTimeout(group.patience)
    group.patience = undefined
    if (!keyOf) return group.waiting.splice(0, most)
    const taken: Waiting<Item, Outcome>[] = []
    const left: Waiting<Item, Outcome>[] = []
    for (const each of group.waiting) {
      const key = keyOf(each.item)
      if (taken.length === most || group.keys.has(key)) left.push(each)
      else {
        group.keys.add(key)
        taken.push(each)
      }
    }
    group.waiting = left
    return taken
  }

  #letGo(group: Group<Item, Outcome>, batch: readonly Waiting<Item, Outcome>[]): void {
    const { keyOf } = this.#work
    if (keyOf) for (const { item } of batch) group.keys.delete(keyOf(item))
  }

  async #doBatch(batch: readonly Waiting<Item, Outcome>[]): Promise<void> {
    const { alone, together } = this.#work
    const doAlone = ({ item, resolve, reject }: Waiting<Item, Outcome>) => alone(item).then(resolve, reject)
    const [only] = batch
    if (batch.length === 1 && only) return doAlone(only)
    try {
      const outcomes = await together(batch.map(({ item }) => item))
      for (const [i, { resolve }] of batch.entries()) resolve(outcomes[i] as Outcome)
    } catch (error) {
      if (error instanceof Outage) for (const { reject } of batch) reject(error)
      else await Promise.all(batch.map(doAlone))
    }
  }
}
