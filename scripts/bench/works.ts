import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { systemClock } from '../../apps/server/src/kernel/clock.ts'
import type { Database } from '../../apps/server/src/platform/database/database.ts'
import {
  insertKeyedReceipts,
  type KeyedReceipt,
} from '../../apps/server/src/receipts/making/insert-keyed-receipts.ts'
import { insertReceipts } from '../../apps/server/src/receipts/making/insert-receipts.ts'
import type { Receipt } from '../../apps/server/src/receipts/receipt.ts'
import { findReceipt } from '../../apps/server/src/receipts/store.ts'
import { findDetail } from '../../apps/server/src/receipts/viewing/find-detail.ts'
import { listReceiptsPage } from '../../apps/server/src/receipts/viewing/list-page.ts'
import { type BareStatement, captureStatement } from './bare-statement.ts'

/** What is measured: requests of one kind, beside the statement that a program with nothing else to do would send. */
export type WorkName = 'create' | 'keyed' | 'detail' | 'list'

/** A request of the load. */
export type LoadRequest = {
  readonly method: 'GET' | 'POST'
  readonly path: string
  /** Beside those that all requests have. */
  readonly headers?: Readonly<Record<string, string>>
  readonly body?: string
}

type Work = {
  readonly what: string
  /** The least that the median ratio of service to PostgreSQL is to be. */
  readonly mark: number
  /** The `n`th request of a run; `n` is at random where the same could be asked for twice. */
  request(run: string, n: number, count: number): LoadRequest
  /** What PostgreSQL is measured with, around a receipt that is there. */
  limit(db: Database, seed: Seed): Promise<BareStatement>
}

type Seed = {
  readonly merchant: Wallet
  readonly id: ReceiptId
  readonly count: number
  readonly chainId: number
}

const lines = [
  { label: 'Espresso beans, 1 kg', priceUsd: 38 },
  { label: 'Filter papers, 100', priceUsd: 4.5 },
  { label: 'Delivery', priceUsd: 6.9 },
]

function creation(id: string) {
  return {
    method: 'POST',
    path: '/api/receipts',
    body: JSON.stringify({ id, lineItems: lines, totalUsd: 49.4 }),
  } as const
}

/** An id, and a key, that nothing has yet. */
const fresh = { expression: "'bare-' || :n", most: 9_000_000_000_000 } as const

async function modelReceipt(db: Database, { merchant, id }: Seed): Promise<Receipt> {
  const receipt = await findReceipt(db, merchant, id)
  if (!receipt) throw new Error('the receipt that the limit is made after is gone')
  return receipt
}

/** The works by name. */
export const works: Readonly<Record<WorkName, Work>> = {
  create: {
    what: 'create a receipt of 3 lines',
    mark: 1,
    request: (run, n) => creation(`${run}-${n}`),
    async limit(db, seed) {
      const receipt = await modelReceipt(db, seed)
      const captured = await captureStatement((capture) => insertReceipts(capture, [receipt]))
      return { ...captured.with(seed.id, fresh.expression), most: fresh.most }
    },
  },
  keyed: {
    what: 'create one with an Idempotency-Key',
    mark: 1,
    request: (run, n) => ({ ...creation(`${run}-${n}`), headers: { 'idempotency-key': `${run}-${n}` } }),
    async limit(db, seed) {
      const receipt = await modelReceipt(db, seed)
      const captured = await captureStatement((capture) =>
        insertKeyedReceipts(capture, [withAnswer(receipt)]),
      )
      return { ...captured.with(seed.id, fresh.expression), most: fresh.most }
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
    async limit(_db, { merchant, chainId }) {
      const needs = { site: { chainId }, deadlines: systemClock }
      const captured = await captureStatement((db) => listReceiptsPage({ db, ...needs }, merchant, {}))
      return { ...captured.with('', ''), most: 1 }
    },
  },
}

/** Its id is its key, so that one expression stands for both. The answer is one such as a creation's, as long as it is. */
function withAnswer(receipt: Receipt): KeyedReceipt {
  const { merchant, id, createdAt } = receipt
  const paymentUrl = `http://127.0.0.1:3000/portal/${id}?recipient=${merchant}`
  const body = JSON.stringify({ id, paymentUrl, status: 'pending', redirectUrl: '', webhookUrl: '' })
  const { method, path } = creation(id)
  return {
    receipt,
    request: { merchant, method, path, key: id, requestHash: 'h'.repeat(64), hasSecretAnswer: false },
    answer: { status: 201, body },
    at: createdAt,
  }
}
