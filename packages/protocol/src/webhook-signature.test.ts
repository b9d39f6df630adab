import { createHmac } from 'node:crypto'
import fc from 'fast-check'
import { expect, test } from 'vitest'
import { standardSecret, verifyBody, verifyStandard } from './webhook-signature.ts'

const key = 'sk_test_0123456789abcdefghijABCDEFGHIJ0123456789abc123456'
const stamp = { id: 'msg_6f1f7c0e-0a3e-4f6a-9a44-0d0c3f8f4c11', timestampSeconds: 1_700_000_000 }

const hmac = (secret: string | Uint8Array, ...parts: readonly (string | Uint8Array)[]) => {
  const made = createHmac('sha256', secret)
  for (const part of parts) made.update(part)
  return made
}
const signBody = (secret: string, body: string | Uint8Array) => `sha256=${hmac(secret, body).digest('hex')}`
const signStandard = (secret: string, body: string | Uint8Array) => {
  const bytes = Buffer.from(standardSecret(secret).slice('whsec_'.length), 'base64')
  return `v1,${hmac(bytes, `${stamp.id}.${stamp.timestampSeconds}.`, body).digest('base64')}`
}

test("the contract's signature is HMAC-SHA256 of the body's bytes under the key's text, in lower-case hex", async () => {
  const body = '{"amount":"3,00 €"}'
  expect(await verifyBody(key, body, signBody(key, body))).toBe(true)
  expect(await verifyBody(key, Buffer.from(body), signBody(key, body))).toBe(true)
})

test('the standard signature is over id, time and body, and its secret is the key in base64', async () => {
  expect(standardSecret(key)).toMatch(/^whsec_[A-Za-z0-9+/]+={0,2}$/)
  expect(await verifyStandard(key, stamp, '{}', signStandard(key, '{}'))).toBe(true)
})

test('what is signed verifies; one changed bit of body, key or stamp does not', async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.uint8Array({ minLength: 1, maxLength: 300 }),
      fc.string({ unit: 'binary', minLength: 1, maxLength: 60 }),
      fc.nat(),
      async (body, anyKey, at) => {
        const signed = signBody(anyKey, body)
        const standard = signStandard(anyKey, body)
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
