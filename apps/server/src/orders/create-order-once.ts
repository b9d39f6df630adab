import { createHash } from 'node:crypto'
import { parseReceiptId, type ReceiptId } from '@sluice/protocol/receipt-id.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { respondOnce } from '../access/idempotency/idempotency.ts'
import { findSigningKey } from '../access/keys/key-store.ts'
import { ApiError } from '../kernel/api-error.ts'
import { assert } from '../kernel/assert.ts'
import { wait } from '../kernel/clock.ts'
import type { JoiningDatabase } from '../platform/database/joining/joining-database.ts'
import type { Brand } from '../site/brand.ts'
import { type CreateOrderNeeds, createOrder } from './create-order.ts'
import type { OrderRequest } from './parse-order.ts'

const lookAgainMs = 100
const looks = 50

/**
 * Creates the order that a form submits at most once: the same token and content return the same order for a
 * week. A second request waits for the first, because a browser shows only the last response.
 *
 * Webhooks are signed with the merchant's oldest active subscription, if there is one. Errors are not stored,
 * so the form can be resubmitted.
 *
 * @throws {ApiError} the errors of `createOrder`, in the same order.
 */
export async function createOrderOnce(
  needs: CreateOrderNeeds & { readonly db: JoiningDatabase; readonly brand: Brand },
  merchant: Wallet,
  token: string,
  request: OrderRequest,
): Promise<ReceiptId> {
  const keyed = {
    merchant,
    method: 'POST',
    path: '/shop/checkout',
    key: hashForm(token, request),
    requestHash: '',
    isSecretResponse: false,
  }
  const create = async () => {
    const signing = await findSigningKey(needs.db, merchant)
    const receipt = await createOrder(needs, merchant, signing, request).catch(asNotKept)
    return { status: 201, body: receipt.id }
  }
  for (let look = 1; ; look++) {
    try {
      const { body } = await respondOnce(needs, keyed, async () => {}, create)
      const id = parseReceiptId(body)
      assert(id, 'the stored response contains an order id')
      return id
    } catch (error) {
      if (error instanceof NotKept) throw error.apiError
      const isUnderWay = error instanceof ApiError && error.code === 'idempotency_conflict'
      if (!isUnderWay || look === looks) throw error
      await wait(needs.clock, lookAgainMs)
    }
  }
}

/** Error that must not be stored, because a retry can succeed: stock may become available. */
class NotKept extends Error {
  readonly apiError: ApiError

  constructor(apiError: ApiError) {
    super(apiError.message)
    this.apiError = apiError
  }
}

function asNotKept(error: unknown): never {
  throw error instanceof ApiError ? new NotKept(error) : error
}

function hashForm(token: string, { items, jurisdictionCode }: OrderRequest): string {
  const content = items.map(({ id, sku, qty, note }) => [id, sku, String(qty), note])
  return createHash('sha256')
    .update(JSON.stringify([token, jurisdictionCode, content]))
    .digest('hex')
}
