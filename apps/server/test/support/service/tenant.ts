import { type MemberRole, memberRoles } from '@sluice/protocol/api/access.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { markDeployed } from '../../../src/split/store.ts'
import { type Call, type CallOptions, messageOf } from '../api/call-api.ts'
import type { Asker } from '../api/raw-requests.ts'
import { receiptBody } from '../api/receipts.ts'
import { logIn, logInAs, newWallet, type TestSession } from '../api/sessions.ts'
import { registerSecretsIn } from '../secrets/secret-register.ts'
import type { WholeService } from './whole-service.ts'

/** A merchant with one object of every kind. */
export type Tenant = Awaited<ReturnType<typeof makeTenant>>

export function apiOf(service: WholeService, asker: Asker) {
  const call: Call = async (method, target, options = {}) => {
    const reply = await asker.ask({ method, target, ...messageOf(options) })
    registerSecretsIn(reply.text, String(reply.headers['set-cookie']))
    const headers = new Headers()
    for (const [name, value] of Object.entries(reply.headers)) headers.set(name, String(value))
    const isJson = String(reply.headers['content-type']).includes('json')
    return {
      status: reply.status,
      headers,
      text: reply.text,
      body: isJson && reply.text !== '' ? JSON.parse(reply.text) : undefined,
    }
  }
  return { call, clock: service.clock, needs: { db: service.context.db } }
}

export async function makeTenant(service: WholeService, asker: Asker) {
  const api = apiOf(service, asker)
  const { random } = service.context
  const word = Buffer.from(random.bytes(6)).toString('hex')
  const [publicWord, privateWord] = [`seen${word}`, `hidden${word}`]
  const account = newWallet(random)
  const { wallet } = account
  const owner = await logIn(api, account)
  const sessions = { owner } as Record<MemberRole, TestSession>
  const must = async (status: number, method: string, path: string, options: CallOptions) => {
    const response = await api.call(method, path, options)
    if (response.status !== status) throw new Error(`${method} ${path}: ${response.status} ${response.text}`)
    return response.body
  }
  const post = (status: number, path: string, body: object, headers: Record<string, string> = {}) =>
    must(status, 'POST', path, { session: owner, body, headers })

  const made = await post(201, '/api/subscriptions', { name: privateWord })
  const key = made.primaryKey as string
  const slug = `shop-${word}`
  await post(200, '/api/shop/config', { name: `Shop ${publicWord}`, slug, description: publicWord })
  const taxRates = [{ jurisdictionCode: 'US-WY', rate: 0.01, components: [privateWord] }]
  await post(200, '/api/settings', { taxRates })
  for (const role of memberRoles.slice(1)) sessions[role] = await logInAs(api, wallet, role)
  const member = newWallet(random).wallet
  await post(201, '/api/members', { wallet: member, role: 'viewer' })
  const invited = await post(201, '/api/members/invitations', { role: 'viewer' })
  const invitation = invited.url.split('#')[1] as string
  const splitAddress = await giveSplit(service, wallet)

  const sku = `sku-${word}`
  const add = async (body: object) => (await post(201, '/api/inventory', body)).item.id as string
  const coffee = { name: `Coffee ${publicWord}`, attributes: { colour: publicWord } }
  const productId = await add({ sku, ...coffee, priceUsd: 3.5, stockQty: 100, costUsd: 1.23 })
  const soldSku = `sold-${word}`
  const soldId = await add({ sku: soldSku, name: publicWord, priceUsd: 2, stockQty: 10 })
  const draftId = await add({ sku: `draft-${word}`, name: privateWord, priceUsd: 9, status: 'draft' })
  const order = await post(201, '/api/orders', {
    items: [{ sku: soldSku, qty: 2 }],
    jurisdictionCode: 'US-OR',
    metadata: { note: privateWord },
  })
  const idempotencyKey = `once-${word}`
  const receipt = async (name: string) => {
    const body = {
      ...receiptBody(`${name}-${word}`, 5, { lineItems: [{ label: `Tea ${publicWord}`, priceUsd: 5 }] }),
      metadata: { note: privateWord },
      transactionId: privateWord,
      billingEmail: `${privateWord}@example.com`,
      webhook_url: `https://${privateWord}.example.com/hook`,
      onSuccess: `track('${publicWord}')`,
    }
    const headers = { 'idempotency-key': `${idempotencyKey}-${name}` }
    return (await must(201, 'POST', '/api/receipts', { key, body, headers })).id as string
  }
  const terminal = await post(200, '/api/receipts/terminal', { amountUsd: 4, label: `Cake ${publicWord}` })
  const receipts = {
    pending: await receipt('pending'),
    cancelled: await receipt('cancelled'),
    paid: await receipt('paid'),
    refundRequested: await receipt('asked'),
    refunded: await receipt('refunded'),
    terminal: terminal.receipt.receiptId as string,
  }
  const attempted = `/api/checkout/${receipts.pending}/attempts?recipient=${wallet}`
  await must(201, 'POST', attempted, { body: { token: 'USDC' } })
  const say = (receiptId: string, status: string) =>
    post(200, '/api/receipts/status', { receiptId, wallet, status, reason: privateWord })
  for (const id of [receipts.paid, receipts.refundRequested, receipts.refunded])
    await say(id, 'checkout_success')
  await say(receipts.refundRequested, 'refund_requested')
  await post(200, '/api/receipts/refund', {
    receiptId: receipts.refunded,
    wallet,
    buyer: newWallet(random).wallet,
    usd: 5,
    items: [{ label: privateWord, priceUsd: 5 }],
  })
  await post(200, '/api/receipts/status', { receiptId: receipts.pending, wallet, status: 'link_opened' })
  service.endsUneven('the money of a tenant stands in the books alone')
  const unmatched = await addMoney(service, wallet, { splitAddress, receiptId: receipts.paid })

  const listed = await must(200, 'GET', '/api/auth/sessions', { session: owner })
  await must(200, 'GET', '/api/events', { key })
  const { deliveries } = await must(200, 'GET', '/api/webhooks/deliveries', { key })
  return {
    wallet,
    key,
    subscriptionId: made.subscription.id as string,
    keyIds: idsOf(made.subscription.keys),
    sessions,
    sessionIds: idsOf(listed.sessions),
    member,
    invitationId: invited.invitation.id as string,
    invitation,
    slug,
    productId,
    draftId,
    sku,
    soldId,
    soldSku,
    orderId: order.id as string,
    receipts,
    unmatchedId: unmatched.id,
    unmatchedHash: unmatched.hash,
    deliveryId: deliveries[0].id as string,
    splitAddress,
    idempotencyKey,
    /** A word in every text that the public may see. */
    publicWord,
    /** A word in texts that only the merchant may see. */
    privateWord,
    secrets: [key, made.secondaryKey, invitation, ...Object.values(sessions).flatMap(secretsOf)],
  }
}

const idsOf = (rows: { id: string }[]) => rows.map(({ id }) => id)

function secretsOf({ cookie, csrfToken }: TestSession): string[] {
  return [cookie.slice(cookie.indexOf('=') + 1), csrfToken]
}

async function giveSplit({ context, clock }: WholeService, wallet: Wallet): Promise<string> {
  const platform = { feeBps: 50 as Bps, recipient: newWallet(context.random).wallet }
  const { split } = await configureSplit({ ...context, platform }, wallet, {})
  await markDeployed(context.db, context.chain.id, split, { at: clock.now(), tx: undefined })
  return split.address
}

/** Adds a deposit to the split and an unmatched payment. The API cannot create either. */
async function addMoney(
  { context, clock }: WholeService,
  wallet: Wallet,
  { splitAddress, receiptId }: { splitAddress: string; receiptId: string },
): Promise<{ id: string; hash: string }> {
  const hex = (byteCount: number) => Buffer.from(context.random.bytes(byteCount)).toString('hex')
  const hash = () => `0x${hex(32)}`
  const token = context.chain.tokens.find(({ symbol }) => symbol === 'USDC')?.address ?? ''
  const now: UnixMs = clock.now()
  const txHash = hash()
  await context.db.run(addArrival, [wallet, txHash, splitAddress, token, receiptId, hash(), now])
  const id = hex(13)
  await context.db.run(addOwner, [txHash, wallet])
  await context.db.run(addUnmatched, [wallet, id, txHash, splitAddress, token, hash(), now])
  return { id, hash: txHash }
}

const addArrival = {
  name: 'test-add-arrival',
  text: `INSERT INTO split_arrival (merchant, chain, tx_hash, log_index, split_address, token_address, amount,
      received_after, kind, receipt_id, block_number, block_hash, block_at)
    VALUES ($1, 31337, $2, 0, $3, $4, 5000000, 5000000, 'call', $5, 1, $6, $7)`,
}

const addOwner = {
  name: 'test-add-unmatched-owner',
  text: 'INSERT INTO unmatched_owner (tx_hash, chain, merchant) VALUES ($1, 31337, $2)',
}

const addUnmatched = {
  name: 'test-add-unmatched',
  text: `INSERT INTO unmatched_payment (merchant, id, chain, tx_hash, log_index, address, token_address, amount,
      reason, state, block_number, block_hash, block_at, seen_at)
    VALUES ($1, $2, 31337, $3, 1, $4, $5, 7000000, 'direct', 'open', 0, $6, $7, $7)`,
}
