import type { Wallet } from '@sluice/protocol/wallet.ts'
import { describe, expect, test } from 'vitest'
import { saltOf } from '../../../src/split/split-address.ts'
import { expectApiError } from '../../support/api/contract.ts'
import { logInAs, type TestSession } from '../../support/api/sessions.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { addOwner, readSplit, row, startSplitApi } from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startSplitApi)

const deploy = (session: TestSession | undefined, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/split/deploy', { session, body, headers })
const read = (merchant: TestMerchant) => readSplit(api, merchant)
const newOwner = () => addOwner(api)
const platformRow = () => row(50, api.platform.recipient)

describe('POST /api/split/deploy answers 200', () => {
  test('{} gives the rest to the merchant; any wallet can send `deploy`, and the contract is noticed', async () => {
    const { merchant, owner } = await newOwner()
    const response = await deploy(owner, {})
    expect(response.status).toBe(200)
    const { split } = response.body
    expect(response.body).toEqual({
      ok: true,
      split: {
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        recipients: [row(9_950, merchant.wallet), platformRow()],
        version: 1,
        chainId: 31337,
        deployed: false,
        pending: null,
      },
      deploy: { to: api.needs.chain.factory, data: expect.stringMatching(/^0x[0-9a-f]+$/) },
    })
    expect(await read(merchant)).toEqual(split)

    await api.send(response.body.deploy)
    await api.look()
    expect(await read(merchant)).toEqual({ ...split, deployed: true })
    const again = await deploy(owner, {})
    expect(again.body).toEqual({ ok: true, idempotent: true, split: { ...split, deployed: true } })
  })

  test('recipients without the platform get its row, with it at its fee they stay', async () => {
    const rows = [row(5_000), row(4_950)]
    const first = await newOwner()
    const response = await deploy(first.owner, { recipients: rows })
    expect(response.body.split.recipients).toEqual([...rows, platformRow()])
    const second = await newOwner()
    const all = [platformRow(), row(9_950)]
    expect((await deploy(second.owner, { recipients: all })).body.split.recipients).toEqual(all)
  })

  test('configured already: the existing one with idempotent: true, the body ignored', async () => {
    const { owner } = await newOwner()
    const first = await deploy(owner, {})
    const again = await deploy(owner, { recipients: [row(9_950)], splitAddress: randomWallet() })
    expect(again.status).toBe(200)
    expect(again.body).toEqual({ ...first.body, idempotent: true })
  })

  test('two at the same moment make one split', async () => {
    const { merchant, owner } = await newOwner()
    const responses = await Promise.all([1, 2, 3, 4].map(() => deploy(owner, { recipients: [row(9_950)] })))
    expect(responses.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    const { address } = await read(merchant)
    for (const { body } of responses) expect(body.split.address).toBe(address)
    expect(responses.filter(({ body }) => !body.idempotent)).toHaveLength(1)
  })

  test('the same Idempotency-Key gives the same bytes', async () => {
    const { owner } = await newOwner()
    const headers = { 'idempotency-key': 'split-1' }
    const first = await deploy(owner, {}, headers)
    const again = await deploy(owner, {}, headers)
    expect(again.text).toBe(first.text)
    expect(again.headers.get('idempotency-replayed')).toBe('true')
  })

  test('the audit log says who gave the merchant which recipients, once', async () => {
    const { merchant, owner } = await newOwner()
    const { split } = (await deploy(owner, {})).body
    await deploy(owner, {})
    const { entries } = (await api.call('GET', '/api/audit', { session: owner })).body
    const configured = entries.filter(({ action }: { action: string }) => action === 'split.configured')
    const details = { recipients: split.recipients, adopted: false }
    expect(configured).toMatchObject([{ actor: merchant.wallet, subject: split.address }])
    expect(configured[0].details).toEqual(details)
  })

  test('an admin may do it too', async () => {
    const merchant = await api.addMerchant()
    const response = await deploy(await logInAs(api, merchant.wallet, 'admin'), {})
    expect([response.status, response.body.split.recipients[0].address]).toEqual([200, merchant.wallet])
  })

  test("a contract that somebody else claims under a merchant's salt does not stop him", async () => {
    const { merchant, owner } = await newOwner()
    const rows = [row(9_950, merchant.wallet), platformRow()]
    const squatted = await api.createSplit(rows, saltOf(merchant.wallet, 1n))
    const other = await newOwner()
    expect((await deploy(other.owner, { splitAddress: squatted })).status).toBe(200)
    const { body } = await deploy(owner, {})
    expect(body.split).toMatchObject({ recipients: rows, deployed: false })
    expect(body.split.address).not.toBe(squatted)
    await api.send(body.deploy)
    await api.look()
    expect((await read(merchant)).deployed).toBe(true)
  })
})

describe('POST /api/split/deploy answers 400', () => {
  const wallet = randomWallet()
  const spelt = wallet.toLowerCase() as Wallet
  test.each<[string, unknown]>([
    ['no object', []],
    ['no body', undefined],
    ['recipients that are no list', { recipients: {} }],
    ['null for recipients', { recipients: null }],
    ['null for splitAddress', { splitAddress: null }],
    ['no recipient', { recipients: [] }],
    ['51 recipients', { recipients: Array.from({ length: 51 }, () => row(195)) }],
    ['shares that leave something', { recipients: [row(9_949)] }],
    ['shares above the whole', { recipients: [row(9_951)] }],
    ['shares that add up without the platform', { recipients: [row(10_000)] }],
    ['a wallet twice', { recipients: [row(5_000, wallet), row(4_950, wallet)] }],
    ['a wallet twice in two spellings', { recipients: [row(5_000, wallet), row(4_950, spelt)] }],
    ['the zero address', { recipients: [{ address: `0x${'0'.repeat(40)}`, sharesBps: 9_950 }] }],
    ['what is no wallet', { recipients: [{ address: 'vitalik.eth', sharesBps: 9_950 }] }],
    ['a share of nothing', { recipients: [row(9_950), row(0)] }],
    ['a share below nothing', { recipients: [row(9_951), row(-1)] }],
    ['shares in fractions', { recipients: [row(9_949.5), row(0.5)] }],
    ['shares as text', { recipients: [{ address: wallet, sharesBps: '9950' }] }],
    ['shares missing', { recipients: [{ address: wallet }] }],
    ['a wallet missing', { recipients: [{ sharesBps: 9_950 }] }],
    ['a number for splitAddress', { splitAddress: 5 }],
    ['what is no address for splitAddress', { splitAddress: '0x12' }],
    ['an empty splitAddress', { splitAddress: '' }],
    ['a salt that is none', { splitAddress: wallet, salt: '0x12' }],
  ])('%s, and configures nothing', async (_, body) => {
    const { merchant, owner } = await newOwner()
    expectApiError(await deploy(owner, body), 400, 'invalid_input')
    expect(await read(merchant)).toMatchObject({ address: null })
  })

  test('shares of the whole, and says what of it is the platform’s', async () => {
    const { owner } = await newOwner()
    const { body } = await deploy(owner, { recipients: [row(10_000)] })
    expect(body.message).toBe(
      'recipients: must have shares that add up to 9950, not 10000: the platform gets the other 50',
    )
  })

  test('the platform at another share than its fee', async () => {
    const { owner } = await newOwner()
    const response = await deploy(owner, { recipients: [row(9_940), row(60, api.platform.recipient)] })
    expectApiError(response, 400, 'invalid_input')
  })
})

describe('POST /api/split/deploy is refused', () => {
  test('without a session: 401, with a key: 403, with a wallet header: 403', async () => {
    const { key, wallet } = await api.addMerchant()
    const send = (options: object) => api.call('POST', '/api/split/deploy', { body: {}, ...options })
    const none = await send({})
    expectApiError(none, 401, 'unauthorized')
    expect(none.body.message).toContain('JWT')
    expectApiError(await send({ key }), 403, 'forbidden')
    expectApiError(await send({ headers: { 'x-wallet': wallet } }), 403, 'forbidden')
  })

  test('403 for the roles that may not', async () => {
    const merchant = await api.addMerchant()
    for (const role of ['developer', 'cashier', 'viewer'] as const) {
      expectApiError(await deploy(await logInAs(api, merchant.wallet, role), {}), 403, 'forbidden', role)
    }
    expect(await read(merchant)).toMatchObject({ address: null })
  })

  test('403 without the CSRF token, with a wrong one, and from a foreign page', async () => {
    const { merchant, owner } = await newOwner()
    const wrong = { 'x-csrf-token': `${owner.csrfToken.slice(0, -1)}!` }
    for (const headers of [{ 'x-csrf-token': '' }, wrong, { origin: 'https://evil.example' }])
      expectApiError(await deploy(owner, {}, headers), 403, 'forbidden')
    expect(await read(merchant)).toMatchObject({ address: null })
  })

  test('403 reauthentication_required when the login is five minutes old', async () => {
    const { owner } = await newOwner()
    await api.clock.advance(5 * 60_000)
    const response = await deploy(owner, {})
    expect([response.status, response.body.reason]).toEqual([403, 'reauthentication_required'])
  })

  test("a merchant's split is its own: another's session configures another's", async () => {
    const { merchant } = await newOwner()
    const other = await newOwner()
    await deploy(other.owner, { merchantWallet: merchant.wallet })
    expect(await read(merchant)).toMatchObject({ address: null })
  })
})
