import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { defaultRoom, LastAnswers } from '../../../src/platform/last-answers.ts'

setFlagsFromString('--expose-gc')
const gc = runInNewContext('gc') as () => void

const bodies = [
  ['of 2 kB, one to an answer', 1, 2_000, 150_000],
  ['of 30 kB, two to an answer', 2, 30_000, 16_000],
] as const
test.each(bodies)('what last answers take is what they say, beside bodies %s', (_, count, bytes, answerCount) => {
  gc()
  const before = process.memoryUsage()
  const answers = new LastAnswers()
  const text = '{"items":[],"total":0,"nextCursor":null}'
  const chunks = [Buffer.alloc(bytes / 2), Buffer.alloc(bytes / 2)]
  for (let i = 0; i < answerCount; i++) {
    // As a body of a request is put together, and gone at once.
    for (let k = 0; k < count; k++) Buffer.concat(chunks)
    answers.remember(`owner ${i % 20}`, `["/api/inventory",["nobody"],"","q${i}"]`, Buffer.from(text))
  }
  gc()
  const after = process.memoryUsage()
  const grown = after.arrayBuffers - before.arrayBuffers
  console.log({ says: answers.bytes, grown, rss: after.rss - before.rss, bound: defaultRoom.bytes })
  expect(grown).toBeLessThan(2 * defaultRoom.bytes)
  expect(answers.bytes).toBeGreaterThan(0)
})
