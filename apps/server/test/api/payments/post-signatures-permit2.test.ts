import type { Wallet } from '@sluice/protocol/wallet.ts'
import { privateKeyToAccount } from 'viem/accounts'
import { describe, expect, test } from 'vitest'
import type { Attempt } from '../../../src/payments/attempts/attempt.ts'
import { permit2Call } from '../../../src/payments/relaying/permit2.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { passBlock } from '../../support/chain/keeper.ts'
import { startRelaying } from '../../support/chain/relaying.ts'
import {
  actAs,
  approvePermit2,
  fundPermit2Buyer,
  signAuthorization,
  signPermit2,
  textsOfPermit2,
} from '../../support/chain/signatures.ts'
import { perFile } from '../../support/per-file.ts'

const context = perFile(startRelaying)

type Signed = Pick<Awaited<ReturnType<typeof signPermit2>>, 'message' | 'payer' | 'signature'>

const pathOf = ({ receiptId, merchant }: Attempt, what: string) =>
  `/api/checkout/${receiptId}${what}?recipient=${merchant}`
const hand = (attempt: Attempt, { message, payer, signature }: Signed) =>
  context.call('POST', pathOf(attempt, '/signatures'), {
    body: { attemptId: attempt.id, authorization: textsOfPermit2(message), payer, signature },
  })
const request = (attempt: Attempt, payer: string) =>
  context.call('POST', pathOf(attempt, '/signature-request'), { body: { token: 'USDT', payer } })
const seconds = () => BigInt(Math.floor(context.needs.chain.time.now() / 1000))

describe('a Permit2 signature requested', () => {
  test('is signed by a wallet as it comes, handed in, and pays', async () => {
    const { wallet: payer, privateKey } = await fundPermit2Buyer(context)
    const attempt = await context.open('USDT')
    const open = (await context.call('GET', pathOf(attempt, ''))).body
    expect(open).toMatchObject({ signableTokens: ['USDC', 'cbBTC', 'cbXRP'], permit2Tokens: ['USDT'] })
    const asked = await request(attempt, payer)
    expect(asked.status).toBe(201)
    const { typedData, attemptId } = asked.body
    expect(typedData).toMatchObject({
      primaryType: 'PermitWitnessTransferFrom',
      domain: {
        name: 'Permit2',
        chainId: 31337,
        verifyingContract: '0x000000000022D473030F116dDEE9F6B43aC78BA3',
      },
      message: {
        permitted: { token: context.tokenAddress('USDT'), amount: String(attempt.amount) },
        spender: context.needs.chain.pullFactory,
        witness: { to: attempt.depositAddress },
      },
    })
    const { EIP712Domain: _, ...types } = typedData.types
    const signature = await privateKeyToAccount(privateKey).signTypedData({ ...typedData, types })
    const body = { attemptId, authorization: typedData.message, payer, signature }
    const taken = await context.call('POST', pathOf(attempt, '/signatures'), { body })
    expect(taken).toMatchObject({ status: 201, body: { state: 'waiting', reason: null, payer } })
    await context.relayAndMine()
    const view = (await context.call('GET', pathOf(attempt, ''))).body
    expect(view).toMatchObject({ status: 'paid', signedPayment: { state: 'mined' }, permit2Tokens: [] })
    expect(view.signedPayment.transactionHash).toBe(view.transactionHash)
  })

  test('needs an approval of Permit2 that is large enough', async () => {
    const attempt = await context.open('USDT')
    for (const approved of [0n, attempt.amount - 1n]) {
      const buyer = await fundPermit2Buyer(context, { approved })
      const refused = { status: 400, body: { error: 'invalid_input', reason: 'not_approved' } }
      expect(await request(attempt, buyer.wallet)).toMatchObject(refused)
    }
    const enough = await fundPermit2Buyer(context, { approved: attempt.amount })
    expect((await request(attempt, enough.wallet)).status).toBe(201)
  })

  test('by a wallet that holds too little is refused', async () => {
    const buyer = await fundPermit2Buyer(context, { dollars: 1 })
    const response = await request(await context.open('USDT'), buyer.wallet)
    expect(response).toMatchObject({ status: 400, body: { reason: 'insufficient_funds' } })
  })

  test('for a bill that a signature of the same wallet paid already is refused, also by its nonce', async () => {
    const buyer = await fundPermit2Buyer(context)
    const attempt = await context.open('USDT')
    const signed = await signPermit2(context, buyer, attempt)
    // A third party submits the signature. The service has not scanned this transaction yet.
    await actAs(context, newWallet().wallet, {
      to: context.needs.chain.pullFactory as Wallet,
      data: permit2Call(signed.pull, buyer.wallet, signed.signature),
    })
    expect((await request(attempt, buyer.wallet)).body.reason).toBe('authorization_used')
    expect((await hand(attempt, signed)).body.reason).toBe('authorization_used')
    const later = await signPermit2(context, buyer, attempt, { deadline: seconds() + 700n })
    expect((await hand(attempt, later)).body.reason).toBe('authorization_used')
    await passBlock(context)
    await context.relayAndMine()
    expect(await context.statusOf(attempt)).toBe('paid')
    expect((await hand(attempt, later)).body.reason).toBe('already_paid')
    expect(await context.balanceOf(context.tokenAddress('USDT'), attempt.depositAddress)).toBe(attempt.amount)
  })
})

describe('a Permit2 signature is refused, and nothing is stored of it,', () => {
  const buyer = perFile(() => fundPermit2Buyer(context))
  const stranger = newWallet().wallet
  const refused: readonly (readonly [string, string, (attempt: Attempt) => Promise<Signed>])[] = [
    [
      'over another amount',
      'amount_mismatch',
      (attempt) =>
        signPermit2(context, buyer, attempt, {
          permitted: { token: context.tokenAddress('USDT'), amount: attempt.amount - 1n },
        }),
    ],
    [
      'of another token',
      'signature_invalid',
      (attempt) =>
        signPermit2(context, buyer, attempt, {
          permitted: { token: context.tokenAddress('USDC'), amount: attempt.amount },
        }),
    ],
    [
      'for another spender',
      'recipient_mismatch',
      (attempt) => signPermit2(context, buyer, attempt, { spender: stranger }),
    ],
    [
      'for another recipient',
      'recipient_mismatch',
      (attempt) => signPermit2(context, buyer, attempt, { witness: { to: stranger } }),
    ],
    [
      'for another receipt',
      'recipient_mismatch',
      async () => signPermit2(context, buyer, await context.open('USDT')),
    ],
    [
      'with a nonce of its own',
      'signature_invalid',
      (attempt) => signPermit2(context, buyer, attempt, { nonce: 7n }),
    ],
    [
      'that is about to expire',
      'authorization_expired',
      (attempt) => signPermit2(context, buyer, attempt, { deadline: seconds() + 18n }),
    ],
    [
      'that is good for a day',
      'validity_too_long',
      (attempt) => signPermit2(context, buyer, attempt, { deadline: seconds() + 86_400n }),
    ],
    [
      'whose deadline was changed after it was signed',
      'signature_invalid',
      async (attempt) => {
        const signed = await signPermit2(context, buyer, attempt)
        return { ...signed, message: { ...signed.message, deadline: signed.message.deadline + 1n } }
      },
    ],
    [
      'whose nonce was changed after it was signed',
      'signature_invalid',
      async (attempt) => {
        const signed = await signPermit2(context, buyer, attempt)
        return { ...signed, message: { ...signed.message, nonce: signed.message.nonce + 1n } }
      },
    ],
    [
      'for another chain',
      'signature_invalid',
      (attempt) => signPermit2(context, buyer, attempt, { chainId: 8453 }),
    ],
    [
      'by another wallet',
      'signature_invalid',
      async (attempt) => ({ ...(await signPermit2(context, buyer, attempt)), payer: stranger }),
    ],
    [
      'by a signature that is no key’s',
      'signature_invalid',
      async (attempt) => ({ ...(await signPermit2(context, buyer, attempt)), signature: '0x1234' as const }),
    ],
    [
      'of a wallet without the money',
      'insufficient_funds',
      async (attempt) => signPermit2(context, await fundPermit2Buyer(context, { dollars: 1 }), attempt),
    ],
    [
      'of a wallet that took its approval back',
      'not_approved',
      async (attempt) => {
        const fickle = await fundPermit2Buyer(context)
        await approvePermit2(context, fickle.wallet, 0n)
        return signPermit2(context, fickle, attempt)
      },
    ],
  ]
  test.each(refused)('%s: %s', async (_, reason, sign) => {
    const attempt = await context.open('USDT')
    const response = await hand(attempt, await sign(attempt))
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input', reason } })
    expect(await context.relaysOf(attempt)).toEqual([])
  })

  test('without the wallet that signed', async () => {
    const attempt = await context.open('USDT')
    const { message, signature } = await signPermit2(context, buyer, attempt)
    const body = { attemptId: attempt.id, authorization: textsOfPermit2(message), signature }
    const response = await context.call('POST', pathOf(attempt, '/signatures'), { body })
    expect(response).toMatchObject({ status: 400, body: { issues: [{ path: 'payer' }] } })
  })

  test.each(['nonce', 'deadline', 'amount'])('with a %s beyond any', async (field) => {
    const attempt = await context.open('USDT')
    const signed = await signPermit2(context, buyer, attempt)
    const beyond = 10n ** 78n - 1n
    const { permitted } = signed.message
    const message =
      field === 'amount'
        ? { ...signed.message, permitted: { ...permitted, amount: beyond } }
        : { ...signed.message, [field]: beyond }
    const response = await hand(attempt, { ...signed, message })
    expect(response).toMatchObject({ status: 400, body: { error: 'invalid_input' } })
  })

  test('in a token that has a signature of its own, and the other way round', async () => {
    const inUsdc = await context.open('USDC')
    expect((await hand(inUsdc, await signPermit2(context, buyer, inUsdc))).body.reason).toBe(
      'token_not_supported',
    )
    const attempt = await context.open('USDT')
    const { authorization, signature } = await signAuthorization(context, buyer, attempt)
    const texts = Object.fromEntries(
      Object.entries(authorization).map(([name, value]) => [name, String(value)]),
    )
    const body = { attemptId: attempt.id, authorization: texts, signature }
    const response = await context.call('POST', pathOf(attempt, '/signatures'), { body })
    expect(response.body.reason).toBe('token_not_supported')
  })

  test('in a shape between two messages', async () => {
    const attempt = await context.open('USDT')
    const { authorization, signature } = await signAuthorization(context, buyer, attempt)
    const texts = Object.fromEntries(
      Object.entries(authorization).map(([name, value]) => [name, String(value)]),
    )
    for (const more of [{ owner: buyer.wallet }, { permitted: 1 }, { permitted: null }]) {
      const body = {
        attemptId: attempt.id,
        authorization: { ...texts, ...more },
        payer: buyer.wallet,
        signature,
      }
      const response = await context.call('POST', pathOf(attempt, '/signatures'), { body })
      expect(response.status).toBe(400)
    }
  })
})
