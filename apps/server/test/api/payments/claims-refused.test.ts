import type { Hex } from 'viem'
import { beforeEach, describe, expect, test } from 'vitest'
import type { ApiResponse } from '../../support/api/call-api.ts'
import { newSigner, signTyped, startClaims } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const claims = perFile(startClaims)
beforeEach(() => claims.logIn())

describe('what proves nothing', () => {
  const refusedAs = async (response: Promise<ApiResponse>, status: number, why?: RegExp) => {
    const { status: got, body } = await response
    expect([got, body.message]).toEqual([status, expect.stringMatching(why ?? /./)])
  }
  test('a signature used once is used up, whether it was good or not', async () => {
    const payment = await claims.lostPayment()
    const typedData = await claims.challenge(payment, claims.buyer)
    const { nonce } = typedData.message
    const good = { wallet: claims.buyer.address, nonce, signature: await signTyped(claims.buyer, typedData) }
    expect((await claims.sendProof(payment, good)).status).toBe(201)
    await refusedAs(claims.sendProof(payment, good), 403, /already used/)
    const again = await claims.challenge(payment, claims.buyer)
    const bad = {
      wallet: claims.buyer.address,
      nonce: again.message.nonce,
      signature: `0x${'11'.repeat(65)}`,
    }
    await refusedAs(claims.sendProof(payment, bad), 403, /not signed by this wallet/)
    const late = { ...bad, signature: await signTyped(claims.buyer, again) }
    await refusedAs(claims.sendProof(payment, late), 403, /already used/)
  })

  test('two at the same moment with one nonce are one', async () => {
    const payment = await claims.lostPayment()
    const proof = await claims.prove(payment, claims.buyer)
    const responses = await Promise.all([1, 2, 3, 4].map(() => claims.sendProof(payment, proof)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([201, 403, 403, 403])
  })

  test('a signature of another wallet, also of one that says it is the payer', async () => {
    const payment = await claims.lostPayment()
    const thief = newSigner()
    expect((await claims.claim(payment, thief)).status).toBe(404)
    const typedData = await claims.challenge(payment, claims.buyer)
    const signature = await signTyped(thief, typedData)
    const proof = { wallet: claims.buyer.address, nonce: typedData.message.nonce, signature }
    await refusedAs(claims.sendProof(payment, proof), 403, /not signed by this wallet/)
    const own = await claims.challenge(payment, thief)
    const swapped = {
      wallet: claims.buyer.address,
      nonce: own.message.nonce,
      signature: await signTyped(thief, own),
    }
    await refusedAs(claims.sendProof(payment, swapped), 403, /another wallet's/)
    expect((await claims.fromInbox(payment.transactionHash)).claim).toBeNull()
  })

  test('a signature for another payment', async () => {
    const [payment, other] = [await claims.lostPayment(), await claims.lostPayment()]
    const proof = await claims.prove(other, claims.buyer)
    await refusedAs(claims.sendProof(payment, proof), 403, /another payment's/)
  })

  test.each([
    ['another chain', { chainId: 1 }],
    ['another address for the refund', { refundAddress: `0x${'12'.repeat(20)}` }],
    ['another site', { host: 'evil.example.com' }],
    ['a longer time', { expiresAt: 9_999_999_999_999 }],
    ['the login', { purpose: 'Log in to the merchant web app. This signature moves no money.' }],
  ])('a signature over the same with %s in it', async (_, changed) => {
    const payment = await claims.lostPayment()
    const typedData = await claims.challenge(payment, claims.buyer)
    const forged = { ...typedData, message: { ...typedData.message, ...changed } }
    const proof = {
      wallet: claims.buyer.address,
      nonce: typedData.message.nonce,
      signature: await signTyped(claims.buyer, forged),
    }
    await refusedAs(claims.sendProof(payment, proof), 403, /not signed by this wallet/)
  })

  test('a challenge that is over', async () => {
    const payment = await claims.lostPayment()
    const proof = await claims.prove(payment, claims.buyer)
    claims.api.clock.jumpTo(claims.api.clock.now() + 5 * 60_000)
    await refusedAs(claims.sendProof(payment, proof), 403, /expired/)
  })

  test('a challenge of the login, and a nonce nobody made', async () => {
    const payment = await claims.lostPayment()
    const login = await claims.api.call('POST', '/api/auth/challenge', {
      body: { address: claims.buyer.address },
    })
    const { nonce } = login.body.typedData.message
    const signature = await signTyped(claims.buyer, login.body.typedData)
    await refusedAs(
      claims.sendProof(payment, { wallet: claims.buyer.address, nonce, signature }),
      403,
      /unknown/,
    )
    const made = { wallet: claims.buyer.address, nonce: `0x${'00'.repeat(32)}`, signature }
    await refusedAs(claims.sendProof(payment, made), 403, /unknown/)
  })

  test('what a page of another site asks for', async () => {
    const payment = await claims.lostPayment()
    const origin = { origin: 'https://evil.example.com' }
    const { transactionHash, logIndex } = payment
    const asked = claims.post(
      '/challenge',
      { transactionHash, logIndex, wallet: claims.buyer.address },
      origin,
    )
    await refusedAs(asked, 403, /Origin/)
    const proof = await claims.prove(payment, claims.buyer)
    await refusedAs(claims.sendProof(payment, proof, origin), 403, /Origin/)
  })

  test('a challenge is given for any transaction, so that it tells nothing', async () => {
    const unknown = { transactionHash: `0x${'cd'.repeat(32)}` as Hex, logIndex: 3 }
    const proof = await claims.prove(unknown, claims.buyer)
    await refusedAs(claims.sendProof(unknown, proof), 404)
  })
})
