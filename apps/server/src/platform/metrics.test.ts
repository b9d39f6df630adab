import { expect, test } from 'vitest'
import { Metrics, type Reading } from './metrics.ts'

test('who asks while figures are being read is told the same, and who asks later gets them anew', async () => {
  const asked: ((readings: readonly Reading[]) => void)[] = []
  const metrics = new Metrics(() => new Promise((resolve) => asked.push(resolve)))
  const respond = (value: number) =>
    asked.splice(0).forEach((report) => {
      report([{ name: 'sluice_waiting', help: 'What waits', value }])
    })

  const together = [metrics.write(), metrics.write(), metrics.write()]
  expect(asked.length).toBe(1)
  respond(5)
  for (const { text } of await Promise.all(together)) expect(text).toContain('sluice_waiting 5\n')

  const later = metrics.write()
  respond(6)
  expect((await later).text).toContain('sluice_waiting 6\n')
})

test('figures that could not be read are asked for again', async () => {
  let isBroken = true
  const metrics = new Metrics(async () => {
    if (isBroken) throw new Error('away')
    return [{ name: 'sluice_waiting', help: 'What waits', value: 7 }]
  })
  await expect(metrics.write()).rejects.toThrow('away')
  isBroken = false
  expect((await metrics.write()).text).toContain('sluice_waiting 7\n')
})
