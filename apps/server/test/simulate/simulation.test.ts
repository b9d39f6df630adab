import { expect, test } from 'vitest'
import { runSimulations } from './run-simulations.ts'

test('twenty simulated seeds break no promise', async () => {
  const { code, output } = await runSimulations('--seeds', '20', '--from', '100001')
  expect(code, output).toBe(0)
  // Starts a PostgreSQL and a chain of its own, while other tests run.
}, 180_000)
