import { expect, test } from 'vitest'
import { startBadInputs, testWalk } from './bad-inputs/walk.ts'

const inputs = startBadInputs()

testWalk(inputs, (_, cases) => cases)

test('what is wrong is answered in 250 ms by all but one in a hundred', () => {
  const p99 = inputs.asker.percentile(0.99)
  const slowest = inputs.asker.percentile(1).toFixed(1)
  console.log(`${inputs.asker.times.length} bad inputs: p99 ${p99.toFixed(1)} ms, slowest ${slowest} ms`)
  expect(p99).toBeLessThanOrEqual(250)
})
