import { expect, test } from 'vitest'
import { keepExchange } from './queued-delivery.ts'

test('of what a receiver answers a little is kept, and nothing that the database would not take', () => {
  const names = Array.from({ length: 1_000 }, (_, i) => [
    `x-${i}-${'n'.repeat(500)}`,
    `\0${'v'.repeat(5_000)}`,
  ])
  const kept = keepExchange(
    { a: 'b' },
    { headers: Object.fromEntries(names), body: Buffer.alloc(60_000, 'x\0') },
  )
  const text = JSON.stringify(kept)
  expect(text.length).toBeLessThan(40_000)
  expect(text).not.toContain('\\u0000')
  expect(kept).toMatchObject({ requestHeaders: { a: 'b' }, isResponseCut: true })
})
