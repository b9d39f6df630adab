import { Batches } from '../../kernel/turns/batches.ts'
import { isSpread } from '../../platform/cluster/is-spread.ts'
import type { Database } from '../../platform/database/database.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import type { Receipt } from '../receipt.ts'
import { insertReceipt } from '../store.ts'
import { insertKeyedReceipts, type KeyedOutcome, type KeyedReceipt } from './insert-keyed-receipts.ts'
import { insertReceipts } from './insert-receipts.ts'

/**
 * New receipts of all callers, stored together where they come at the same time: one statement and one commit for up
 * to 64 of them, while each caller hears of his own alone. Where merchants are spread over machines a batch is one
 * merchant's: one machine stores it.
 */
export class ReceiptBatches {
  readonly #db: Database
  #opening: Promise<Batches<Receipt, boolean>> | undefined
  readonly #keyed: Batches<KeyedReceipt, KeyedOutcome>

  constructor(db: Database) {
    this.#db = db
    this.#keyed = new Batches({
      most: 64,
      atOnce: 2,
      groupOf: ({ receipt }) => receipt.merchant,
      keyOf: ({ receipt }) => receipt.id,
      together: (keyed) => insertKeyedReceipts(db, keyed),
      alone: async (keyed) => (await insertKeyedReceipts(db, [keyed]))[0] ?? nothing,
    })
  }

  /**
   * Stores a new receipt; `false` where the merchant has that id already. What belongs into the transaction of an
   * Idempotency-Key is stored there, with nobody else's.
   */
  async insert(receipt: Receipt): Promise<boolean> {
    if (isInsideTransaction()) return insertReceipt(this.#db, receipt)
    this.#opening ??= this.#open()
    return (await this.#opening).do(receipt)
  }

  async #open(): Promise<Batches<Receipt, boolean>> {
    const db = this.#db
    try {
      const isByMerchant = await isSpread(db)
      return new Batches({
        most: 64,
        atOnce: 2,
        keyOf: ({ merchant, id }) => `${merchant} ${id}`,
        ...(isByMerchant && { groupOf: ({ merchant }: Receipt) => merchant }),
        together: (receipts) => insertReceipts(db, receipts),
        alone: (receipt) => insertReceipt(db, receipt),
      })
    } catch (error) {
      this.#opening = undefined
      throw error
    }
  }

  /**
   * Stores a new receipt together with the answer to its Idempotency-Key. Fails, and stores nothing, where the key is
   * answered by somebody else in the same moment. Not for the inside of a transaction.
   */
  insertKeyed(keyed: KeyedReceipt): Promise<KeyedOutcome> {
    return this.#keyed.do(keyed)
  }
}

const nothing: KeyedOutcome = { isMade: false, kept: undefined }
