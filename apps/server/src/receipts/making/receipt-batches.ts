import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import { Batches } from '../../kernel/turns/batches.ts'
import { remember } from '../../kernel/turns/remember.ts'
import { isSpread } from '../../platform/cluster/is-spread.ts'
import { MerchantPlaces } from '../../platform/cluster/merchant-places.ts'
import type { Database } from '../../platform/database/database.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import type { Receipt } from '../receipt.ts'
import { insertReceipt } from '../store.ts'
import { insertKeyedReceipts, type KeyedOutcome, type KeyedReceipt } from './insert-keyed-receipts.ts'
import { insertReceipts } from './insert-receipts.ts'
import { storeKeyedTogether, storeTogether } from './store-together.ts'

/** A machine of a cluster takes more at once: what a call costs there, whatever it stores, is more. */
const most = { onOne: 64, onCluster: 256 }
/** Not on a cluster: a machine that answers one batch has the next at hand, and has nothing to wait for. */
const patienceMs = 10

/**
 * New receipts of all callers, stored together where they come at the same time: one statement and one commit for many
 * of them, while each caller hears of his own alone. Where merchants are spread over machines a batch is one machine's.
 */
export class ReceiptBatches {
  readonly #db: Database
  readonly #places: MerchantPlaces
  readonly #open = remember(async () => ((await isSpread(this.#db)) ? this.#onCluster() : this.#onOne()))

  constructor(needs: { readonly db: Database; readonly clock: Pick<Clock, 'now'> }) {
    this.#db = needs.db
    this.#places = new MerchantPlaces(needs)
  }

  /**
   * Stores a new receipt; `false` where the merchant has that id already. What belongs into the transaction of an
   * Idempotency-Key is stored there, with nobody else's.
   */
  async insert(receipt: Receipt): Promise<boolean> {
    if (isInsideTransaction()) return insertReceipt(this.#db, receipt)
    const { plain, placeOf } = await this.#open()
    return plain.do({ receipt, place: await placeOf(receipt.merchant) })
  }

  /**
   * Stores a new receipt together with the answer to its Idempotency-Key. Fails, and stores nothing, where the key is
   * answered by somebody else in the same moment. Not for the inside of a transaction.
   */
  async insertKeyed(keyed: KeyedReceipt): Promise<KeyedOutcome> {
    const { keyed: batches, placeOf } = await this.#open()
    return batches.do({ ...keyed, place: await placeOf(keyed.receipt.merchant) })
  }

  #onOne(): Ways {
    const db = this.#db
    return {
      // A key's batch is one merchant's.
      placeOf: async (merchant) => merchant,
      plain: new Batches<Placed, boolean>({
        most: most.onOne,
        atOnce: 2,
        patienceMs,
        keyOf,
        together: (placed) => insertReceipts(db, placed.map(receiptOf)),
        alone: async ({ receipt }) => (await insertReceipts(db, [receipt]))[0] ?? false,
      }),
      keyed: new Batches<PlacedKeyed, KeyedOutcome>({
        most: most.onOne,
        atOnce: 2,
        patienceMs,
        groupOf: ({ place }) => place,
        keyOf,
        together: (keyed) => insertKeyedReceipts(db, keyed),
        alone: async (keyed) => (await insertKeyedReceipts(db, [keyed]))[0] ?? nothing,
      }),
    }
  }

  #onCluster(): Ways {
    const db = this.#db
    const batch = { most: most.onCluster, atOnce: 2, groupOf: ({ place }: Placed) => place, keyOf }
    return {
      placeOf: (merchant) => this.#places.of(merchant),
      plain: new Batches<Placed, boolean>({
        ...batch,
        together: (placed) => storeTogether(db, placed.map(receiptOf)),
        alone: async ({ receipt }) => (await storeTogether(db, [receipt]))[0] ?? false,
      }),
      keyed: new Batches<PlacedKeyed, KeyedOutcome>({
        ...batch,
        together: (keyed) => storeKeyedTogether(db, keyed),
        alone: async (keyed) => (await storeKeyedTogether(db, [keyed]))[0] ?? nothing,
      }),
    }
  }
}

/** How receipts are stored on this database. */
type Ways = {
  placeOf(merchant: Wallet): Promise<string>
  readonly plain: Batches<Placed, boolean>
  readonly keyed: Batches<PlacedKeyed, KeyedOutcome>
}

/** A receipt, and what its batch is of. */
type Placed = { readonly receipt: Receipt; readonly place: string }

type PlacedKeyed = Placed & KeyedReceipt

const keyOf = ({ receipt: { merchant, id } }: Placed) => `${merchant} ${id}`
const receiptOf = ({ receipt }: Placed) => receipt
const nothing: KeyedOutcome = { isMade: false, kept: undefined }
