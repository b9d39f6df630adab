import { describe, expect, test } from 'vitest'
import { logInAs, type TestSession } from '../../support/api/sessions.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { addSplitShop, readSplit, row, startSplitApi } from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startSplitApi)

const read = (merchant: TestMerchant) => readSplit(api, merchant)
const newShop = () => addSplitShop(api)

describe('changes of recipients are refused', () => {
  const body = { recipients: [row(9_950)] }
  const asks = (session: TestSession | undefined, more: object = {}) =>
    Promise.all([
      api.call('POST', '/api/split/versions', { session, body, ...more }),
      api.call('DELETE', '/api/split/versions/2', { session, ...more }),
      api.call('POST', '/api/split/versions/preview', { session, body, ...more }),
    ])
  const statuses = async (responses: ReturnType<typeof asks>) => (await responses).map(({ status }) => status)

  test('with a key: 403, with nothing: 401', async () => {
    const { merchant } = await newShop()
    expect(await statuses(asks(undefined, { key: merchant.key }))).toEqual([403, 403, 403])
    expect(await statuses(asks(undefined))).toEqual([401, 401, 401])
    expect((await read(merchant)).pending).toBeNull()
  })

  test('to everybody but the owner; an admin may look ahead', async () => {
    const { merchant } = await newShop()
    for (const role of ['developer', 'cashier', 'viewer'] as const)
      expect(await statuses(asks(await logInAs(api, merchant.wallet, role))), role).toEqual([403, 403, 403])
    expect(await statuses(asks(await logInAs(api, merchant.wallet, 'admin')))).toEqual([403, 403, 200])
    expect((await read(merchant)).pending).toBeNull()
  })

  test('without the CSRF token or from a foreign page', async () => {
    const { merchant, owner } = await newShop()
    expect(await statuses(asks({ ...owner, csrfToken: 'wrong' }))).toEqual([403, 403, 403])
    const headers = { origin: 'https://evil.example' }
    expect(await statuses(asks(owner, { headers }))).toEqual([403, 403, 403])
    expect((await read(merchant)).pending).toBeNull()
  })

  test('with a login five minutes old; looking ahead needs none', async () => {
    const { owner } = await newShop()
    await api.clock.advance(5 * 60_000)
    const [changed, cancelled, looked] = await asks(owner)
    for (const response of [changed, cancelled])
      expect([response.status, response.body.reason]).toEqual([403, 'reauthentication_required'])
    expect(looked.status).toBe(200)
  })
})
