import { Histogram, Registry } from 'prom-client'
import { expect, test } from 'vitest'
import { RequestDurations } from './request-durations.ts'

const requests = [
  { method: 'GET', route: '/api/receipts/:id', status: 200, durationMs: 0.4 },
  { method: 'GET', route: '/api/receipts/:id', status: 200, durationMs: 5 },
  { method: 'GET', route: '/api/receipts/:id', status: 404, durationMs: 5.1 },
  { method: 'POST', route: '/api/receipts', status: 201, durationMs: 10_000 },
  { method: 'POST', route: '/api/receipts', status: 201, durationMs: 60_000 },
]

test('durations are written as the client of Prometheus writes a histogram of the same', async () => {
  const [ours, theirs] = [new Registry(), new Registry()]
  const durations = new RequestDurations()
  ours.registerMetric(durations.asMetric())
  const histogram = new Histogram({
    name: 'sluice_request_seconds',
    help: 'Duration of requests, by route and status',
    labelNames: ['method', 'route', 'status'],
    buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
    registers: [theirs],
  })
  for (const request of requests) {
    const { method, route, status, durationMs } = request
    durations.count(request)
    histogram.observe({ method, route, status: String(status) }, durationMs / 1000)
  }
  expect(await ours.metrics()).toBe(await theirs.metrics())
})
