import { AsyncLocalStorage } from 'node:async_hooks'
import type { Context, Span, Tracer as SpanMaker } from '@opentelemetry/api'
import type { Config } from '../settings/config.ts'
import { noTracer, type RequestSpan, type SpanFacts, type Tracer } from './tracer.ts'

const closeWithinMs = 1_000

/**
 * Creates a tracer that sends OTLP over HTTP to `OTEL_EXPORTER_OTLP_ENDPOINT`. Without it, loads nothing.
 *
 * If the collector is unavailable, spans are lost, but requests are not affected.
 */
export async function openTracer({ tracing }: Pick<Config, 'tracing'>, version: string): Promise<Tracer> {
  if (!tracing) return noTracer
  const [api, sdk, otlp, core, resources] = await Promise.all([
    import('@opentelemetry/api'),
    import('@opentelemetry/sdk-trace'),
    import('@opentelemetry/exporter-trace-otlp-http'),
    import('@opentelemetry/core'),
    import('@opentelemetry/resources'),
  ])
  const exporter = new otlp.OTLPTraceExporter({
    url: `${tracing.endpoint}/v1/traces`,
    headers: { ...tracing.headers },
    timeoutMillis: 5_000,
  })
  const provider = new sdk.TracerProvider({
    resource: resources.resourceFromAttributes({
      'service.name': tracing.serviceName,
      'service.version': version,
    }),
    sampler: new sdk.ParentBasedSampler({ root: new sdk.TraceIdRatioBasedSampler(tracing.ratio) }),
    spanProcessors: [new sdk.BatchSpanProcessor({ exporter })],
  })
  const propagator = new core.W3CTraceContextPropagator()
  return new OpenTracer(api, provider.getTracer('sluice'), {
    extract: (headers) => propagator.extract(api.ROOT_CONTEXT, headers, api.defaultTextMapGetter),
    close: () => provider.shutdown(),
  })
}

type Api = typeof import('@opentelemetry/api')
type Ways = { extract(headers: object): Context; close(): Promise<void> }

class OpenTracer implements Tracer {
  readonly isOn = true
  readonly #api: Api
  readonly #spans: SpanMaker
  readonly #ways: Ways
  readonly #underWay = new AsyncLocalStorage<Context>()

  constructor(api: Api, spans: SpanMaker, ways: Ways) {
    this.#api = api
    this.#spans = spans
    this.#ways = ways
  }

  request(headers: Readonly<Record<string, string | string[] | undefined>>): RequestSpan {
    const { SpanKind, SpanStatusCode, trace } = this.#api
    const given = this.#ways.extract(headers)
    const span = this.#spans.startSpan('request', { kind: SpanKind.SERVER }, given)
    const within = trace.setSpan(given, span)
    return {
      run: (step) => this.#underWay.run(within, step),
      end({ name, status, ...facts }) {
        span.updateName(name)
        span.setAttributes({ 'http.response.status_code': status, ...facts })
        if (status >= 500) span.setStatus({ code: SpanStatusCode.ERROR })
        span.end()
      },
    }
  }

  part<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T> {
    const parent = this.#underWay.getStore()
    return parent ? this.#during(name, facts, parent, work) : work()
  }

  whole<T>(name: string, facts: SpanFacts, work: () => Promise<T>): Promise<T> {
    return this.#during(name, facts, this.#api.ROOT_CONTEXT, work)
  }

  async close(): Promise<void> {
    // biome-ignore lint/plugin: waits for a real collector, and a simulation has no tracer
    const timeout = AbortSignal.timeout(closeWithinMs)
    const isLate = new Promise<void>((resolve) => timeout.addEventListener('abort', () => resolve()))
    await Promise.race([this.#ways.close().catch(() => {}), isLate])
  }

  async #during<T>(name: string, facts: SpanFacts, parent: Context, work: () => Promise<T>): Promise<T> {
    const { SpanKind, trace } = this.#api
    const span = this.#spans.startSpan(name, { kind: SpanKind.CLIENT, attributes: { ...facts } }, parent)
    try {
      return await this.#underWay.run(trace.setSpan(parent, span), work)
    } catch (error) {
      this.#fail(span, error)
      throw error
    } finally {
      span.end()
    }
  }

  /** Records only the kind of the error: its message may contain values. */
  #fail(span: Span, error: unknown): void {
    span.setAttribute('error.type', error instanceof Error ? error.name : 'unknown')
    span.setStatus({ code: this.#api.SpanStatusCode.ERROR })
  }
}
