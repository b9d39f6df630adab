import { api, contentOf } from '../../api/client.ts'

const lookBack = 200

/** The receipts of which the newest events say that the network took a payment back, and none that it is there again. */
export async function findReversed(): Promise<readonly string[]> {
  const { last } = await contentOf(api.GET('/api/events', { params: { query: { limit: 1 } } }))
  const after = Math.max(0, last - lookBack)
  const { events } = await contentOf(
    api.GET('/api/events', { params: { query: { after, limit: lookBack } } }),
  )
  const states = new Map(events.map(({ receiptId, body }) => [receiptId, stateIn(body)]))
  return [...states].flatMap(([receiptId, state]) => (state === 'orphaned' ? [receiptId] : []))
}

function stateIn(body: string): unknown {
  try {
    return (JSON.parse(body) as { paymentState?: unknown } | null)?.paymentState
  } catch {
    return undefined
  }
}
