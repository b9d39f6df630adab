import { beforeEach, describe, expect, test } from 'vitest'
import { newWallet } from '../../support/api/sessions.ts'
import { startClaims } from '../../support/chain/refunds.ts'
import { perFile } from '../../support/per-file.ts'

const claims = perFile(startClaims)
beforeEach(() => claims.logIn())

describe('a claim on one’s word', () => {
  test('is shown as such, behind the proven one', async () => {
    const payment = await claims.lostPayment()
    const refundAddress = newWallet().wallet
    const made = await claims.claimByWord(payment, {
      refundAddress,
      contact: '+44 20 7946 0000',
      note: 'from an exchange',
    })
    expect(made.status).toBe(201)
    const unproven = expect.objectContaining({
      id: made.body.caseId,
      isProven: false,
      wallet: null,
      refundAddress,
      contact: '+44 20 7946 0000',
    })
    expect((await claims.fromInbox(payment.transactionHash)).claim).toEqual(unproven)
    await claims.claim(payment, claims.buyer)
    expect(await claims.fromInbox(payment.transactionHash)).toMatchObject({
      claim: { isProven: true },
      otherClaims: [unproven],
    })
  })

  test.each([
    [{ refundAddress: undefined }, 'refundAddress'],
    [{ contact: undefined }, 'contact'],
    [{ contact: '   ' }, 'contact'],
    [{ refundAddress: 'my wallet' }, 'refundAddress'],
    [{ refundAddress: `0x${'0'.repeat(40)}` }, 'refundAddress'],
    [{ contact: 'a\u202eb' }, 'contact'],
    [{ contact: 'two\nlines' }, 'contact'],
    [{ note: 'bell\u0007' }, 'note'],
    [{ note: 'x'.repeat(501) }, 'note'],
    [{ contact: 'x'.repeat(255) }, 'contact'],
  ])('with %j is invalid_input at %s', async (changed, path) => {
    const payment = await claims.lostPayment()
    const response = await claims.claimByWord(payment, changed)
    expect([response.status, response.body.error]).toEqual([400, 'invalid_input'])
    expect(response.body.issues.map((issue: { path: string }) => issue.path)).toContain(path)
    expect((await claims.fromInbox(payment.transactionHash)).claim).toBeNull()
  })

  test('to a token’s address or to the one that was paid to is refused: the money would be lost', async () => {
    const payment = await claims.lostPayment()
    const [found] = await claims.find(payment.transactionHash)
    for (const refundAddress of [claims.tokenAddress('USDC'), found?.to])
      expect((await claims.claimByWord(payment, { refundAddress })).status).toBe(400)
  })

  test('hostile text stays text, byte for byte', async () => {
    const payment = await claims.lostPayment()
    const note = `</td><script>alert(1)</script>'; DROP TABLE payment_claim; --\n=HYPERLINK("http://evil") {{7*7}} 💸`
    expect(
      (await claims.claimByWord(payment, { note, contact: '<img src=x onerror=alert(1)>' })).status,
    ).toBe(201)
    const { claim: shown } = await claims.fromInbox(payment.transactionHash)
    expect(shown).toMatchObject({ note, contact: '<img src=x onerror=alert(1)>' })
  })

  test('a thousand at once leave two from one address, five in all, and the payer’s place free', async () => {
    const payment = await claims.lostPayment()
    const responses = await Promise.all(
      Array.from({ length: 1_000 }, (_, i) =>
        claims.claimByWord(payment, { contact: `bot${i}@example.com` }),
      ),
    )
    const taken = responses.filter(({ status }) => status === 201)
    expect(taken).toHaveLength(2)
    // On a busy machine, the pool has no connection for some of the requests.
    const others = responses.map(({ status }) => status).filter((status) => status !== 201 && status !== 503)
    expect(new Set(others)).toEqual(new Set([400]))
    const rows = await claims.api.rows<{ n: bigint }>(
      'SELECT count(*) AS n FROM payment_claim WHERE note IS NULL',
    )
    expect(rows[0]?.n).toBeLessThan(50n)
    expect((await claims.claim(payment, claims.buyer)).status).toBe(201)
    const { claim: first, otherClaims } = await claims.fromInbox(payment.transactionHash)
    expect([first?.isProven, otherClaims.length]).toEqual([true, 2])
  })

  test('sent twice is one case', async () => {
    const payment = await claims.lostPayment()
    const body = { refundAddress: newWallet().wallet }
    const [first, second] = [await claims.claimByWord(payment, body), await claims.claimByWord(payment, body)]
    expect(second.body.caseId).toBe(first.body.caseId)
  })
})
