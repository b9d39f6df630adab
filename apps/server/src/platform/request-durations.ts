import type { Metric, MetricValueWithName } from 'prom-client'

const name = 'sluice_request_seconds'
const help = 'Duration of requests, by route and status'
const bounds = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]

/** A request that was answered. */
export type AnsweredRequest = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
}

type Counted = {
  readonly labels: Readonly<Record<'method' | 'route' | 'status', string>>
  /** Of each bound the requests above the bound before it, and at last those above all. */
  readonly counts: number[]
  seconds: number
}

/**
 * How long requests took, as a histogram of Prometheus. The client's own looks its labels up by all their names and
 * values for each request, which was a twentieth of what creating a receipt takes; here that is one look.
 */
export class RequestDurations {
  readonly #counted = new Map<string, Counted>()

  count({ method, route, status, durationMs }: AnsweredRequest): void {
    const seconds = durationMs / 1000
    const counted = this.#find(method, route, status)
    let place = 0
    while (place < bounds.length && seconds > (bounds[place] ?? 0)) place++
    counted.counts[place] = (counted.counts[place] ?? 0) + 1
    counted.seconds += seconds
  }

  /** As a registry of the client takes it, which calls nothing else of a metric. */
  asMetric(): Metric {
    const metric = { name, help, type: 'histogram', get: async () => this.#read() }
    return metric as unknown as Metric
  }

  #find(method: string, route: string, status: number): Counted {
    const key = `${method} ${route} ${status}`
    const known = this.#counted.get(key)
    if (known) return known
    const labels = { method, route, status: String(status) }
    const counted = { labels, counts: new Array<number>(bounds.length + 1).fill(0), seconds: 0 }
    this.#counted.set(key, counted)
    return counted
  }

  #read() {
    const values = [...this.#counted.values()].flatMap(valuesOf)
    return { name, help, type: 'histogram', aggregator: 'sum', values }
  }
}

function valuesOf({ labels, counts, seconds }: Counted): MetricValueWithName<string>[] {
  let total = 0
  const buckets = counts.map((count, i) => {
    total += count
    return { metricName: `${name}_bucket`, labels: { le: bounds[i] ?? '+Inf', ...labels }, value: total }
  })
  return [
    ...buckets,
    { metricName: `${name}_sum`, labels, value: seconds },
    { metricName: `${name}_count`, labels, value: total },
  ]
}
