import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { signBody, signStandard, standardSecret, verifyBody, verifyStandard } from './webhook-signature.ts'

const key = 'sk_test_0123456789abcdefghijABCDEFGHIJ0123456789abc123456'
const stamp = { id: 'msg_6f1f7c0e-0a3e-4f6a-9a44-0d0c3f8f4c11', timestampSeconds: 1_700_000_000 }

test("the contract's signature is HMAC-SHA256 of the body's bytes under the key's text, in lower-case hex", async () => {
  const body = '{"amount":"3,00 €"}'
  const expected = createHmac('sha256', key).update(body).digest('hex')
  expect(await signBody(key, body)).toBe(`sha256=${expected}`)
  expect(await signBody(key, Buffer.from(body))).toBe(`sha256=${expected}`)
})

test('the standard signature is over id, time and body, and its secret is the key in base64', async () => {
  const secret = standardSecret(key)
  expect(secret).toMatch(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
  const expected = createHmac('sha256', Buffer.from(secret.slice('whsec_'.length), 'base64'))
    .update(`${stamp.id}.${stamp.timestampSeconds}.{}`)
    .digest('base64')
  expect(await signStandard(key, stamp, '{}')).toBe(`v1,${expected}`)
})

test('what is signed verifies; one changed bit of body, key or stamp does not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.nat(),
      async (body, anyKey, at) => {
        const signed = await signBody(anyKey, body)
        const standard = await signStandard(anyKey, stamp, body)
        expect(await verifyBody(anyKey, body, signed)).toBe(true)
        expect(await verifyStandard(anyKey, stamp, body, `v1,${'A'.repeat(43)}= ${standard} v2,x`)).toBe(true)

        const changed = Uint8Array.from(body)
        changed[at % body.length] = (changed[at % body.length] ?? 0) ^ 1
        expect(await verifyBody(anyKey, changed, signed)).toBe(false)
        expect(await verifyBody(`${anyKey}!`, body, signed)).toBe(false)
        expect(await verifyStandard(anyKey, stamp, changed, standard)).toBe(false)
        expect(await verifyStandard(anyKey, { ...stamp, id: 'msg_other' }, body, standard)).toBe(false)
        expect(
          await verifyStandard(anyKey, { ...stamp, timestampSeconds: 1_700_000_001 }, body, standard),
        ).toBe(false)
      },
    ),
    { numRuns: 60 },
  )
})

test.each([
  '',
  'sha256=',
  'a'.repeat(64),
  `sha1=${'a'.repeat(64)}`,
  `SHA256=${'a'.repeat(64)}`,
  `sha256=${'A'.repeat(64)}`,
  `sha256=${'a'.repeat(63)}`,
  `sha256=${'a'.repeat(65)}`,
  `sha256=${'g'.repeat(64)}`,
])('%s is no signature', async (signature) => {
  expect(await verifyBody(key, '{}', signature)).toBe(false)
  expect(await verifyStandard(key, stamp, '{}', signature)).toBe(false)
})
