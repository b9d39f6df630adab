import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { ApiError } from '../kernel/api-error.ts'
import { PublicReads } from './list-products.ts'

test('visitors of one shop run two reads, wait for others, and leave a place to another shop', async () => {
  const reads = new PublicReads()
  const running: string[] = []
  const ends: (() => void)[] = []
  const visit = (shop: string) =>
    reads.run(shop as Wallet, () => {
      running.push(shop)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const visits = Array.from({ length: 66 }, () => visit('a'))
  await expect(visit('a')).rejects.toThrow(ApiError)
  visits.push(visit('b'))
  expect(running).toEqual(['a', 'a', 'b'])
  for (let i = 0; i < 67; i++) {
    ends[i]?.()
    await new Promise((resolve) => setImmediate(resolve))
  }
  await Promise.all(visits)
  expect(running).toHaveLength(67)
})
