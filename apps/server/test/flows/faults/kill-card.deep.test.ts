import { payingCard } from '@sluice/protocol/test-cards.ts'
import { parseAbiItem } from 'viem'
import { expect, test } from 'vitest'
import { anvilClient } from '../../../src/local/anvil.ts'
import { Pool } from '../../../src/platform/database/database.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { askUntilAnswered } from '../../support/kill/client.ts'
import { copySeededData } from '../../support/kill/seeded.ts'
import { readLocal } from '../../support/kill/service.ts'
import { SupervisedService } from '../../support/kill/supervised-service.ts'
import { findServicePort } from '../../support/programs/service-port.ts'

const receiptCount = 3
/** Moments at which successive processes die. */
const moments = [
  // The session is recorded, but the provider does not know it yet.
  'after-commit:insert-onramp-session',
  // The provider has created the session, but its response is lost.
  'after-commit:insert-sandbox-session',
  'before-commit:save-onramp-session',
  // The buyer was charged, but the event is still in transit.
  'after-commit:save-sandbox-session',
  'after-commit:save-onramp-event-outcome',
  'after-commit:insert-outgoing-transaction',
]
const transfer = parseAbiItem('event Transfer(address indexed from, address indexed to, uint256 value)')

test('a receipt has one session, one charge and one delivery, wherever the service is killed', async () => {
  const data = await copySeededData()
  const service = new SupervisedService({ dataDir: data.dataDir, port: await findServicePort() }, moments)
  try {
    await service.untilReady()
    const { baseUrl, databaseUrl, rpcUrl, merchant, subscriptionKey, tokens } = await readLocal(data.dataDir)
    const key = { 'ocp-apim-subscription-key': subscriptionKey }
    const post = (path: string, body: object) =>
      ask(baseUrl + path, {
        method: 'POST',
        headers: { ...key, 'content-type': 'application/json' },
        body: JSON.stringify(body),
      })
    const get = (path: string) => ask(baseUrl + path, { headers: key })
    const open = (id: string) => post(`/api/checkout/${id}/onramp?recipient=${merchant.address}`, {})

    const payOne = async (id: string) => {
      await post('/api/receipts', { id, lineItems: [{ label: 'Tea', priceUsd: 8 }], totalUsd: 8 })
      const sessions = [await open(id), ...(await Promise.all([open(id), open(id)]))]
      expect(new Set(sessions.map(({ url }) => url)).size).toBe(1)
      const { url, providerSessionId } = sessions[0] ?? {}
      const form = new URLSearchParams({ method: 'card', number: payingCard })
      const headers = { origin: baseUrl }
      await ask(url, { method: 'POST', headers, body: form, redirect: 'manual' })
      const status = async () => (await get(`/api/receipts/status?receiptId=${id}`)).status
      await expect.poll(status, { timeout: 900_000, interval: 200 }).toBe('reconciled')
      return [id, providerSessionId] as const
    }
    const ids = Array.from({ length: receiptCount }, (_, i) => `killed-card-${i}`)
    const opened = await Promise.all(ids.map(payOne))
    expect(service.deathCount).toBe(moments.length)

    const { events } = await get('/api/events?limit=200')
    for (const [id, providerSessionId] of opened) {
      const status = await get(`/api/receipts/status?receiptId=${id}`)
      expect(status).toMatchObject({ providerSessionId, isProviderSessionUnique: true })
      const about = events.filter(({ receiptId }: { receiptId: string }) => receiptId === id)
      const reported = about.map(({ body }: { body: string }) => JSON.parse(body).status)
      expect(reported).toEqual(['paid', 'reconciled'])
      expect((await get(`/api/receipts/${id}`)).payment).toMatchObject({ received: 8, excess: 0 })
    }
    const db = new Pool({ url: databaseUrl, max: 1, log: makeLog('silent') })
    const read = <Row extends object>(text: string) => db.rows<Row>({ name: '', text })
    const made = await read<{ to: string }>('SELECT deposit_address AS to FROM sandbox_session')
    expect(await read('SELECT 1 FROM onramp_session')).toHaveLength(receiptCount)
    await db.close()
    expect(made).toHaveLength(receiptCount)
    const to = made.map((each) => each.to as `0x${string}`)
    const delivered = await anvilClient(rpcUrl).getLogs({
      address: tokens.USDC,
      event: transfer,
      args: { to },
      fromBlock: 0n,
    })
    expect(delivered).toHaveLength(receiptCount)
    await service.stop()
  } finally {
    await service.abandon()
    await data.remove()
  }
}, 1_800_000)

// biome-ignore lint/suspicious/noExplicitAny: tests read any field of the response
async function ask(url: string, request: RequestInit): Promise<any> {
  const { status, text } = await askUntilAnswered(url, (signal) => fetch(url, { ...request, signal }))
  const isDone = status < 300 || status === 303 || text.includes('receipt_exists')
  if (!isDone) throw new Error(`${url}: ${status} ${text}`)
  return text.startsWith('{') ? JSON.parse(text) : {}
}
