import { describe, expect, test } from 'vitest'
import type { CallOptions } from '../../support/api/call-api.ts'
import { Asker } from '../../support/api/raw-requests.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { perFile } from '../../support/per-file.ts'
import { apiOf, makeTenant } from '../../support/service/tenant.ts'
import { startWholeService } from '../../support/service/whole-service.ts'

const service = perFile(startWholeService)
const asker = perFile(() => new Asker(service.port))
const merchant = perFile(() => makeTenant(service, asker))
let count = 0

const call = (method: string, path: string, options: CallOptions = {}) =>
  apiOf(service, asker).call(method, path, options)

async function make(totalUsd: number): Promise<string> {
  const id = `opened-${++count}`
  const body = { id, totalUsd, lineItems: [{ label: 'Coffee', priceUsd: totalUsd }] }
  expect((await call('POST', '/api/receipts', { key: merchant.key, body })).status).toBe(201)
  return id
}
const open = (id: string, query = '', page = 'pay') =>
  call('GET', `/${page}/${id}?recipient=${merchant.wallet}${query}`)
const detail = async (id: string) => (await call('GET', `/api/receipts/${id}`, { key: merchant.key })).body
const edit = (id: string, priceUsd: number) => {
  const body = { lineItems: [{ label: 'Tea', priceUsd }] }
  return call('PATCH', `/api/receipts/${id}`, { session: merchant.sessions.owner, body })
}
const ask = (id: string, body: object) =>
  call('POST', `/api/checkout/${id}/attempts?recipient=${merchant.wallet}`, { body })
const attempts = (id: string) => {
  const text = `SELECT closed_at, watch_until FROM attempt
    WHERE merchant = $1 AND receipt_id = $2 ORDER BY created_at, id`
  type Row = { closed_at: bigint | null; watch_until: bigint }
  return service.context.db.rows<Row>({ name: '', text }, [merchant.wallet, id])
}

describe('a receipt that was only looked at', () => {
  test('is edited by its merchant; what the page offered is closed and stays watched', async () => {
    const id = await make(10)
    expect((await open(id)).text).toContain('$10.00')
    expect((await open(id, '&token=ETH', 'portal')).status).toBe(200)
    expect(await attempts(id)).toHaveLength(2)
    const response = await edit(id, 7)
    expect([response.status, response.body.receipt?.totalUsd]).toEqual([200, 7])
    const closed = await attempts(id)
    expect(closed.map(({ closed_at }) => closed_at === null)).toEqual([false, false])
    expect(closed.every(({ watch_until }) => watch_until > BigInt(service.clock.now()))).toBe(true)
    expect((await detail(id)).payment.state).toBe('none')
    expect((await open(id)).text).toContain('$7.00')
    const standing = (await attempts(id)).filter(({ closed_at }) => closed_at === null)
    expect([(await attempts(id)).length, standing.length]).toEqual([3, 1])
  })

  test('is held once a wallet asked for the call, also for an offer that the page had made', async () => {
    for (const body of [{ token: 'USDC', payer: newWallet().wallet }, { token: 'USDC' }]) {
      const id = await make(10)
      await open(id)
      expect((await ask(id, body)).status).toBe(201)
      expect(await attempts(id)).toHaveLength(1)
      const response = await edit(id, 7)
      expect([response.status, response.body.error]).toEqual([409, 'attempt_open'])
      expect((await attempts(id))[0]?.closed_at).toBeNull()
      expect((await detail(id)).totalUsd).toBe(10)
    }
  })
})

describe('opening a page', () => {
  test('changes no status where the amount is outside the limits; asking for an attempt does', async () => {
    const id = await make(2_000_000)
    for (const query of ['', '&token=ETH', '&keep']) {
      const page = await open(id, query)
      expect([page.status, page.text.includes('This amount cannot be paid here')]).toEqual([200, true])
    }
    expect(await detail(id)).toMatchObject({ status: 'pending' })
    expect((await ask(id, { token: 'USDC' })).body.error).toBe('invalid_amount')
    expect(await detail(id)).toMatchObject({ status: 'failed' })
  })
})
