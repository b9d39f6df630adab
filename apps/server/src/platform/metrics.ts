import { Counter, collectDefaultMetrics, Gauge, Histogram, Registry } from 'prom-client'

export type Reading = {
  readonly name: string
  readonly help: string
  readonly labels?: Readonly<Record<string, string>>
  readonly value: number
}

type AnsweredRequest = {
  readonly method: string
  readonly route: string
  readonly status: number
  readonly durationMs: number
}

export type WebhookAttempt = {
  readonly outcome: 'delivered' | 'refused' | 'timeout' | 'unreachable'
  readonly latenessMs: number
}

/**
 * Prometheus metrics of this process.
 *
 * Labels are few and fixed (routes, never paths; statuses; outcomes), so that callers cannot multiply them.
 * None identifies a merchant.
 */
export class Metrics {
  readonly #registry = new Registry()
  readonly #requests: Histogram<'method' | 'route' | 'status'>
  readonly #attempts: Counter<'outcome'>
  readonly #lateness: Histogram
  readonly #read: () => Promise<readonly Reading[]>
  readonly #gauges = new Map<string, Gauge>()
  #writing: ReturnType<Metrics['write']> | undefined

  constructor(read: () => Promise<readonly Reading[]>) {
    const registers = [this.#registry]
    this.#read = read
    collectDefaultMetrics({ register: this.#registry })
    this.#requests = new Histogram({
      name: 'sluice_request_seconds',
      help: 'Duration of requests, by route and status',
      labelNames: ['method', 'route', 'status'],
      buckets: [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10],
      registers,
    })
    this.#attempts = new Counter({
      name: 'sluice_webhook_attempts_total',
      help: 'Webhook delivery attempts, by outcome',
      labelNames: ['outcome'],
      registers,
    })
    this.#lateness = new Histogram({
      name: 'sluice_webhook_lateness_seconds',
      help: 'Delay between the due time and the start of a delivery attempt',
      buckets: [0.05, 0.1, 0.25, 0.5, 1, 2, 5, 15, 60, 300],
      registers,
    })
  }

  countRequest({ method, route, status, durationMs }: AnsweredRequest): void {
    this.#requests.observe({ method, route, status }, durationMs / 1000)
  }

  countWebhookAttempt(attempt: WebhookAttempt): void {
    this.#attempts.inc({ outcome: attempt.outcome })
    this.#lateness.observe(Math.max(0, attempt.latenessMs) / 1000)
  }

  /**
   * Returns all metrics in Prometheus text format, with the content type.
   *
   * Concurrent calls share one run, because it counts rows in the database.
   */
  write(): Promise<{ contentType: string; text: string }> {
    this.#writing ??= this.#write().finally(() => {
      this.#writing = undefined
    })
    return this.#writing
  }

  async #write(): Promise<{ contentType: string; text: string }> {
    for (const gauge of this.#gauges.values()) gauge.reset()
    for (const reading of await this.#read()) this.#gaugeOf(reading).set({ ...reading.labels }, reading.value)
    return { contentType: this.#registry.contentType, text: await this.#registry.metrics() }
  }

  #gaugeOf({ name, help, labels = {} }: Reading): Gauge {
    const known = this.#gauges.get(name)
    if (known) return known
    const gauge = new Gauge({ name, help, labelNames: Object.keys(labels), registers: [this.#registry] })
    this.#gauges.set(name, gauge)
    return gauge
  }
}
