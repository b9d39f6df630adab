import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import { fundPermitBuyer, signAuthorization, signPermit } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

type Signed = Pick<Awaited<ReturnType<typeof signPermit>>, 'permit' | 'signature'>

const pathOf = ({ receiptId, merchant }: Attempt, what: string) =>
  `/api/checkout/${receiptId}${what}?recipient=${merchant}`
const textsOf = (message: object) =>
  Object.fromEntries(Object.entries(message).map(([name, value]) => [name, String(value)]))
const hand = (attempt: Attempt, { permit, signature }: Signed) =>
  context.call('POST', pathOf(attempt, '/signatures'), {
    body: { attemptId: attempt.id, authorization: textsOf(permit), signature },
  })
const request = (attempt: Attempt, payer: string) =>
  context.call('POST', pathOf(attempt, '/signature-request'), { body: { token: 'cbBTC', payer } })
const seconds = () => BigInt(Math.floor(context.needs.chain.time.now() / 1000))

describe('a permit requested', () => {
  test('is signed by a wallet as it comes, handed in, and pays', async () => {
    const { wallet: payer, privateKey } = await fundPermitBuyer(context)
    const attempt = await context.open('cbBTC')
    const asked = await request(attempt, payer)
    expect(asked.status).toBe(201)
    const { typedData, attemptId } = asked.body
    expect(typedData).toMatchObject({
      primaryType: 'Permit',
      domain: { name: 'Coinbase Wrapped BTC', version: '1', chainId: 31337 },
      message: { owner: payer, value: String(attempt.amount), nonce: '0' },
    })
    expect(typedData.message.spender).not.toBe(attempt.depositAddress)
    const { EIP712Domain: _, ...types } = typedData.types
    const signature = await privateKeyToAccount(privateKey).signTypedData({ ...typedData, types })
    const body = { attemptId, authorization: typedData.message, signature }
    const taken = await context.call('POST', pathOf(attempt, '/signatures'), { body })
    expect(taken).toMatchObject({ status: 201, body: { state: 'waiting', reason: null, payer } })
    await context.relayAndMine()
    const view = (await context.call('GET', pathOf(attempt, ''))).body
    expect(view).toMatchObject({ status: 'paid', signedPayment: { state: 'mined' } })
    expect(view.signedPayment.transactionHash).toBe(view.transactionHash)
  })

  test('waits for the one of the same wallet that is under way', async () => {
    const buyer = await fundPermitBuyer(context)
    const [first, second] = [await context.open('cbBTC'), await context.open('cbBTC')]
    const signed = await signPermit(context, buyer, second)
    expect((await hand(first, await signPermit(context, buyer, first))).status).toBe(201)
    expect((await request(second, buyer.wallet)).body.reason).toBe('payer_busy')
    expect((await hand(second, signed)).body.reason).toBe('payer_busy')
    await context.relayAndMine()
    expect((await hand(second, signed)).body.reason).toBe('authorization_used')
    const asked = await request(second, buyer.wallet)
    expect(asked.body.typedData.message.nonce).toBe('1')
    expect((await hand(second, await signPermit(context, buyer, second))).status).toBe(201)
    await context.relayAndMine()
    expect(await context.statusOf(second)).toBe('paid')
  })

  test('by a wallet that holds too little is refused', async () => {
    const attempt = await context.open('cbBTC')
    const response = await request(attempt, `0x${'12'.repeat(20)}`)
    expect(response).toMatchObject({ status: 400, body: { reason: 'insufficient_funds' } })
  })
})

describe('a permit is refused, and nothing is stored of it,', () => {
  const buyer = perFile(() => fundPermitBuyer(context))
  const refused: readonly (readonly [string, string, (attempt: Attempt) => Promise<Signed>])[] = [
    [
      'over another amount',
      'amount_mismatch',
      (attempt) => signPermit(context, buyer, attempt, { value: attempt.amount - 1n }),
    ],
    [
      'to the deposit address itself',
      'recipient_mismatch',
      (attempt) => signPermit(context, buyer, attempt, { spender: attempt.depositAddress }),
    ],
    [
      'to the spender of another receipt',
      'recipient_mismatch',
      async () => signPermit(context, buyer, await context.open('cbBTC')),
    ],
    [
      'whose deadline is another than its spender’s',
      'recipient_mismatch',
      async (attempt) => {
        const { permit } = await signPermit(context, buyer, attempt)
        return signPermit(context, buyer, attempt, { ...permit, deadline: permit.deadline + 1n })
      },
    ],
    [
      'that is about to expire',
      'authorization_expired',
      (attempt) => signPermit(context, buyer, attempt, { deadline: seconds() + 18n }),
    ],
    [
      'that is good for a day',
      'validity_too_long',
      (attempt) => signPermit(context, buyer, attempt, { deadline: seconds() + 86_400n }),
    ],
    [
      'for another chain',
      'signature_invalid',
      (attempt) => signPermit(context, buyer, attempt, { chainId: 8453 }),
    ],
    [
      'by another wallet',
      'signature_invalid',
      async (attempt) => {
        const other = await fundPermitBuyer(context)
        return signPermit(context, { ...other, wallet: buyer.wallet }, attempt)
      },
    ],
    [
      'by a signature that is no key’s',
      'signature_invalid',
      async (attempt) => ({ ...(await signPermit(context, buyer, attempt)), signature: '0x1234' as const }),
    ],
    [
      'with a nonce that is not the next one',
      'transfer_rejected',
      (attempt) => signPermit(context, buyer, attempt, { nonce: 5n }),
    ],
    [
      'of a wallet without the money',
      'insufficient_funds',
      async (attempt) => signPermit(context, await fundPermitBuyer(context, 0), attempt),
    ],
  ]
  test.each(refused)('%s: %s', async (_, reason, sign) => {
    const attempt = await context.open('cbBTC')
    const response = await hand(attempt, await sign(attempt))
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input', reason } })
    expect(await context.relaysOf(attempt)).toEqual([])
  })

  test.each([
    ['a nonce beyond any', 'nonce'],
    ['a deadline beyond any', 'deadline'],
  ])('with %s', async (_, field) => {
    const attempt = await context.open('cbBTC')
    const signed = await signPermit(context, buyer, attempt)
    const permit = { ...signed.permit, [field]: 10n ** 78n - 1n }
    const response = await hand(attempt, { ...signed, permit })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input' } })
  })

  test('in a token that is paid by an authorization, and the other way round', async () => {
    const inUsdc = await context.open('USDC')
    expect((await hand(inUsdc, await signPermit(context, buyer, inUsdc))).body.reason).toBe(
      'recipient_mismatch',
    )
    const attempt = await context.open('cbBTC')
    const { authorization, signature } = await signAuthorization(context, buyer, attempt)
    const body = { attemptId: attempt.id, authorization: textsOf(authorization), signature }
    const response = await context.call('POST', pathOf(attempt, '/signatures'), { body })
    expect(response.body.reason).toBe('token_not_supported')
  })
})
