import { expect, test } from 'vitest'
import { maxPaymentHeaderBytes, readPaymentHeader } from './read-payment-header.ts'

const authorization = {
  from: '0x857b06519E91e3A54538791bDbb0E22373e36b66',
  to: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  value: '10000',
  validAfter: '1740672089',
  validBefore: '1740672154',
  nonce: `0x${'F3'.repeat(32)}`,
}
const accepted = {
  scheme: 'exact',
  network: 'eip155:84532',
  amount: '10000',
  asset: '0x036CbD53842c5426634e7929541eC2318f3dCF7e',
  payTo: '0x209693Bc6afc0C5328bA36FaF03C514EF312287C',
  maxTimeoutSeconds: 60,
  extra: { name: 'USDC', version: '2' },
}
const good = {
  x402Version: 2,
  accepted,
  payload: { authorization, signature: `0x${'2D'.repeat(65)}` },
  resource: { url: 'https://api.example.com' },
  extensions: {},
}
const encode = (value: unknown) =>
  Buffer.from(typeof value === 'string' ? value : JSON.stringify(value)).toString('base64')
const withAuthorization = (changes: object) => ({
  ...good,
  payload: { ...good.payload, authorization: { ...authorization, ...changes } },
})

test('a payment of the specification is read as it was signed', () => {
  expect(readPaymentHeader(encode(good))).toEqual({
    accepted,
    authorization: {
      ...authorization,
      value: 10_000n,
      validAfter: 1_740_672_089n,
      validBefore: 1_740_672_154n,
      nonce: `0x${'f3'.repeat(32)}`,
      signature: `0x${'2d'.repeat(65)}`,
    },
  })
})

test('a payload of another kind is read, and is no authorization', () => {
  const sent = { ...good, payload: { permit2Authorization: {}, signature: '0x' } }
  expect(readPaymentHeader(encode(sent))).toEqual({ accepted, authorization: undefined })
})

test.each([
  ['the version before', { x402Version: 1, scheme: 'exact', network: 'base', payload: {} }],
  ['a version to come', { ...good, x402Version: 3 }],
  ['a version as text', { ...good, x402Version: '2' }],
  ['no version', { accepted }],
  ['a list', [good]],
])('is refused for its version: %s', (_, sent) => {
  expect(readPaymentHeader(encode(sent))).toMatchObject({ reason: 'invalid_x402_version' })
})

const deep = `{"x402Version":2,"payload":${'{"a":'.repeat(200)}1${'}'.repeat(200)}}`
const wide = `{"x402Version":2,"accepted":[${'0,'.repeat(2_000)}0]}`

test.each([
  ['nothing', ''],
  ['a text that is no base64', '!!!!'],
  ['base64 of URLs', encode(good).replace(/.$/, '_')],
  ['a text cut off', encode(good).slice(0, -1)],
  ['two headers', `${encode(good)}, ${encode(good)}`],
  ['base64 of no JSON', encode('{')],
  ['base64 of bytes that are no text', Buffer.from([0xff, 0xfe, 0xfd]).toString('base64')],
  ['a text', encode('"x402"')],
  ['null', encode('null')],
  ['a number', encode('2')],
  ['nested JSON without end', encode(deep)],
  ['a long list', encode(wide)],
  ['more than is read', 'A'.repeat(maxPaymentHeaderBytes + 4)],
  ['a field that would change objects', encode('{"__proto__":{"x402Version":2}}')],
  ['NUL in a text', encode({ ...good, accepted: { ...accepted, network: 'eip155:1\0' } })],
  ['nothing accepted', encode({ x402Version: 2, payload: good.payload })],
  ['no payload', encode({ x402Version: 2, accepted })],
  ['a payload that is a list', encode({ ...good, payload: [] })],
  ['a payload that is null', encode({ ...good, payload: null })],
  ['an amount as a number', encode({ ...good, accepted: { ...accepted, amount: 10_000 } })],
  ['a value as a number', encode(withAuthorization({ value: 10_000 }))],
  ['a number of hundred digits', encode(withAuthorization({ value: '9'.repeat(100) }))],
  ['a number above 2^256', encode(withAuthorization({ value: (2n ** 256n).toString() }))],
  ['a time above 2^256', encode(withAuthorization({ validBefore: '9'.repeat(78) }))],
  ['a negative number', encode(withAuthorization({ value: '-1' }))],
  ['a number in hexadecimal', encode(withAuthorization({ value: '0x10' }))],
  ['a number with zeros before it', encode(withAuthorization({ value: '010000' }))],
  ['a fraction', encode(withAuthorization({ value: '1.5' }))],
  ['an address too short', encode(withAuthorization({ to: '0x12' }))],
  ['a nonce too long', encode(withAuthorization({ nonce: `0x${'f3'.repeat(33)}` }))],
  ['an empty signature', encode({ ...good, payload: { authorization, signature: '0x' } })],
  ['no signature', encode({ ...good, payload: { authorization } })],
  ['half a byte', encode({ ...good, payload: { authorization, signature: '0x123' } })],
])('is refused as malformed: %s', (_, header) => {
  const refused = readPaymentHeader(header)
  expect(['invalid_payload', 'invalid_x402_version']).toContain('reason' in refused && refused.reason)
  expect('message' in refused && refused.message.length).toBeLessThan(300)
})
