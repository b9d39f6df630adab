import { randomBytes } from 'node:crypto'
import { type Hex, pad } from 'viem'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { saltOf } from '../../src/split/split-address.ts'
import { logIn, logInAs, type TestSession } from '../support/log-in.ts'
import { type Row, type SplitApi, startSplitApi } from '../support/split-api.ts'
import { randomWallet } from '../support/split-bench.ts'
import type { TestMerchant } from '../support/start-api.ts'

let api: SplitApi

beforeAll(async () => {
  api = await startSplitApi()
})
afterAll(() => api?.stop())

const deploy = (session: TestSession | undefined, body: unknown, headers: Record<string, string> = {}) =>
  api.call('POST', '/api/split/deploy', { session, body, headers })
const read = async (merchant: TestMerchant) =>
  (await api.call('GET', '/api/split/deploy', { key: merchant.key })).body.split
const salt = () => `0x${randomBytes(32).toString('hex')}` as Hex
const row = (sharesBps: number, address = randomWallet()): Row => ({ address, sharesBps })
const platformRow = () => row(50, api.platform)

async function newOwner() {
  const merchant = await api.addMerchant()
  return { merchant, owner: await logIn(api, merchant) }
}

describe('POST /api/split/deploy answers 200', () => {
  test('{} gives the rest to the merchant; any wallet can send `deploy`, and the contract is noticed', async () => {
    const { merchant, owner } = await newOwner()
    const answer = await deploy(owner, {})
    expect(answer.status).toBe(200)
    const { split } = answer.body
    expect(answer.body).toEqual({
      ok: true,
      split: {
        address: expect.stringMatching(/^0x[0-9a-fA-F]{40}$/),
        recipients: [row(9_950, merchant.wallet), platformRow()],
        version: 1,
        chainId: 31337,
        deployed: false,
        pending: null,
      },
      deploy: { to: api.chain.factory, data: expect.stringMatching(/^0x[0-9a-f]+$/) },
    })
    expect(await read(merchant)).toEqual(split)

    await api.send(answer.body.deploy)
    await api.look()
    expect(await read(merchant)).toEqual({ ...split, deployed: true })
    const again = await deploy(owner, {})
    expect(again.body).toEqual({ ok: true, idempotent: true, split: { ...split, deployed: true } })
  })

  test('recipients without the platform get its row, with it at its fee they stay', async () => {
    const rows = [row(5_000), row(4_950)]
    const first = await newOwner()
    expect((await deploy(first.owner, { recipients: rows })).body.split.recipients).toEqual([
      ...rows,
      platformRow(),
    ])
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
    const answers = await Promise.all([1, 2, 3, 4].map(() => deploy(owner, { recipients: [row(9_950)] })))
    expect(answers.map(({ status }) => status)).toEqual([200, 200, 200, 200])
    expect(new Set(answers.map(({ body }) => body.split.address))).toEqual(
      new Set([(await read(merchant)).address]),
    )
    expect(answers.filter(({ body }) => !body.idempotent)).toHaveLength(1)
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
    expect(entries.filter(({ action }: { action: string }) => action === 'split.configured')).toEqual([
      expect.objectContaining({
        actor: merchant.wallet,
        subject: split.address,
        details: { recipients: split.recipients, adopted: false },
      }),
    ])
  })

  test('an admin may do it too', async () => {
    const merchant = await api.addMerchant()
    const answer = await deploy(await logInAs(api, merchant.wallet, 'admin'), {})
    expect([answer.status, answer.body.split.recipients[0].address]).toEqual([200, merchant.wallet])
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

describe('POST /api/split/deploy takes a pre-deployed contract', () => {
  const rowsOf = () => [row(6_000), row(3_950), platformRow()]

  test('of our factory, with whatever salt; recipients come from the contract', async () => {
    const { merchant, owner } = await newOwner()
    const rows = rowsOf()
    const splitAddress = await api.createSplit(rows, salt())
    const answer = await deploy(owner, { splitAddress: splitAddress.toLowerCase() })
    expect(answer.status).toBe(200)
    expect(answer.body).toEqual({
      ok: true,
      split: {
        address: splitAddress,
        recipients: rows,
        version: 1,
        chainId: 31337,
        deployed: true,
        pending: null,
      },
    })
    expect(await read(merchant)).toEqual(answer.body.split)
  })

  test('with its recipients in another order, or without the row of the platform', async () => {
    for (const say of [(rows: Row[]) => rows.toReversed(), (rows: Row[]) => rows.slice(0, 2)]) {
      const { owner } = await newOwner()
      const rows = rowsOf()
      const splitAddress = await api.createSplit(rows, salt())
      const answer = await deploy(owner, { splitAddress, recipients: say(rows) })
      expect([answer.status, answer.body.split?.recipients]).toEqual([200, rows])
    }
  })

  test('with the salt it was made with, where that is sent', async () => {
    const { owner } = await newOwner()
    const made = salt()
    const splitAddress = await api.createSplit(rowsOf(), made)
    const wrong = await deploy(owner, { splitAddress, salt: salt() })
    expect([wrong.status, wrong.body.error, wrong.body.issues?.[0]?.path]).toEqual([
      400,
      'invalid_input',
      'splitAddress',
    ])
    expect((await deploy(owner, { splitAddress, salt: made })).status).toBe(200)
  })

  test('of fifty recipients and the platform', async () => {
    const { owner } = await newOwner()
    const rows = [...Array.from({ length: 50 }, () => row(199)), platformRow()]
    const splitAddress = await api.createSplit(rows, salt())
    expect((await deploy(owner, { splitAddress })).body.split?.recipients).toEqual(rows)
  })

  test.each<[string, (rows: Row[]) => Promise<{ splitAddress: string; recipients?: Row[] }>]>([
    ['a wallet without code', async () => ({ splitAddress: randomWallet() })],
    ['the zero address', async () => ({ splitAddress: `0x${'0'.repeat(40)}` })],
    ['another contract', async () => ({ splitAddress: api.node.contracts.tokens.USDC })],
    ['the factory', async () => ({ splitAddress: api.chain.factory })],
    [
      'a copy of a split that the factory did not make',
      async (rows) => {
        const real = await api.createSplit(rows, salt())
        const copy = randomWallet()
        const bytecode = (await api.node.client.getCode({ address: real })) as Hex
        await api.node.client.setCode({ address: copy, bytecode })
        return { splitAddress: copy }
      },
    ],
    [
      'an account that delegates to a contract (EIP-7702)',
      async () => {
        const address = randomWallet()
        await api.node.client.setCode({ address, bytecode: `0xef0100${pad('0x1', { size: 20 }).slice(2)}` })
        return { splitAddress: address }
      },
    ],
    [
      'recipients that are not the contract’s',
      async (rows) => ({
        splitAddress: await api.createSplit(rows, salt()),
        recipients: [row(6_000), row(3_950), platformRow()],
      }),
    ],
    [
      'other shares than the contract’s',
      async (rows) => ({
        splitAddress: await api.createSplit(rows, salt()),
        recipients: [
          { ...(rows[0] as Row), sharesBps: 5_000 },
          { ...(rows[1] as Row), sharesBps: 4_950 },
        ],
      }),
    ],
    [
      'a contract without the platform',
      async () => ({ splitAddress: await api.createSplit([row(10_000)], salt()) }),
    ],
    [
      'a contract with the platform at another share',
      async () => ({ splitAddress: await api.createSplit([row(9_960), row(40, api.platform)], salt()) }),
    ],
    [
      'the contract of another merchant',
      async () => {
        const { owner } = await newOwner()
        const { split } = (await deploy(owner, {})).body
        const { deploy: call } = (await deploy(owner, {})).body
        await api.send(call)
        return { splitAddress: split.address }
      },
    ],
  ])('refuses %s, and changes nothing', async (_, make) => {
    const { merchant, owner } = await newOwner()
    const answer = await deploy(owner, await make(rowsOf()))
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
    expect(await read(merchant)).toMatchObject({ address: null, recipients: [] })
  })
})

describe('POST /api/split/deploy answers 400', () => {
  const wallet = randomWallet()
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
    [
      'a wallet twice in two spellings',
      { recipients: [row(5_000, wallet), { address: wallet.toLowerCase(), sharesBps: 4_950 }] },
    ],
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
    const answer = await deploy(owner, body)
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
    expect(await read(merchant)).toMatchObject({ address: null })
  })

  test('the platform at another share than its fee', async () => {
    const { owner } = await newOwner()
    const answer = await deploy(owner, { recipients: [row(9_940), row(60, api.platform)] })
    expect([answer.status, answer.body.error]).toEqual([400, 'invalid_input'])
  })
})

describe('POST /api/split/deploy is refused', () => {
  test('without a session: 401, with a key: 403, with a wallet header: 403', async () => {
    const { key, wallet } = await api.addMerchant()
    const send = (options: object) => api.call('POST', '/api/split/deploy', { body: {}, ...options })
    const none = await send({})
    expect([none.status, none.body.error]).toEqual([401, 'unauthorized'])
    expect(none.body.message).toContain('JWT')
    const keyed = await send({ key })
    expect([keyed.status, keyed.body.error]).toEqual([403, 'forbidden'])
    const header = await send({ headers: { 'x-wallet': wallet } })
    expect([header.status, header.body.error]).toEqual([403, 'forbidden'])
  })

  test('403 for the roles that may not', async () => {
    const merchant = await api.addMerchant()
    for (const role of ['developer', 'cashier', 'viewer'] as const) {
      const answer = await deploy(await logInAs(api, merchant.wallet, role), {})
      expect([role, answer.status, answer.body.error]).toEqual([role, 403, 'forbidden'])
    }
    expect(await read(merchant)).toMatchObject({ address: null })
  })

  test('403 without the CSRF token, with a wrong one, and from a foreign page', async () => {
    const { merchant, owner } = await newOwner()
    for (const headers of [
      { 'x-csrf-token': '' },
      { 'x-csrf-token': `${owner.csrfToken.slice(0, -1)}!` },
      { origin: 'https://evil.example' },
    ]) {
      const answer = await deploy(owner, {}, headers)
      expect([answer.status, answer.body.error]).toEqual([403, 'forbidden'])
    }
    expect(await read(merchant)).toMatchObject({ address: null })
  })

  test('403 reauthentication_required when the login is five minutes old', async () => {
    const { owner } = await newOwner()
    await api.clock.advance(5 * 60_000)
    const answer = await deploy(owner, {})
    expect([answer.status, answer.body.reason]).toEqual([403, 'reauthentication_required'])
  })

  test("a merchant's split is its own: another's session configures another's", async () => {
    const { merchant } = await newOwner()
    const other = await newOwner()
    await deploy(other.owner, { merchantWallet: merchant.wallet })
    expect(await read(merchant)).toMatchObject({ address: null })
  })
})
