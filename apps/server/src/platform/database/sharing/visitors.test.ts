import { expect, test } from 'vitest'
import { asVisitor, VisitorShare } from './visitors.ts'

function watchedShare() {
  const share = new VisitorShare(() => new Error('full'))
  const begun: string[] = []
  const ends: (() => void)[] = []
  const hold = (name: string) =>
    share.run(() => {
      begun.push(name)
      return new Promise<void>((resolve) => ends.push(resolve))
    })
  const endAll = async () => {
    while (ends.length > 0) {
      for (const end of ends.splice(0)) end()
      await new Promise((resolve) => setImmediate(resolve))
    }
  }
  return { share, begun, hold, endAll }
}

test('visitors hold six connections, three of one address, and others are not held up', async () => {
  const { begun, hold, endAll } = watchedShare()
  const all = ['a', 'b', 'c'].flatMap((address) =>
    Array.from({ length: 5 }, () => asVisitor(address, () => hold(address))),
  )
  all.push(hold('a key'))
  await new Promise((resolve) => setImmediate(resolve))
  expect(begun).toEqual(['a', 'a', 'a', 'b', 'b', 'b', 'a key'])
  await endAll()
  await Promise.all(all)
  expect(begun).toHaveLength(16)
})

test('what a transaction of a visitor asks beside itself does not wait for a second place', async () => {
  const { share } = watchedShare()
  const transactions = Array.from({ length: 9 }, () =>
    asVisitor('a', () => share.run(() => share.run(async () => 'done'))),
  )
  expect(await Promise.all(transactions)).toEqual(Array(9).fill('done'))
})
