import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import { findCase } from '../../../src/payments/claims/find-case.ts'
import { changeSite } from '../../../src/site/change-site.ts'
import { testBaseUrl } from '../../support/api/call-api.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { signTyped, startClaims } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const claims = perFile(startClaims)
beforeEach(() => claims.logIn())

describe('looking a payment up', () => {
  test('finds what reached a merchant and no receipt, with what the chain shows of it and no more', async () => {
    const payment = await claims.lostPayment()
    const found = await claims.find(payment.transactionHash)
    expect(found).toEqual([
      {
        transactionHash: payment.transactionHash,
        logIndex: expect.any(Number),
        token: 'USDC',
        tokenAddress: claims.tokenAddress('USDC'),
        tokenName: null,
        decimals: 6,
        amount: '10000000',
        payer: claims.buyer.address,
        to: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        at: expect.any(Number),
      },
    ])
    const text = JSON.stringify(found).toLowerCase()
    expect(text).not.toContain(claims.merchant.wallet.toLowerCase())
    expect(text).not.toContain(payment.receiptId)
    expect(await claims.find(payment.transactionHash.toUpperCase().replace('0X', '0x'))).toEqual(found)
  })

  test('answers a hash nobody knows, one that was credited and one that was decided about alike', async () => {
    const payment = await claims.lostPayment()
    const decided = await claims.lostPayment()
    expect(
      (await claims.decide((await claims.fromInbox(decided.transactionHash)).id, { action: 'refund' }))
        .status,
    ).toBe(200)
    for (const hash of [`0x${'ab'.repeat(32)}`, payment.credited, decided.transactionHash, 'hello', ''])
      expect([hash, await claims.find(hash)]).toEqual([hash, []])
    const bodies = await Promise.all(
      [`0x${'ab'.repeat(32)}` as Hex, payment.credited, decided.transactionHash].map(
        async (transactionHash) => {
          const response = await claims.claimByWord({ transactionHash, logIndex: 0 })
          return [response.status, response.text]
        },
      ),
    )
    expect(new Set(bodies.map(String)).size).toBe(1)
    expect(bodies[0]?.[0]).toBe(404)
  })

  test('still finds what the merchant keeps: that can be decided otherwise', async () => {
    const payment = await claims.lostPayment()
    expect(
      (await claims.decide((await claims.fromInbox(payment.transactionHash)).id, { action: 'keep' })).status,
    ).toBe(200)
    expect(await claims.find(payment.transactionHash)).toHaveLength(1)
  })

  test('at the address of another brand there is nothing', async () => {
    const payment = await claims.lostPayment()
    await changeSite(claims.needs, 'partner', {
      domains: ['partner.example.com'],
      theme: { brandName: 'Partner' },
    })
    expect(await claims.find(payment.transactionHash, 'pay.example.com')).toHaveLength(1)
    expect(await claims.find(payment.transactionHash, 'partner.example.com')).toEqual([])
  })
})

describe('a claim by the wallet that paid', () => {
  test('is proven, shown to the merchant, and followed by its number', async () => {
    const payment = await claims.lostPayment()
    const made = await claims.claim(payment, claims.buyer, { contact: ' me@example.com ', note: 'Order 7' })
    expect(made.status).toBe(201)
    const { caseId, caseUrl } = made.body
    expect(caseId).toMatch(/^C-[0-9A-HJKMNP-TV-Z]{26}$/)
    expect(caseUrl).toBe(`${testBaseUrl}/claim/${caseId}`)
    expect(await claims.fromInbox(payment.transactionHash)).toMatchObject({
      state: 'open',
      claim: {
        id: caseId,
        isProven: true,
        wallet: claims.buyer.address,
        refundAddress: claims.buyer.address,
        contact: 'me@example.com',
        note: 'Order 7',
        at: expect.any(Number),
      },
      otherClaims: [],
    })
    const view = await findCase(claims.needs, caseId, undefined)
    expect(view).toMatchObject({ state: 'open', isProven: true, refund: null, decidedAt: null })
    const text = JSON.stringify(view)
    for (const hidden of [claims.merchant.wallet, payment.receiptId, 'me@example.com', 'Order 7'])
      expect(text).not.toContain(hidden)
  })

  test('moves nothing: balances, receipts and the state of the payment stay', async () => {
    const payment = await claims.lostPayment()
    const before = await claims.fromInbox(payment.transactionHash)
    const status = await claims.status(payment.receiptId)
    await claims.claim(payment, claims.buyer)
    expect(await claims.fromInbox(payment.transactionHash)).toMatchObject({
      ...before,
      claim: expect.anything(),
    })
    expect(await claims.status(payment.receiptId)).toBe(status)
  })

  test('made again keeps its number and says what was said last', async () => {
    const payment = await claims.lostPayment()
    const first = await claims.claim(payment, claims.buyer, { contact: 'old@example.com' })
    const second = await claims.claim(payment, claims.buyer, { contact: 'new@example.com' })
    expect(second.body.caseId).toBe(first.body.caseId)
    expect(await claims.fromInbox(payment.transactionHash)).toMatchObject({
      claim: { contact: 'new@example.com' },
      otherClaims: [],
    })
  })

  test('may ask for the refund elsewhere, if that was signed', async () => {
    const payment = await claims.lostPayment()
    const refundAddress = newWallet().wallet
    const typedData = await claims.challenge(payment, claims.buyer, { refundAddress })
    expect(typedData.message).toMatchObject({ refundAddress, chainId: 31337, host: 'pay.example.com' })
    const proof = {
      wallet: claims.buyer.address,
      nonce: typedData.message.nonce,
      signature: await signTyped(claims.buyer, typedData),
    }
    const { transactionHash, logIndex } = payment
    // The signed address counts, not the address next to the signature.
    const made = await claims.post('', {
      transactionHash,
      logIndex,
      proof,
      refundAddress: newWallet().wallet,
    })
    expect(made.status).toBe(201)
    expect((await claims.fromInbox(transactionHash)).claim?.refundAddress).toBe(refundAddress)
  })
})
