import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Database } from '../../apps/server/src/platform/database/database.ts'
import { insertReceipts } from '../../apps/server/src/receipts/making/insert-receipts.ts'
import { findReceipt } from '../../apps/server/src/receipts/store.ts'
import { findDetail } from '../../apps/server/src/receipts/viewing/find-detail.ts'
import { listNewest } from '../../apps/server/src/receipts/viewing/list-store.ts'
import { type BareStatement, captureStatement } from './bare-statement.ts'

/** What is measured: requests of one kind, beside the statement that a program with nothing else to do would send. */
export type WorkName = 'create' | 'detail' | 'list'

/** A request of the load. */
export type LoadRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly body?: string
}

type Work = {
  readonly what: string
  /** The least that the median ratio of service to PostgreSQL is to be. */
  readonly mark: number
  /** The `n`th request of a run; `n` is at random where the same could be asked for twice. */
  request(run: string, n: number, count: number): LoadRequest
  /** What PostgreSQL is measured with, around a receipt that is there. */
  limit(
    db: Database,
    seed: { merchant: Wallet; id: ReceiptId; count: number; chainId: number },
  ): Promise<BareStatement>
}

const lines = [
  { label: 'Espresso beans, 1 kg', priceUsd: 38 },
  { label: 'Filter papers, 100', priceUsd: 4.5 },
  { label: 'Delivery', priceUsd: 6.9 },
]

/** The works by name. */
export const works: Readonly<Record<WorkName, Work>> = {
  create: {
    what: 'create a receipt of 3 lines',
    mark: 1,
    request: (run, n) => ({
      method: 'POST',
      path: '/api/receipts',
      body: JSON.stringify({ id: `${run}-${n}`, lineItems: lines, totalUsd: 49.4 }),
    }),
    async limit(db, { merchant, id }) {
      const receipt = await findReceipt(db, merchant, id)
      if (!receipt) throw new Error('the receipt that the limit is made after is gone')
      const captured = await captureStatement((capture) => insertReceipts(capture, [receipt]))
      return { ...captured.with(id, "'bare-' || :n"), most: 9_000_000_000_000 }
    },
  },
  detail: {
    what: 'read one by its id',
    mark: 0.5,
    request: (_run, _n, count) => ({
      method: 'GET',
      path: `/api/receipts/order-${1 + Math.floor(Math.random() * count)}`,
    }),
    async limit(_db, { merchant, id, count, chainId }) {
      const captured = await captureStatement((capture) => findDetail(capture, merchant, id, chainId))
      return { ...captured.with(id, "'order-' || :n"), most: count }
    },
  },
  list: {
    what: 'list of 100',
    mark: 0.7,
    request: () => ({ method: 'GET', path: '/api/receipts?limit=100' }),
    async limit(_db, { merchant }) {
      const room = { limit: 100, maxBytes: 512 * 1024 }
      const captured = await captureStatement((capture) => listNewest(capture, merchant, room))
      return { ...captured.with('', ''), most: 1 }
    },
  },
}
