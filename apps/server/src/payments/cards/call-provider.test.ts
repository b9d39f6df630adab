import { expect, test } from 'vitest'
import { TestClock } from '../../../test/support/test-clock.ts'
import { ProviderUnavailable } from '../../onramp/provider.ts'
import { callProvider, callTimeoutMs } from './call-provider.ts'

const never = () => new Promise<never>(() => {})

test('a call that never ends is left when its time is over, and told so', async () => {
  const clock = new TestClock()
  let given: AbortSignal | undefined
  const called = callProvider({ clock }, ({ signal }) => {
    given = signal
    return never()
  })
  const ended = expect(called).rejects.toThrow(ProviderUnavailable)
  await clock.advance(callTimeoutMs)
  await ended
  expect(given?.aborted).toBe(true)
})

test('a call is left when the service stops', async () => {
  const stopping = new AbortController()
  const called = callProvider({ clock: new TestClock() }, never, stopping.signal)
  const ended = expect(called).rejects.toThrow('stop')
  stopping.abort(new Error('stop'))
  await ended
})

test('an answer in time is given', async () => {
  expect(await callProvider({ clock: new TestClock() }, async () => 7)).toBe(7)
})
