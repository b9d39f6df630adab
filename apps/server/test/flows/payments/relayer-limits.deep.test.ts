import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { openSender } from '../../../src/chain/transactions/transaction.ts'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { startApi } from '../../support/api/start-api.ts'
import { farChain } from '../../support/chain/endpoints.ts'
import { passBlock } from '../../support/chain/keeper.ts'
import { relayerKey, startRelaying } from '../../support/chain/relaying.ts'
import {
  accountThatTakes,
  fundGaslessBuyer,
  fundPermit2Buyer,
  fundPermitBuyer,
  type GaslessBuyer,
  signAuthorization,
  signPermit,
  signPermit2,
  wrapSignature,
} from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const far = farChain()
const context = perFile(() => startRelaying({ outbound: far.over }))

const signableIn = async (attempt: Attempt) => {
  const path = `/api/checkout/${attempt.receiptId}?recipient=${attempt.merchant}`
  return (await context.call('GET', path)).body.signableTokens
}
/** Returns the code of an account that answers every ERC-1271 call with `word`. */
const accountThatSays = (word: string) => `0x63${word}60e01b5f5260205ff3` as const

describe('a relayer', () => {
  test('without gas is not offered, says so once, and is offered again with gas', async () => {
    const attempt = await context.open()
    const relayer = openSender(relayerKey).address
    const balance = await context.node.client.getBalance({ address: relayer })
    await context.node.client.setBalance({ address: relayer, value: 1_000n })
    await context.clock.advance(11_000)
    expect(await signableIn(attempt)).toEqual([])
    const refused = await context.submit(attempt, await signAuthorization(context, context.buyer, attempt))
    expect(refused).toEqual({ kind: 'refused', reason: 'relayer_unavailable' })
    const alerts = () => context.logged.filter(({ alert }) => alert === 'relayer-stopped')
    expect(alerts()).toMatchObject([{ error: 'low balance' }])
    await context.clock.advance(11_000)
    expect(await signableIn(attempt)).toEqual([])
    expect(alerts()).toHaveLength(1)
    await context.node.client.setBalance({ address: relayer, value: balance })
    await context.clock.advance(11_000)
    expect(await signableIn(attempt)).toEqual(['USDC', 'cbBTC', 'cbXRP'])
  })

  test.each([
    ['over its daily ceiling', { relayerDailyMax: 1n }, 'relayer_unavailable'],
    ['for whose ceiling gas is too expensive', { relayerMaxFee: 1n }, 'relayer_unavailable'],
    ['for which the receipt is too small', { relayerMinCents: 1_001n }, 'amount_too_small'],
  ])('%s takes nothing', async (_, terms, reason) => {
    const attempt = await context.open()
    const other = await startApi({ beside: context, chain: () => context.needs.chain, relayerKey, ...terms })
    const signed = await signAuthorization(context, context.buyer, attempt)
    const path = `/api/checkout/${attempt.receiptId}`
    const query = `?recipient=${attempt.merchant}`
    expect((await other.call('GET', path + query)).body.signableTokens).toEqual([])
    const { authorization, signature } = signed
    const response = await other.call('POST', `${path}/signatures${query}`, {
      body: {
        attemptId: attempt.id,
        authorization: {
          ...authorization,
          value: String(authorization.value),
          validAfter: '0',
          validBefore: String(authorization.validBefore),
        },
        signature,
      },
    })
    expect(response).toMatchObject({ status: 400, body: { reason } })
    await other.stop()
  })

  test.each([
    [107_000n, ['USDC'], []],
    [140_000n, ['USDC'], ['USDT']],
    [200_000n, ['USDC', 'cbBTC', 'cbXRP'], ['USDT']],
  ])('that pays for %d gas offers the ways that cost less', async (gas, signable, through) => {
    const attempt = await context.open()
    const { maxFeePerGas } = await context.needs.chain.readFees()
    const relayerMaxFee = gas * maxFeePerGas
    const other = await startApi({
      beside: context,
      chain: () => context.needs.chain,
      relayerKey,
      relayerMaxFee,
    })
    const path = `/api/checkout/${attempt.receiptId}`
    const query = `?recipient=${attempt.merchant}`
    const view = (await other.call('GET', path + query)).body
    expect([view.signableTokens, view.permit2Tokens]).toEqual([signable, through])
    const body = { token: 'cbBTC', payer: (await fundPermitBuyer(context)).wallet }
    const asked = await other.call('POST', `${path}/signature-request${query}`, { body })
    const isOffered = signable.includes('cbBTC')
    expect(asked.body.reason).toBe(isOffered ? undefined : 'relayer_unavailable')
    await other.stop()
  })

  test('over a slow endpoint submits each signature once, although jobs and requests overlap', async () => {
    const attempts = [await context.open(), await context.open(), await context.open()]
    const signed = await Promise.all(attempts.map((each) => signAuthorization(context, context.buyer, each)))
    await far.whileFar(async () => {
      const taken = attempts.flatMap((each, i) => {
        const one = signed[i]
        return one ? [context.submit(each, one), context.submit(each, one)] : []
      })
      expect((await Promise.all(taken)).every(({ kind }) => kind === 'accepted')).toBe(true)
      await Promise.all([context.run(jobNames.relayPayments), context.run(jobNames.relayPayments)])
      await passBlock(context)
      await context.run(jobNames.relayPayments)
    })
    await context.run(jobNames.scanTransfers)
    for (const [i, attempt] of attempts.entries()) {
      expect(await context.statusOf(attempt)).toBe('paid')
      expect(await context.countSent('relay', signed[i]?.authorization.nonce ?? '')).toBe(1)
    }
  })
})

describe('a signature that expires before it is in a block', () => {
  test('is given up for a transfer of nothing: no gas is burnt by a revert, and the next one goes through', async () => {
    const [late, next] = [await context.open(), await context.open()]
    const validBefore = BigInt(Math.floor(context.needs.chain.time.now() / 1000)) + 30n
    const signed = await signAuthorization(context, context.buyer, late, { validBefore })
    expect(await context.submit(late, signed)).toMatchObject({ kind: 'accepted' })
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(late))[0]).toMatchObject({ state: 'sent' })
    await context.node.passTime(31)
    await context.clock.advance(31_000)
    await context.run(jobNames.settleTransactions)
    await passBlock(context)
    await context.run(jobNames.settleTransactions, jobNames.relayPayments)
    const sent = await context.rows<{ kind: string; state: string }>(
      `SELECT kind, state FROM outgoing_transaction WHERE nonce = (SELECT nonce FROM outgoing_transaction
        WHERE detail::text LIKE '%${signed.authorization.nonce}%') AND sender = '${openSender(relayerKey).address}'
        ORDER BY attempt`,
    )
    expect(sent).toEqual([
      { kind: 'relay', state: 'replaced' },
      { kind: 'fill', state: 'mined' },
    ])
    expect((await context.relaysOf(late))[0]).toMatchObject({
      state: 'failed',
      reason: 'authorization_expired',
    })
    expect(await context.statusOf(late)).not.toBe('paid')
    expect(await context.submit(next, await signAuthorization(context, context.buyer, next))).toMatchObject({
      kind: 'accepted',
    })
    await context.relayAndMine()
    expect(await context.statusOf(next)).toBe('paid')
  })
})

describe('a smart account', () => {
  test('pays by whatever it takes for its signature (ERC-1271)', async () => {
    const attempt = await context.open()
    const buyer = await fundGaslessBuyer(context)
    await context.node.client.setCode({ address: buyer.wallet, bytecode: accountThatSays('1626ba7e') })
    const { authorization } = await signAuthorization(context, buyer, attempt)
    const taken = await context.submit(attempt, { authorization, signature: `0x${'ab'.repeat(100)}` })
    expect(taken).toMatchObject({ kind: 'accepted' })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
  })

  const inner: Hex = `0x${'ab'.repeat(100)}`

  test.each([
    ['EIP-3009', async (attempt: Attempt, buyer: GaslessBuyer) => signAuthorization(context, buyer, attempt)],
    ['Permit2', async (attempt: Attempt, buyer: GaslessBuyer) => signPermit2(context, buyer, attempt)],
  ])('that is deployed pays by a wrapped signature (ERC-6492), by %s: its own counts', async (way, sign) => {
    const attempt = await context.open(way === 'Permit2' ? 'USDT' : 'USDC')
    const buyer = way === 'Permit2' ? await fundPermit2Buyer(context) : await fundGaslessBuyer(context)
    await context.node.client.setCode({ address: buyer.wallet, bytecode: accountThatTakes(100) })
    const signed = { ...(await sign(attempt, buyer)), signature: wrapSignature(inner) }
    expect(await context.submit(attempt, signed)).toMatchObject({ kind: 'accepted' })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
  })

  test('with a key of its own pays by a wrapped permit', async () => {
    const attempt = await context.open('cbBTC')
    const buyer = await fundPermitBuyer(context)
    await context.node.client.setCode({ address: buyer.wallet, bytecode: '0xfe' })
    const signed = await signPermit(context, buyer, attempt)
    const taken = await context.submit(attempt, { ...signed, signature: wrapSignature(signed.signature) })
    expect(taken).toMatchObject({ kind: 'accepted' })
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
  })

  test('that is not deployed, or whose wrapping is none, pays nothing', async () => {
    const attempt = await context.open()
    const buyer = await fundGaslessBuyer(context)
    const { authorization } = await signAuthorization(context, buyer, attempt)
    const submit = (signature: Hex) => context.submit(attempt, { authorization, signature })
    expect(await submit(wrapSignature(inner))).toEqual({ kind: 'refused', reason: 'account_not_deployed' })
    await context.node.client.setCode({ address: buyer.wallet, bytecode: accountThatTakes(100) })
    const broken: Hex = `${inner}${'6492'.repeat(16)}`
    expect(await submit(broken)).toEqual({ kind: 'refused', reason: 'signature_invalid' })
    expect(await submit(wrapSignature(wrapSignature(inner)))).toEqual({
      kind: 'refused',
      reason: 'transfer_rejected',
    })
  })

  test('that denies the signature pays nothing', async () => {
    const attempt = await context.open()
    const buyer = await fundGaslessBuyer(context)
    await context.node.client.setCode({ address: buyer.wallet, bytecode: accountThatSays('ffffffff') })
    const { authorization } = await signAuthorization(context, buyer, attempt)
    const refused = await context.submit(attempt, { authorization, signature: `0x${'ab'.repeat(100)}` })
    expect(refused).toEqual({ kind: 'refused', reason: 'transfer_rejected' })
    expect(await context.relaysOf(attempt)).toEqual([])
  })
})
