import { expect, test } from 'vitest'
import { unlessAborted } from './clock.ts'

const never = new Promise<never>(() => {})

test('work that ends before its signal gives what it came to', async () => {
  const { signal } = new AbortController()
  expect(await unlessAborted(Promise.resolve('done'), signal)).toBe('done')
  await expect(unlessAborted(Promise.reject(new Error('failed')), signal)).rejects.toThrow('failed')
})

test('an aborted signal ends the wait at once with its reason, before or during the work', async () => {
  const stopping = new AbortController()
  const waiting = unlessAborted(never, stopping.signal)
  stopping.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
  await expect(unlessAborted(never, stopping.signal)).rejects.toThrow('stop')
})

test('what the work comes to after it was left is nobody’s fault', async () => {
  const stopping = new AbortController()
  const work = Promise.withResolvers<never>()
  const waiting = unlessAborted(work.promise, stopping.signal)
  stopping.abort(new Error('stop'))
  await expect(waiting).rejects.toThrow('stop')
  work.reject(new Error('too late'))
  await new Promise((resolve) => setImmediate(resolve))
})
