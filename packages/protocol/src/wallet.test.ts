import fc from 'fast-check'
import { getAddress } from 'viem'
import { expect, test } from 'vitest'
import { isMadeReceiptId, parseReceiptId } from './receipt-id.ts'
import { normaliseStatus } from './receipt-status.ts'
import { parseWallet, parseWalletWord } from './wallet.ts'

test('a wallet in any case becomes its one EIP-55 spelling', () => {
  const spelled = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  expect(parseWallet(spelled.toLowerCase())).toBe(spelled)
  expect(parseWallet(`0x${spelled.slice(2).toUpperCase()}`)).toBe(spelled)
})

test('every wallet is spelled as viem spells it', () => {
  const digits = fc.uint8Array({ minLength: 20, maxLength: 20 })
  fc.assert(
    fc.property(digits, fc.boolean(), (bytes, isUpper) => {
      const hex = Buffer.from(bytes).toString('hex')
      const spelled = getAddress(`0x${hex}`)
      expect(parseWallet(`0x${isUpper ? hex.toUpperCase() : hex}`)).toBe(spelled)
      expect(parseWallet(spelled)).toBe(spelled)
    }),
    { numRuns: 2_000 },
  )
})

test('a word is a wallet where nothing stands before it', () => {
  const spelled = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const hex = spelled.slice(2).toLowerCase()
  for (let i = 0; i < 2; i++) {
    expect(parseWalletWord(`0x${'0'.repeat(24)}${hex}`)).toBe(spelled)
    for (const before of ['1'.padStart(24, '0'), '1'.padEnd(24, '0'), '0'.repeat(23), '0'.repeat(25), ''])
      expect(parseWalletWord(`0x${before}${hex}`)).toBeUndefined()
    expect(parseWalletWord(`0x${'0'.repeat(24)}${hex.slice(1)}g`)).toBeUndefined()
  }
})

test('a wallet is spelled the same however many others were read since', () => {
  const spelled = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAed'
  const others = (count: number) => {
    for (let n = 0; n < count; n++) parseWallet(`0x${n.toString(16).padStart(40, '0')}`)
  }
  for (const count of [0, 1, 4_095, 1, 4_096, 20_000]) {
    others(count)
    expect(parseWallet(spelled.toLowerCase())).toBe(spelled)
    expect(parseWallet(`${spelled.toLowerCase()}0`)).toBeUndefined()
  }
})

const short = '0x5aAeb6053F3E94C9b9A09f33669435E7Ef1BeAe'

test.each(['', '0x', short, `0x${'g'.repeat(40)}`, 7, null, ' 0x'])('%s is no wallet', (value) =>
  expect(parseWallet(value)).toBeUndefined())

const ids = ['a', 'A.b_c:d~e-f', '#1001', 'a/b', '-a', '.a', 'ä', '票-7', '1'.repeat(128)]

test.each(ids)('%s is a receipt id', (id) => expect(parseReceiptId(id)).toBe(id))

const unfit = ['', 'a b', 'a\u0000b', 'a\u202eb', 'a\u200bb', '.', '..', '1'.repeat(129), 7]
const reserved = ['status', 'refund', 'terminal', 'summary']

test.each([...unfit, ...reserved])('%s is no receipt id', (id) => expect(parseReceiptId(id)).toBeUndefined())

test('ids Sluice makes are told by their form', () => {
  expect(isMadeReceiptId(`R-${'0123456789ABCDEFGHJKMNPQRS'}`)).toBe(true)
  expect(isMadeReceiptId(`R-${'I'.repeat(26)}`)).toBe(false)
  expect(isMadeReceiptId('R-1')).toBe(false)
})

test('legacy spellings of a status are read as the canonical one', () => {
  expect(normaliseStatus('completed')).toBe('paid')
  expect(normaliseStatus('ach_pending')).toBe('paid - ach pending')
  expect(normaliseStatus('rejected')).toBe('failed')
  expect(normaliseStatus('tx_mismatch')).toBe('paid')
  expect(normaliseStatus('reconciled')).toBe('reconciled')
  expect(normaliseStatus('toString')).toBeUndefined()
})
