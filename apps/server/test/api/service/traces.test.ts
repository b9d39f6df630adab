import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { openTracer } from '../../../src/platform/tracing/open-tracer.ts'
import { receiptBody } from '../../support/api/receipts.ts'
import { startApi } from '../../support/api/start-api.ts'
import { perFile } from '../../support/per-file.ts'

type ReceivedSpan = {
  readonly name: string
  readonly traceId: string
  readonly spanId: string
  readonly parentSpanId?: string
  readonly attributes: readonly { key: string; value: Record<string, unknown> }[]
}

class Collector {
  readonly spans: ReceivedSpan[] = []
  readonly headers: Record<string, unknown>[] = []
  text = ''
  readonly #server: Server

  constructor() {
    this.#server = createServer(async (request, response) => {
      const parts: Buffer[] = []
      for await (const part of request) parts.push(part as Buffer)
      const text = Buffer.concat(parts).toString('utf8')
      this.text += text
      this.headers.push({ ...request.headers, path: request.url })
      for (const resource of JSON.parse(text).resourceSpans)
        for (const scope of resource.scopeSpans) this.spans.push(...scope.spans)
      response.setHeader('content-type', 'application/json').end('{}')
    })
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  close(): Promise<unknown> {
    return new Promise((resolve) => this.#server.close(resolve))
  }
}

const traceId = '0af7651916cd43dd8448eb211c80319c'
const parentId = 'b7ad6b7169203331'

function tracingTo(endpoint: string) {
  const headers = { authorization: 'Bearer for-the-collector' }
  return { tracing: { endpoint, headers, serviceName: 'till', ratio: 1 } }
}

describe('traces', () => {
  const collector = new Collector()
  afterAll(() => collector.close())
  const tracer = perFile(async () => openTracer(tracingTo(await collector.listen()), '1.2.3'))
  const api = perFile(() => startApi({ tracer }))
  const merchant = perFile(() => api.addMerchant())

  beforeAll(async () => {
    const lineItems = [{ label: 'Roast of the month', priceUsd: 18 }]
    const body = receiptBody('traced-1', 18, { lineItems, billingEmail: 'buyer@example.com' })
    const headers = { traceparent: `00-${traceId}-${parentId}-01` }
    const response = await api.call('POST', '/api/receipts', { key: merchant.key, headers, body })
    expect(response.status).toBe(201)
    await tracer.close()
  })

  it('follow a request under the trace its caller began', () => {
    const request = collector.spans.find((span) => span.name === 'POST /api/receipts')
    expect(request).toMatchObject({ traceId, parentSpanId: parentId })
    expect(valuesOf(request)).toMatchObject({
      'http.route': '/api/receipts',
      'http.response.status_code': 201,
    })
  })

  it('hold each statement of the request, guard and handler alike, beneath it', () => {
    const ofRequest = collector.spans.filter((span) => span.traceId === traceId)
    const names = ofRequest.map((span) => span.name)
    expect(names).toContain('find-key-holder')
    expect(names).toContain('insert-receipt')
    const known = new Set([parentId, ...ofRequest.map((span) => span.spanId)])
    expect(ofRequest.filter((span) => !known.has(span.parentSpanId ?? ''))).toEqual([])
  })

  it('say whose they are, to the collector of the settings alone', () => {
    expect(collector.text).toContain('"till"')
    expect(collector.text).toContain('"1.2.3"')
    expect(collector.headers[0]).toMatchObject({
      path: '/v1/traces',
      authorization: 'Bearer for-the-collector',
    })
  })

  it('hold no key, no wallet and nothing of the buyer', () => {
    for (const secret of [merchant.key, merchant.wallet, 'buyer@example.com', 'Roast of the month'])
      expect(collector.text.toLowerCase()).not.toContain(secret.toLowerCase())
  })
})

describe('a collector that is away', () => {
  it('costs spans and no request', async () => {
    const gone = new Collector()
    const endpoint = await gone.listen()
    await gone.close()
    const tracer = await openTracer(tracingTo(endpoint), '1.2.3')
    const api = await startApi({ tracer })
    const { key } = await api.addMerchant()
    expect((await api.call('GET', '/api/receipts', { key })).status).toBe(200)
    await tracer.close()
    expect((await api.call('GET', '/api/receipts', { key })).status).toBe(200)
    await api.stop()
  })
})

function valuesOf(span: ReceivedSpan | undefined): Record<string, unknown> {
  return Object.fromEntries((span?.attributes ?? []).map(({ key, value }) => [key, Object.values(value)[0]]))
}
