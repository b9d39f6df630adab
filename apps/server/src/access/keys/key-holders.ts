import { Batches } from '../../kernel/turns/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import { findKeyHolders, findKeyPlaces, type KeyHolder, type KeyPlace } from './key-store.ts'

/** Two turns more, where each is long, would let what is known of a key grow too old before it is read anew. */
const how = { most: 64, atOnce: 2, patienceMs: 10, isPrompt: true } as const

/**
 * Who holds the keys that were sent, read for all who ask at the same time: the keys of many callers, who are known for as long as
 * each other, would else each be two statements at the same moment. What is read was committed when it was asked for, or later.
 */
export class KeyHolders {
  readonly #places: Batches<string, KeyPlace | undefined>
  readonly #holders: Batches<KeyPlace, KeyHolder | undefined>

  constructor(db: Database) {
    const findPlaces = (hashes: readonly string[]) => findKeyPlaces(db, hashes)
    const findHolders = (places: readonly KeyPlace[]) => {
      const [first] = places
      if (!first) return Promise.resolve([])
      return findKeyHolders(
        db,
        first.merchant,
        places.map(({ keyId }) => keyId),
      )
    }
    this.#places = new Batches({ ...how, together: findPlaces, alone: firstOf(findPlaces) })
    this.#holders = new Batches({
      ...how,
      groupOf: ({ merchant }) => merchant,
      together: findHolders,
      alone: firstOf(findHolders),
    })
  }

  /** The holder of a key that is neither revoked itself nor of a revoked subscription. */
  async find(hash: string): Promise<KeyHolder | undefined> {
    const place = await this.#places.do(hash)
    return place && this.#holders.do(place)
  }
}

function firstOf<Item, Outcome>(
  together: (items: readonly Item[]) => Promise<readonly (Outcome | undefined)[]>,
) {
  return async (item: Item): Promise<Outcome | undefined> => (await together([item]))[0]
}
