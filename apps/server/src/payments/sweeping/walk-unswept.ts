import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import {
  beforeFirstDeposit,
  listMerchantsWithUnswept,
  listUnswept,
  type UnsweptDeposit,
  type UnsweptPlace,
} from './store.ts'

const depositsPerPage = 200
const merchantsAtOnce = 1_000

type WalkNeeds = {
  readonly db: Database
  readonly chain: { readonly id: number }
  readonly clock: Clock
}

/** What may have to be swept by now, page by page: only merchants that may have any are asked about. */
export async function* walkUnswept(needs: WalkNeeds): AsyncGenerator<UnsweptDeposit[], void> {
  const merchants = await listMerchantsWithUnswept(needs.db)
  for (let from = 0; from < merchants.length; from += merchantsAtOnce)
    yield* walkOf(needs, merchants.slice(from, from + merchantsAtOnce))
}

async function* walkOf(
  { db, chain, clock }: WalkNeeds,
  merchants: readonly Wallet[],
): AsyncGenerator<UnsweptDeposit[], void> {
  let after: UnsweptPlace = beforeFirstDeposit
  for (;;) {
    const from: UnsweptPlace = after
    const deposits = await listUnswept(db, chain.id, clock.now(), merchants, from, depositsPerPage)
    yield deposits
    const last = deposits.at(-1)
    if (deposits.length < depositsPerPage || !last) return
    after = last
  }
}
