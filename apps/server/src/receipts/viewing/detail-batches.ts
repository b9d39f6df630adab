import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Batches } from '../../kernel/turns/batches.ts'
import type { Database } from '../../platform/database/database.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import { type FoundDetail, findDetail, findDetails } from './find-detail.ts'

type Asked = { readonly merchant: Wallet; readonly id: ReceiptId }

/**
 * Receipts in full for all who ask at the same time: one statement for up to 64 receipts of one merchant, while each
 * is answered for his own alone. What is read was committed when it was asked for, or later.
 */
export class DetailBatches {
  readonly #needs: { readonly db: Database; readonly chainId: number }
  readonly #batches: Batches<Asked, FoundDetail | undefined>

  constructor(needs: { readonly db: Database; readonly chainId: number }) {
    const { db, chainId } = needs
    this.#needs = needs
    this.#batches = new Batches({
      most: 64,
      atOnce: 2,
      patienceMs: 10,
      spacingMs: 3,
      groupOf: ({ merchant }) => merchant,
      together([first, ...others]) {
        if (!first) return Promise.resolve([])
        const ids = [first.id, ...others.map(({ id }) => id)]
        return findDetails(db, first.merchant, ids, chainId)
      },
      alone: ({ merchant, id }) => findDetail(db, merchant, id, chainId),
    })
  }

  /** The merchant's receipt with all of it; `undefined` where the merchant has none of that id. */
  find(merchant: Wallet, id: ReceiptId): Promise<FoundDetail | undefined> {
    const { db, chainId } = this.#needs
    return isInsideTransaction() ? findDetail(db, merchant, id, chainId) : this.#batches.do({ merchant, id })
  }
}
