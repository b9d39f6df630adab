import { readFileSync } from 'node:fs'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { DepositReferences, depositAddress } from '@sluice/server/src/payments/attempts/references.ts'
import { packNumbers } from '@sluice/server/src/payments/recovery/make-kit.ts'
import type { Address } from 'viem'
import { expect, test } from 'vitest'
import { depositOf, referenceOf, unpackNumbers } from '../../recover.ts'

const seed = Uint8Array.from({ length: 32 }, (_, i) => i)
const factory = '0x4e59b44847b379578588920cA78FbF26c0B4956C'
const split = '0xcA11bde05977b3631167028862bE2a173976CA11'

test('reference and deposit address of a seed, a split and a number never change', () => {
  const reference = referenceOf(seed, split, 457_212_345_600n)
  expect(reference).toBe('0x1a4f05e7a421a0b1e310f7be2d3f27ada745583ecb8ca8a1bb31baae774c9839')
  expect(depositOf({ factory, split, reference })).toBe('0x0934bfc1bc643435ad1854e95697fefba4d266a2')
})

test('references and deposit addresses equal those of the service', () => {
  const references = new DepositReferences(seed)
  for (const number of [0n, 1n, 255n, 256n, 457_212_345_678n]) {
    const reference = references.at(split as Wallet, number)
    expect(referenceOf(seed, split, number)).toBe(reference)
    const address = depositAddress(factory as Wallet, split as Wallet, reference)
    for (const form of [split, split.toLowerCase()])
      expect(depositOf({ factory, split: form as Address, reference })).toBe(address.toLowerCase())
  }
})

test('the numbers of a kit are read as they were written', () => {
  for (const numbers of [[], [0n], [7n, 8n, 9n], [457_212_345_678n, 457_212_345_679n, 2n ** 62n]])
    expect(unpackNumbers(packNumbers(numbers))).toEqual(numbers)
})

test('the program depends on Node, viem and BIP-39 only', () => {
  const source = readFileSync(new URL('../../recover.ts', import.meta.url), 'utf8')
  const packages = [...source.matchAll(/from '([^']+)'|import\('([^']+)'\)/g)].map(([, a, b]) => a ?? b ?? '')
  expect(packages.filter((name) => !/^(node:|viem(\/|$)|@scure\/bip39(\/|$))/.test(name))).toEqual([])
})
