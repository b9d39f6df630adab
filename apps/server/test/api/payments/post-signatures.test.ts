import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { transferCall } from '../../../src/payments/relaying/relay-call.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { sendFirst } from '../../support/chain/calls.ts'
import { passBlock, payAttempt } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import { fundGaslessBuyer, signAuthorization } from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

type Signed = Awaited<ReturnType<typeof signAuthorization>>

const pathOf = ({ receiptId, merchant }: Attempt, what: string) =>
  `/api/checkout/${receiptId}${what}?recipient=${merchant}`
const wire = ({ authorization, signature }: Signed, attemptId: string) => ({
  attemptId,
  authorization: {
    ...authorization,
    value: String(authorization.value),
    validAfter: String(authorization.validAfter),
    validBefore: String(authorization.validBefore),
  },
  signature,
})
const hand = (attempt: Attempt, signed: Signed, attemptId = attempt.id) =>
  context.call('POST', pathOf(attempt, '/signatures'), { body: wire(signed, attemptId) })
const viewOf = async (attempt: Attempt) => (await context.call('GET', pathOf(attempt, ''))).body
const seconds = () => BigInt(Math.floor(context.needs.chain.time.now() / 1000))

describe('a message requested', () => {
  test('is signed by a wallet as it comes, handed in, and pays', async () => {
    const attempt = await context.open()
    expect((await viewOf(attempt)).signableTokens).toEqual(['USDC', 'cbBTC', 'cbXRP'])
    const { wallet: payer, privateKey } = context.buyer
    const asked = await context.call('POST', pathOf(attempt, '/signature-request'), {
      body: { token: 'USDC', payer },
    })
    expect(asked.status).toBe(201)
    const { typedData, attemptId } = asked.body
    expect(typedData.message).toMatchObject({
      from: payer,
      to: attempt.depositAddress,
      value: String(attempt.amount),
    })
    const { EIP712Domain: _, ...types } = typedData.types
    const signature = await privateKeyToAccount(privateKey).signTypedData({ ...typedData, types })
    const body = { attemptId, authorization: typedData.message, signature }
    const taken = await context.call('POST', pathOf(attempt, '/signatures'), { body })
    expect(taken).toMatchObject({ status: 201, body: { state: 'waiting', reason: null, payer } })
    await context.relayAndMine()
    const view = await viewOf(attempt)
    expect(view).toMatchObject({ status: 'paid', signedPayment: { state: 'mined' }, signableTokens: [] })
    expect(view.signedPayment.transactionHash).toBe(view.transactionHash)
  })

  test.each([
    ['a token that has no signatures', 'token_not_supported', { token: 'ETH' }],
    ['a wallet that holds too little', 'insufficient_funds', { payer: `0x${'12'.repeat(20)}` }],
  ])('for %s is refused: %s', async (_, reason, change) => {
    const attempt = await context.open()
    const body = { token: 'USDC', payer: context.buyer.wallet, ...change }
    const response = await context.call('POST', pathOf(attempt, '/signature-request'), { body })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input', reason } })
  })
})

describe('a signature is refused, and nothing is stored of it,', () => {
  const refused: readonly (readonly [string, string, (attempt: Attempt) => Promise<Signed>])[] = [
    [
      'over another amount',
      'amount_mismatch',
      (attempt) => signAuthorization(context, context.buyer, attempt, { value: attempt.amount - 1n }),
    ],
    [
      'to another address',
      'recipient_mismatch',
      (attempt) => signAuthorization(context, context.buyer, attempt, { to: context.platform.recipient }),
    ],
    [
      'that has expired',
      'authorization_expired',
      (attempt) => signAuthorization(context, context.buyer, attempt, { validBefore: seconds() }),
    ],
    [
      'that is about to expire',
      'authorization_expired',
      (attempt) => signAuthorization(context, context.buyer, attempt, { validBefore: seconds() + 19n }),
    ],
    [
      'that is not valid yet',
      'not_yet_valid',
      (attempt) => signAuthorization(context, context.buyer, attempt, { validAfter: seconds() + 60n }),
    ],
    [
      'that is good for a day',
      'validity_too_long',
      (attempt) => signAuthorization(context, context.buyer, attempt, { validBefore: seconds() + 86_400n }),
    ],
    [
      'for another chain',
      'signature_invalid',
      (attempt) => signAuthorization(context, context.buyer, attempt, { domain: { chainId: 8453 } }),
    ],
    [
      'for another contract',
      'signature_invalid',
      (attempt) =>
        signAuthorization(context, context.buyer, attempt, {
          domain: { verifyingContract: context.tokenAddress('cbBTC') },
        }),
    ],
    [
      'by another wallet',
      'signature_invalid',
      async (attempt) => {
        const other = await fundGaslessBuyer(context)
        return signAuthorization(context, { ...other, wallet: context.buyer.wallet }, attempt, {})
      },
    ],
    [
      'whose message was changed afterwards',
      'signature_invalid',
      async (attempt) => {
        const signed = await signAuthorization(context, context.buyer, attempt)
        const validBefore = signed.authorization.validBefore + 1n
        return { ...signed, authorization: { ...signed.authorization, validBefore } }
      },
    ],
    [
      'of an account that is not deployed',
      'account_not_deployed',
      async (attempt) => {
        const signed = await signAuthorization(context, context.buyer, attempt)
        return { ...signed, signature: `${signed.signature}${'6492'.repeat(16)}` as const }
      },
    ],
    [
      'of a wallet without the money',
      'insufficient_funds',
      async (attempt) => signAuthorization(context, await fundGaslessBuyer(context, 1), attempt),
    ],
    [
      'that was used on the chain already',
      'authorization_used',
      async (attempt) => {
        const signed = await signAuthorization(context, context.buyer, attempt, {
          to: context.platform.recipient,
        })
        const to = context.tokenAddress('USDC')
        await context.send({ to, data: transferCall(signed.authorization, signed.signature) })
        await passBlock(context)
        const { nonce } = signed.authorization
        return signAuthorization(context, context.buyer, attempt, { nonce })
      },
    ],
  ]
  test.each(refused)('%s: %s', async (_, reason, sign) => {
    const attempt = await context.open()
    const response = await hand(attempt, await sign(attempt))
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input', reason } })
    expect(await context.relaysOf(attempt)).toEqual([])
  })

  test('that was handed in for another receipt', async () => {
    const [first, second] = [await context.open(), await context.open()]
    const signed = await signAuthorization(context, context.buyer, first)
    expect((await hand(first, signed)).status).toBe(201)
    expect((await hand(second, signed)).body.reason).toBe('recipient_mismatch')
    expect((await hand(second, signed, first.id)).body.reason).toBe('attempt_unknown')
    await context.relayAndMine()
    // After the payment is mined, the authorization is used up, even for its own receipt.
    expect((await hand(first, signed)).body.reason).toBe('authorization_used')
  })

  test('while another of the receipt is under way, and for an attempt that is over', async () => {
    const attempt = await context.open()
    await hand(attempt, await signAuthorization(context, context.buyer, attempt))
    const again = await hand(attempt, await signAuthorization(context, context.buyer, attempt))
    expect(again).toMatchObject({ status: 409, body: { error: 'attempt_open', reason: 'payment_under_way' } })
    const request = { token: 'USDC', payer: context.buyer.wallet }
    const asked = await context.call('POST', pathOf(attempt, '/signature-request'), { body: request })
    expect(asked.body.reason).toBe('payment_under_way')
    await context.relayAndMine()
    const late = await hand(attempt, await signAuthorization(context, context.buyer, attempt))
    expect(late.body.reason).toBe('already_paid')
  })

  test('once the receipt was paid otherwise, although nobody has confirmed that yet', async () => {
    const attempt = await context.open()
    await payAttempt(context, attempt, 'deposit')
    await context.run(jobNames.scanTransfers)
    const response = await hand(attempt, await signAuthorization(context, context.buyer, attempt))
    expect(response.body.reason).toBe('already_paid')
  })

  test('from a payer whose signed payment reverted on the chain within a day', async () => {
    const buyer = await fundGaslessBuyer(context, 30)
    const attempt = await context.open()
    await hand(attempt, await signAuthorization(context, buyer, attempt))
    await context.run(jobNames.relayPayments)
    // The payer spends the money in the same block, in a transaction with a higher fee.
    const elsewhere = { to: context.platform.recipient, value: 25_000_000n }
    const spent = await signAuthorization(context, buyer, attempt, elsewhere)
    const data = transferCall(spent.authorization, spent.signature)
    await sendFirst(context, { to: context.tokenAddress('USDC'), data })
    await passBlock(context)
    await context.run(jobNames.relayPayments)
    expect((await context.relaysOf(attempt))[0]).toMatchObject({ state: 'failed', reason: 'reverted' })
    const next = await context.open()
    expect((await hand(next, await signAuthorization(context, buyer, next))).body.reason).toBe(
      'payer_blocked',
    )
  })
})
