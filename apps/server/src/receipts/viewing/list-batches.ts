import type { ListReceiptsQuery } from '@sluice/protocol/api/receipts/filters.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { Batches } from '../../kernel/turns/batches.ts'
import { isInsideTransaction } from '../../platform/database/inside-transaction.ts'
import type { FindingNeeds } from '../finding/find-places.ts'
import { listReceiptsPage } from './list-page.ts'

type Asked = { readonly merchant: Wallet; readonly query: ListReceiptsQuery }

/**
 * Pages of receipts for all who ask at the same time: those of a merchant who ask for the very same page share it, as
 * the tills of a shop do that all look for what is new. What is shown was committed when it was asked for, or later.
 */
export class ListBatches {
  readonly #needs: FindingNeeds
  readonly #batches: Batches<Asked, string>

  constructor(needs: FindingNeeds) {
    const alone = ({ merchant, query }: Asked) => listReceiptsPage(needs, merchant, query)
    this.#needs = needs
    this.#batches = new Batches({
      most: 64,
      atOnce: 2,
      patienceMs: 10,
      spacingMs: 3,
      groupOf: ({ merchant, query }) => JSON.stringify([merchant, ...Object.entries(query).sort()]),
      async together([first, ...others]) {
        if (!first) return []
        const page = await alone(first)
        return [page, ...others.map(() => page)]
      },
      alone,
    })
  }

  /** The page as {@link listReceiptsPage} gives it. */
  list(merchant: Wallet, query: ListReceiptsQuery): Promise<string> {
    if (isInsideTransaction()) return listReceiptsPage(this.#needs, merchant, query)
    return this.#batches.do({ merchant, query })
  }
}
