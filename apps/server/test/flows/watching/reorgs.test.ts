import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'
import { encodeFunctionData, erc20Abi, type Hex } from 'viem'
import { privateKeyToAccount } from 'viem/accounts'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { farChain } from '../../support/chain/far-chain.ts'
import type { SentTransaction } from '../../support/chain/test-chain.ts'
import { always } from '../../support/worlds/chain-api.ts'
import {
  type OwedNotice,
  type PaymentWorld,
  type PayWay,
  startPaymentWorld,
} from '../../support/worlds/payment-world.ts'

const tokens: TokenSymbol[] = ['ETH', 'USDC']
const ways: PayWay[] = ['call', 'transfer']

/** What a reorg does to a payment: it is gone until it is sent again, in another block, or another one is sent. */
const fates = ['drop', 'move', 'replace'] as const

describe.each([
  { required: 'safe' as const, slotsInAnEpoch: 3, depth: 3 },
  { required: 'final' as const, slotsInAnEpoch: 1, depth: 2 },
])('a payment that has to be $required, $depth blocks deep', ({ required, slotsInAnEpoch, depth }) => {
  const far = farChain()
  let world: PaymentWorld
  let count = 0
  const usual = new Map<string, unknown>()
  beforeAll(async () => {
    world = await startPaymentWorld({ slotsInAnEpoch, policy: always(required), outbound: far.over })
    await approveUsdc(world)
    for (const token of tokens) {
      for (const way of ways) {
        const id = `usual-${token}-${way}`
        const sent = await world.pay(await newAttempt(id, token), way)
        await world.mine()
        await finish(id)
        usual.set(`${token} ${way}`, plain(await world.notices(id), sent))
      }
    }
  })
  afterAll(() => world?.stop())
  beforeEach(() => world.syncClock())

  const cases = tokens.flatMap((token) =>
    ways.flatMap((way) =>
      fates.flatMap((fate) =>
        Array.from({ length: depth }, (_, above) => ({ token, way, fate, reorged: above + 1 })),
      ),
    ),
  )
  test.each(cases)('$token by $way, $fate in $reorged blocks, has no outward effect', async (the) => {
    const { token, way, fate, reorged } = the
    // Each token, way and fate once: all sixty from far away would take minutes.
    far.isFar = reorged === depth
    const id = `receipt-${++count}`
    const attempt = await newAttempt(id, token)
    const first = await world.pay(attempt, way)
    await world.mine(reorged)
    await world.scan()
    expect(await world.checkout(id)).toMatchObject({ status: 'pending', payment: { state: 'seen' } })

    const offset = reorged > 1 ? reorged - 1 : 0
    await world.chain.reorg(reorged, fate === 'move' ? [{ raw: first.raw, offset }] : [])
    await world.scan()
    const expected = fate === 'move' ? 'seen' : 'awaiting'
    expect(await world.checkout(id)).toMatchObject({ status: 'pending', payment: { state: expected } })
    expect(await world.notices(id)).toEqual([])

    const sent = fate === 'replace' ? await replace(attempt, way) : first
    if (fate === 'drop')
      await world.chain.client.sendRawTransaction({ serializedTransaction: first.raw }).catch(() => {})
    if (fate !== 'move') await world.mine()
    await finish(id)
    expect(plain(await world.notices(id), sent)).toEqual(usual.get(`${token} ${way}`))
    expect(alerts(world)).toEqual([])
  })

  async function newAttempt(id: string, token: TokenSymbol) {
    await world.newReceipt(id, 25)
    return world.attempt(id, token, world.buyer.address)
  }

  /** Another transaction under the nonce of the one that is gone. */
  async function replace(attempt: Awaited<ReturnType<typeof newAttempt>>, way: PayWay) {
    await world.send({ to: world.buyer.address, value: 1n })
    return world.pay(attempt, way)
  }

  async function finish(id: string) {
    for (let block = 0; block <= depth; block++) {
      await world.scan()
      expect(await world.status(id)).toBe(block < depth ? 'pending' : 'paid')
      await world.mine()
    }
  }
})

describe('deeper than required', () => {
  const far = farChain()
  let world: PaymentWorld
  beforeAll(async () => {
    world = await startPaymentWorld({ slotsInAnEpoch: 2, policy: always('safe'), outbound: far.over })
    await approveUsdc(world)
    far.isFar = true
  })
  afterAll(() => world?.stop())
  beforeEach(() => world.syncClock())

  test.each(
    tokens.flatMap((token) => ways.flatMap((way) => [0, 1].map((extra) => ({ token, way, extra })))),
  )('$token by $way, $extra below it: told, alerted, and never a step back', async ({
    token,
    way,
    extra,
  }) => {
    const id = `deep-${token}-${way}-${extra}`
    await world.newReceipt(id, 25)
    const sent = await world.pay(await world.attempt(id, token, world.buyer.address), way)
    await world.mine(3 + extra)
    await world.scan()
    expect(await world.status(id)).toBe('paid')
    world.logged.length = 0

    const stood = (await world.chain.client.getTransactionReceipt({ hash: sent.hash })).blockHash
    await world.chain.reorg(3 + extra)
    await world.scan()
    expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { state: 'orphaned' } })
    const [paid, orphaned, ...more] = await world.notices(id)
    expect(more).toEqual([])
    expect(orphaned?.key).toBe(`${paid?.key}:orphaned:${stood}`)
    expect(orphaned?.body).toMatchObject({
      status: 'paid',
      previousStatus: 'paid',
      paymentState: 'orphaned',
      transactionHash: null,
    })
    expect(alerts(world)).toEqual(['payment-orphaned'])

    await world.chain.client.sendRawTransaction({ serializedTransaction: sent.raw }).catch(() => {})
    await world.mine()
    await world.scan()
    expect(await world.checkout(id)).toMatchObject({
      status: 'paid',
      payment: { state: 'paid' },
      transactionHash: sent.hash,
    })
    const restored = (await world.notices(id)).slice(2)
    expect(restored.map(({ body }) => [body.paymentState, body.transactionHash])).toEqual([
      ['paid', sent.hash],
    ])
    expect(await claims(world, sent.hash)).toBe(1)
  })

  test('a payment moved with others of its block is credited once', async () => {
    const ids = ['moved-1', 'moved-2', 'moved-3']
    const sent: SentTransaction[] = []
    for (const id of ids) {
      await world.newReceipt(id, 25)
      sent.push(await world.pay(await world.attempt(id, 'USDC'), 'transfer'))
    }
    await world.mine(3)
    await world.scan()
    for (const id of ids) expect(await world.status(id)).toBe('paid')
    const before = await logIndexes(world, sent)
    await world.chain.reorg(3)
    await world.scan()
    // Somebody else's log takes the first place in the new block, so that every log index shifts.
    await approveAhead(world)
    for (const { raw } of sent)
      await world.chain.client.sendRawTransaction({ serializedTransaction: raw }).catch(() => {})
    await world.mine()
    await world.scan()
    expect(await logIndexes(world, sent)).toEqual(before.map((index) => index + 1n))
    for (const [i, id] of ids.entries()) {
      expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { state: 'paid' } })
      expect(await claims(world, sent[i]?.hash ?? '0x')).toBe(1)
    }
  })

  test('a chain that lost blocks, final ones too, is read anew', async () => {
    const id = 'lost'
    await world.newReceipt(id, 25)
    await world.pay(await world.attempt(id, 'ETH'), 'transfer')
    await world.mine(8)
    await world.scan()
    expect(await world.status(id)).toBe('paid')
    await world.chain.client.request({ method: 'anvil_rollback', params: [8] } as never)
    await world.scan()
    await world.mine(2)
    await world.scan()
    expect(await world.checkout(id)).toMatchObject({ status: 'paid', payment: { state: 'orphaned' } })
    const next = 'after-loss'
    await world.newReceipt(next, 25)
    await world.pay(await world.attempt(next, 'ETH'), 'transfer')
    await world.mine(3)
    await world.scan()
    expect(await world.status(next)).toBe('paid')
  })
})

async function approveUsdc(world: PaymentWorld) {
  await world.newReceipt('approve', 25)
  const { payTo } = await world.attempt('approve', 'USDC')
  const args = [payTo as Hex, 2n ** 255n] as const
  const data = encodeFunctionData({ abi: erc20Abi, functionName: 'approve', args })
  await world.send({ to: world.tokenAddress('USDC'), data })
  await world.mine(8)
  await world.scan()
}

/** Notices without what has to differ between two receipts. */
function plain(notices: readonly OwedNotice[], sent: SentTransaction) {
  return notices.map(({ key, sequence, body }) => {
    const { timestamp, receiptId, idempotencyKey, ...rest } = body
    const same = (text: string) => text.replace(receiptId, 'receipt').replace(sent.hash, 'hash')
    expect(idempotencyKey).toBe(key)
    expect(timestamp).toBeTypeOf('number')
    return { ...rest, key: same(key), transactionHash: same(rest.transactionHash), rowSequence: sequence }
  })
}

function alerts(world: PaymentWorld) {
  return world.logged.flatMap(({ alert }) => (alert === undefined ? [] : [alert]))
}

async function claims(world: PaymentWorld, hash: Hex): Promise<number> {
  const statement = { name: 'test-claims', text: 'SELECT 1 AS one FROM log_claim WHERE tx_hash = $1' }
  return (await world.needs.db.rows(statement, [hash])).length
}

async function logIndexes(world: PaymentWorld, sent: readonly SentTransaction[]): Promise<bigint[]> {
  const statement = {
    name: 'test-log-indexes',
    text: `SELECT log_index FROM payment WHERE merchant = $1 AND tx_hash = ANY($2) ORDER BY log_index`,
  }
  const hashes = sent.map(({ hash }) => hash)
  const rows = await world.needs.db.rows<{ log_index: bigint }>(statement, [world.merchant.wallet, hashes])
  return rows.map((row) => row.log_index)
}

/** A stranger's approval that pays more for its place than anything of ours. */
async function approveAhead(world: PaymentWorld) {
  const key = world.chain.accounts[3]?.privateKey
  if (!key) throw new Error('there are five accounts')
  await world.chain.client.sendTransaction({
    account: privateKeyToAccount(key),
    to: world.tokenAddress('USDC'),
    data: encodeFunctionData({
      abi: erc20Abi,
      functionName: 'approve',
      args: [world.buyer.address, 1n],
    }),
    gas: 100_000n,
    maxFeePerGas: 200_000_000_000n,
    maxPriorityFeePerGas: 10_000_000_000n,
  })
}
