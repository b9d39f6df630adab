import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { json, optional } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import { rowAsJson } from '../../platform/database/table.ts'
import type { Receipt } from '../receipt.ts'
import { termsOf } from '../search-terms.ts'
import { receiptTable } from '../table.ts'
import type { KeyedOutcome, KeyedReceipt } from './insert-keyed-receipts.ts'

/**
 * As `insertReceipts`, where merchants are spread over machines: one call, done by the machine of the first receipt's
 * merchant alone where the others' rows stand there too. Not for the inside of a transaction, where it would be done
 * by the coordinator.
 */
export async function storeTogether(db: Database, receipts: readonly Receipt[]): Promise<boolean[]> {
  const outcomes = await storeAll(
    db,
    receipts.map((receipt) => ({ receipt })),
  )
  return outcomes.map(({ isMade }) => isMade)
}

/** As `insertKeyedReceipts`, in the manner of {@link storeTogether}; of any merchants. */
export function storeKeyedTogether(db: Database, keyed: readonly KeyedReceipt[]): Promise<KeyedOutcome[]> {
  return storeAll(db, keyed)
}

type Sent = Pick<KeyedReceipt, 'receipt'> & Partial<KeyedReceipt>

/** One that decides nothing met what somebody else was storing, and then did not. */
const maxVainCalls = 3

/**
 * What a call finds to be there already is left out of the next one, and of those under one Idempotency-Key each call has
 * the first. Should a later call fail, what an earlier one has stored is found again by its key.
 */
async function storeAll(db: Database, sent: readonly Sent[]): Promise<KeyedOutcome[]> {
  const outcomes = new Map<Sent, KeyedOutcome>()
  for (let vain = 0; vain < maxVainCalls; ) {
    const left = sent.filter((each) => !outcomes.has(each))
    const call = firstOfEachKey(left)
    const [first] = call
    if (!first) break
    const found = (await db.row(store({ near: first.receipt.merchant, sent: write(call) })))?.known
    if (!found) for (const each of call) outcomes.set(each, made)
    const known = found ?? { receipts: [], answers: answersOf(call) }
    for (const each of left) {
      const outcome = outcomes.has(each) ? undefined : outcomeOf(each, known)
      if (outcome) outcomes.set(each, outcome)
    }
    vain = left.some((each) => outcomes.has(each)) ? 0 : vain + 1
  }
  return sent.map((each) => {
    const outcome = outcomes.get(each)
    if (!outcome)
      throw new Error('receipts meet others of the same ids, or keys, that are stored in this moment')
    return outcome
  })
}

/** One of each Idempotency-Key, in their order: a key is answered once. */
function firstOfEachKey(sent: readonly Sent[]): Sent[] {
  const keys = new Set<string>()
  return sent.filter(({ request }) => {
    if (!request) return true
    const key = JSON.stringify([request.merchant, request.method, request.path, request.key])
    return !keys.has(key) && keys.add(key)
  })
}

const made: KeyedOutcome = { isMade: true, kept: undefined }

/** `undefined` where nothing is there already. */
function outcomeOf({ receipt, request }: Sent, { receipts, answers }: Known): KeyedOutcome | undefined {
  const { merchant, id } = receipt
  const kept =
    request &&
    answers.find(
      (each) =>
        each.merchant === merchant &&
        each.method === request.method &&
        each.path === request.path &&
        each.key === request.key,
    )
  const isTaken = receipts.some((each) => each.merchant === merchant && each.id === id)
  if (!kept) return isTaken ? { isMade: false, kept: undefined } : undefined
  const { request_hash: requestHash, status, body } = kept
  return { isMade: false, kept: { requestHash, status, body: body ?? undefined } }
}

/** In one order, so that two calls that meet at the same ids wait for each other in turn. */
function write(sent: readonly Sent[]): string {
  const ordered = sent.toSorted((a, b) => (keyOf(a) < keyOf(b) ? -1 : 1))
  const receipts = ordered.map(({ receipt }) => rowAsJson(receiptTable, receipt))
  const terms = ordered.flatMap(({ receipt }) => {
    const { merchant, id, createdAt } = receipt
    return termsOf(receipt).map((term) => ({ merchant, term, created_at: createdAt, receipt_id: id }))
  })
  const answers = JSON.stringify(answersOf(ordered))
  return `{"receipts":[${receipts.join(',')}],"terms":${JSON.stringify(terms)},"answers":${answers}}`
}

/** Rows of the answers to their keys. */
function answersOf(sent: readonly Sent[]): (Known['answers'][number] & { readonly created_at: UnixMs })[] {
  return sent.flatMap(({ receipt: { merchant }, request, answer, at }) => {
    if (!request || !answer || at === undefined) return []
    const { method, path, key, requestHash } = request
    const { status, body } = answer
    return [{ merchant, method, path, key, request_hash: requestHash, status, body, created_at: at }]
  })
}

function keyOf({ receipt: { merchant, id } }: Sent): string {
  return `${merchant} ${id}`
}

/** What of that which was sent is there already, as the database has it. */
type Known = {
  readonly receipts: readonly { readonly merchant: Wallet; readonly id: ReceiptId }[]
  readonly answers: readonly {
    readonly merchant: Wallet
    readonly method: string
    readonly path: string
    readonly key: string
    readonly request_hash: string
    readonly status: number
    readonly body: string | null
  }[]
}

const store = statement({
  name: 'store-receipts',
  reads: { known: optional(json<Known>()) },
  text: 'SELECT store_receipts(:near, :sent::jsonb) AS known',
})
