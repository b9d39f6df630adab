import { randomBytes } from 'node:crypto'
import type { ReceiptId } from '@sluice/protocol/receipt-id.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { Secrets } from '../../platform/secrets.ts'
import { opensReceipt, signReceiptLink } from './private-link.ts'

const random = { bytes: (count: number) => new Uint8Array(randomBytes(count)) }
const masterKey = 'a master key for links of receipts, long enough'
const secrets = new Secrets(masterKey, random)
const merchant = '0x70997970C51812dc3A010C7d01b50e0d17dc79C8' as Wallet
const receipt = { merchant, id: 'order-1' as ReceiptId }
const now = 1_763_712_000_000 as UnixMs
const dayMs = 86_400_000

test('a link opens its receipt for ninety days, and not a moment longer than its day', () => {
  const link = signReceiptLink(secrets, receipt, now)
  expect(opensReceipt(secrets, receipt, link, now)).toBe(true)
  expect(opensReceipt(secrets, receipt, link, addMs(now, 90 * dayMs))).toBe(true)
  expect(opensReceipt(secrets, receipt, link, addMs(now, 91 * dayMs))).toBe(false)
})

test('it is the same all day, so that asking often makes no new links', () => {
  expect(signReceiptLink(secrets, receipt, addMs(now, 5))).toBe(signReceiptLink(secrets, receipt, now))
  expect(signReceiptLink(secrets, receipt, addMs(now, dayMs))).not.toBe(
    signReceiptLink(secrets, receipt, now),
  )
})

test.each([
  ['another receipt', { ...receipt, id: 'order-2' as ReceiptId }],
  ['another merchant', { ...receipt, merchant: '0x3C44CdDdB6a900fa2b585dd299e03d12FA4293BC' as Wallet }],
])('it opens nothing of %s', (_, other) => {
  expect(opensReceipt(secrets, other, signReceiptLink(secrets, receipt, now), now)).toBe(false)
})

test('an end that was put off, a signature that was changed, and what is no link at all open nothing', () => {
  const link = signReceiptLink(secrets, receipt, now)
  const [end = '', mac = ''] = link.split('.')
  const later = (Number.parseInt(end, 36) + 86_400).toString(36)
  const flipped = `${mac.slice(0, -1)}${mac.endsWith('0') ? '1' : '0'}`
  for (const bad of [
    `${later}.${mac}`,
    `${end}.${flipped}`,
    mac,
    `${end}.`,
    '',
    `${end}.${mac}0`,
    `${link} `,
  ])
    expect([bad, opensReceipt(secrets, receipt, bad, now)]).toEqual([bad, false])
})

test('a link of another key opens nothing; one of the key before does while that one is known', () => {
  const link = signReceiptLink(secrets, receipt, now)
  const fresh = 'another master key, which is long enough too'
  expect(opensReceipt(new Secrets(fresh, random), receipt, link, now)).toBe(false)
  expect(opensReceipt(new Secrets(fresh, random, [masterKey]), receipt, link, now)).toBe(true)
})

test('a sum of the same text for another purpose opens nothing', () => {
  const [end = ''] = signReceiptLink(secrets, receipt, now).split('.')
  const other = secrets.mac('claim origin', `${merchant}\n${end}\n${receipt.id}`)
  expect(opensReceipt(secrets, receipt, `${end}.${other}`, now)).toBe(false)
})
