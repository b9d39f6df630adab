import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import { makeReceipt, readReceipt, receiptBody } from '../../support/api/receipts.ts'
import { logIn, logInAs, type TestSession } from '../../support/api/sessions.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { addSplitShop, readSplit, row, startSplitApi } from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startSplitApi)

const dayMs = 24 * 3_600_000
const platformRow = () => row(50, api.platform.recipient)
const change = (session: TestSession | undefined, recipients: unknown) =>
  api.call('POST', '/api/split/versions', { session, body: { recipients } })
const preview = (session: TestSession | undefined, recipients: unknown) =>
  api.call('POST', '/api/split/versions/preview', { session, body: { recipients } })
const cancel = (session: TestSession | undefined, version: number | string) =>
  api.call('DELETE', `/api/split/versions/${version}`, { session })
const versions = async ({ key }: TestMerchant, query = '') =>
  (await api.call('GET', `/api/split/versions${query}`, { key })).body
const states = async (merchant: TestMerchant): Promise<string[]> =>
  (await versions(merchant)).versions.map(({ state }: { state: string }) => state)
const read = (merchant: TestMerchant) => readSplit(api, merchant)
const newShop = () => addSplitShop(api)

describe('POST /api/split/versions', () => {
  test('has other recipients follow after a day, and says so wherever the split is read', async () => {
    const { merchant, owner, split: first } = await newShop()
    const now = api.clock.now()
    const rows = [row(6_000), row(3_950)]
    const response = await change(owner, rows)
    expect(response.status).toBe(201)
    const { version, deploy } = response.body
    expect(version).toEqual({
      version: 2,
      address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
      recipients: [...rows, platformRow()],
      state: 'scheduled',
      deployed: false,
      createdAt: now,
      effectiveAt: now + dayMs,
      inForceAt: null,
      cancelledAt: null,
    })
    expect(deploy).toEqual({ to: api.needs.chain.factory, data: expect.stringMatching(/^0x/) })
    const { address, recipients, effectiveAt } = version
    expect(await read(merchant)).toEqual({
      ...first,
      pending: { version: 2, address, recipients, effectiveAt, deployed: false },
    })
    const list = await versions(merchant)
    expect(list.nextCursor).toBeNull()
    expect(list.versions).toEqual([
      version,
      expect.objectContaining({ version: 1, state: 'in_force', address: first.address, deployed: true }),
    ])
  })

  test('takes over when the delay is over and its contract stands; the old one goes on until then', async () => {
    const { merchant, owner, split: first } = await newShop()
    const { version, deploy } = (await change(owner, [row(9_950)])).body
    await api.clock.advance(dayMs - 1)
    await api.look()
    expect((await read(merchant)).address).toBe(first.address)
    await api.clock.advance(1)
    await api.look()
    expect(await states(merchant)).toEqual(['awaiting_deployment', 'in_force'])
    expect((await read(merchant)).address).toBe(first.address)

    await api.send(deploy)
    await api.clock.advance(3_600_000)
    await api.look()
    const { address, recipients } = version
    const known = { version: 2, chainId: 31337, deployed: true, pending: null }
    expect(await read(merchant)).toEqual({ address, recipients, ...known })
    expect(await states(merchant)).toEqual(['in_force', 'past'])
  })

  test('receipts that are made keep their split, new ones go through the new one', async () => {
    const { merchant, owner, split } = await newShop()
    const make = (id: string) => makeReceipt(api, merchant, receiptBody(id))
    const splitOf = async (id: string) => (await readReceipt(api, merchant, id)).split
    await make('before')
    const { version, deploy } = (await change(owner, [row(9_950)])).body
    await make('while')
    await api.send(deploy)
    await api.clock.advance(dayMs)
    await api.look()
    await make('after')
    expect(await splitOf('before')).toEqual({ address: split.address, version: 1 })
    expect(await splitOf('while')).toEqual({ address: split.address, version: 1 })
    expect(await splitOf('after')).toEqual({ address: version.address, version: 2 })
  })

  test('whose contract is put there early still waits for its time', async () => {
    const { merchant, owner, split: first } = await newShop()
    const { deploy } = (await change(owner, [row(9_950)])).body
    await api.send(deploy)
    await api.look()
    expect((await read(merchant)).pending).toMatchObject({ version: 2, deployed: true })
    expect((await read(merchant)).address).toBe(first.address)
    await api.clock.advance(dayMs)
    await api.look()
    expect((await read(merchant)).version).toBe(2)
  })

  test('the same recipients again are the change that waits, in whatever order', async () => {
    const { merchant, owner } = await newShop()
    const rows = [row(6_000), row(3_950)]
    const first = await change(owner, rows)
    await api.clock.advance(60_000)
    const again = await change(owner, [platformRow(), ...rows.toReversed()])
    expect([again.status, again.body.idempotent]).toEqual([200, true])
    expect(again.body.version).toEqual(first.body.version)
    expect((await versions(merchant)).versions).toHaveLength(2)
  })

  test('another change takes the place of the one that waits, and the delay begins anew', async () => {
    const { merchant, owner } = await newShop()
    await change(owner, [row(9_950)])
    await api.clock.advance(60_000)
    const response = await change(owner, [row(5_000), row(4_950)])
    expect([response.status, response.body.replaced, response.body.version.version]).toEqual([201, 2, 3])
    expect(response.body.version.effectiveAt).toBe(api.clock.now() + dayMs)
    const list = (await versions(merchant)).versions
    expect(await states(merchant)).toEqual(['scheduled', 'cancelled', 'in_force'])
    expect(list[1].cancelledAt).toBe(api.clock.now())
    await api.clock.advance(dayMs)
    await api.look()
    expect((await read(merchant)).pending).toMatchObject({ version: 3 })
  })

  test('asked for many times at once waits once', async () => {
    const { merchant, owner } = await newShop()
    const rows = [row(9_950)]
    const responses = await Promise.all([1, 2, 3, 4].map(() => change(owner, rows)))
    expect(responses.map(({ status }) => status).toSorted()).toEqual([200, 200, 200, 201])
    expect((await versions(merchant)).versions).toHaveLength(2)
  })

  test('the audit log says who asked for what, who took it back, and when it took over', async () => {
    const { merchant, owner } = await newShop()
    await change(owner, [row(9_950)])
    const { body } = await change(owner, [row(5_000), row(4_950)])
    await cancel(owner, 3)
    const { deploy, version } = (await change(owner, [row(1_000), row(8_950)])).body
    await api.send(deploy)
    await api.clock.advance(dayMs)
    await api.look()
    const again = await logIn(api, merchant)
    const { entries } = (await api.call('GET', '/api/audit', { session: again })).body
    type Act = { action: string; actor: string; details: { version: number; recipients: unknown } }
    const acts: Act[] = entries.filter(({ action }: Act) => action.startsWith('split.change'))
    expect(acts.map(({ action, actor, details }) => [action, actor, details.version])).toEqual([
      ['split.changed', 'system', 4],
      ['split.change_requested', merchant.wallet, 4],
      ['split.change_cancelled', merchant.wallet, 3],
      ['split.change_requested', merchant.wallet, 3],
      ['split.change_cancelled', merchant.wallet, 2],
      ['split.change_requested', merchant.wallet, 2],
    ])
    expect(acts[0]).toMatchObject({ subject: version.address, details: { recipients: version.recipients } })
    expect(body.version.recipients).toEqual(acts[3]?.details.recipients)
  })

  test('without a split to change is 403 split_required', async () => {
    const owner = await logIn(api, await api.addMerchant())
    for (const response of [await change(owner, [row(9_950)]), await preview(owner, [row(9_950)])])
      expectApiError(response, 403, 'split_required')
  })

  test('the recipients in force are no change: 400', async () => {
    const { merchant, owner } = await newShop()
    expectApiError(await change(owner, [platformRow(), row(9_950, merchant.wallet)]), 400, 'invalid_input')
  })

  test.each<[string, unknown]>([
    ['no recipients', undefined],
    ['null', null],
    ['an empty list', []],
    ['51 recipients', Array.from({ length: 51 }, () => row(195))],
    ['shares that leave something', [row(9_949)]],
    ['shares above the whole', [row(9_951)]],
    ['the platform at another share', 'platform'],
    ['a wallet twice', [row(5_000, nativeAddress), row(4_950, nativeAddress)]],
    ['the zero address', [row(9_950, nativeAddress)]],
    ['what is no wallet', [{ address: '0x12', sharesBps: 9_950 }]],
    ['a share of nothing', [row(9_950), row(0)]],
    ['a share in fractions', [row(9_949.5), row(0.5)]],
    ['a share as text', [{ address: randomWallet(), sharesBps: '9950' }]],
  ])('%s is 400, and nothing waits', async (_, recipients) => {
    const { merchant, owner } = await newShop()
    const rows = recipients === 'platform' ? [row(9_940), row(60, api.platform.recipient)] : recipients
    for (const response of [await change(owner, rows), await preview(owner, rows)])
      expectApiError(response, 400, 'invalid_input')
    expect((await read(merchant)).pending).toBeNull()
  })
})

describe('DELETE /api/split/versions/{version}', () => {
  test('takes back what waits, once and for ever', async () => {
    const { merchant, owner, split: first } = await newShop()
    const { deploy } = (await change(owner, [row(9_950)])).body
    const response = await cancel(owner, 2)
    expect([response.status, response.body.ok, response.body.version.state]).toEqual([200, true, 'cancelled'])
    expect((await cancel(owner, 2)).body).toEqual(response.body)
    await api.send(deploy)
    await api.clock.advance(2 * dayMs)
    await api.look()
    expect(await read(merchant)).toEqual(first)
  })

  test('is 404 for what does not wait, is in force, or is of another merchant', async () => {
    const { owner } = await newShop()
    const other = await newShop()
    await change(other.owner, [row(9_950)])
    for (const version of [1, 2, 99]) {
      expectApiError(await cancel(owner, version), 404, 'not_found', version)
    }
    expect((await read(other.merchant)).pending).toMatchObject({ version: 2 })
  })

  test('is 400 for what is no version', async () => {
    const { owner } = await newShop()
    for (const version of ['0', '-1', 'x', '1.5', '9'.repeat(16)]) {
      expectApiError(await cancel(owner, version), 400, 'invalid_input', version)
    }
  })
})

describe('GET /api/split/versions', () => {
  test('pages, newest first', async () => {
    const { merchant, owner } = await newShop()
    await change(owner, [row(9_950)])
    await change(owner, [row(9_950)])
    const first = await versions(merchant, '?limit=2')
    expect(first.versions.map(({ version }: { version: number }) => version)).toEqual([3, 2])
    const second = await versions(merchant, `?limit=2&cursor=${first.nextCursor}`)
    expect([second.versions.length, second.nextCursor]).toEqual([1, null])
    for (const query of ['?limit=0', '?limit=201', '?limit=x', '?cursor=x', '?cursor=0'])
      expect((await versions(merchant, query)).error, query).toBe('invalid_input')
  })

  test('asks for split:read, and is empty for a merchant without a split', async () => {
    const { key } = await api.addMerchant({ scopes: ['receipts:read'] })
    expect((await api.call('GET', '/api/split/versions', { key })).status).toBe(403)
    expect((await api.call('GET', '/api/split/versions')).status).toBe(401)
    expect(await versions(await api.addMerchant())).toEqual({ versions: [], nextCursor: null })
  })

  test('is read by a viewer and not by a cashier', async () => {
    const { merchant } = await newShop()
    for (const [role, status] of [
      ['viewer', 200],
      ['cashier', 403],
    ] as const) {
      const session = await logInAs(api, merchant.wallet, role)
      expect((await api.call('GET', '/api/split/versions', { session })).status, role).toBe(status)
    }
  })
})
