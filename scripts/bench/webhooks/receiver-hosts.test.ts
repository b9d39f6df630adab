import { isIPv4 } from 'node:net'
import { expect, test } from 'vitest'
import { answeredOf, doesHang, receiverHost, receiverMerchant, receiverOf } from './receiver-hosts.ts'

test('every receiver has an address and a merchant of its own; the address says which one it is', () => {
  const numbers = Array.from({ length: 70_000 }, (_, n) => n)
  const hosts = numbers.map(receiverHost)
  expect(new Set(hosts).size).toBe(70_000)
  expect(hosts.every((host) => isIPv4(host) && host.startsWith('127.'))).toBe(true)
  expect(hosts.map(receiverOf)).toEqual(numbers)
  const some = numbers.filter((n) => n % 256 === 255 || n < 256)
  expect(new Set(some.map(receiverMerchant)).size).toBe(some.length)
})

test('one receiver in a hundred hangs, and what is sent to it is not answered', () => {
  expect(Array.from({ length: 10_000 }, (_, n) => n).filter(doesHang)).toHaveLength(100)
  expect(answeredOf(20_000, 10_000)).toBe(19_800)
  expect(answeredOf(150, 50)).toBe(150)
})
