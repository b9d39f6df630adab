import { randomBytes } from 'node:crypto'
import { type Hex, pad } from 'viem'
import { describe, expect, test } from 'vitest'
import { expectApiError } from '../../support/api/contract.ts'
import type { TestSession } from '../../support/api/sessions.ts'
import { startApi, type TestMerchant } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import {
  addOwner,
  type Row,
  readSplit,
  row,
  startSplitApi,
  testSplitTerms,
} from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startSplitApi)

const deploy = (session: TestSession, body: unknown) =>
  api.call('POST', '/api/split/deploy', { session, body })
const read = (merchant: TestMerchant) => readSplit(api, merchant)
const salt = () => `0x${randomBytes(32).toString('hex')}` as Hex
const newOwner = () => addOwner(api)
const platformRow = () => row(50, api.platform.recipient)

describe('POST /api/split/deploy takes a pre-deployed contract', () => {
  const rowsOf = () => [row(6_000), row(3_950), platformRow()]

  test('of our factory, with whatever salt; recipients come from the contract', async () => {
    const { merchant, owner } = await newOwner()
    const rows = rowsOf()
    const splitAddress = await api.createSplit(rows, salt())
    const response = await deploy(owner, { splitAddress: splitAddress.toLowerCase() })
    const known = { version: 1, chainId: 31337, deployed: true, pending: null }
    const split = { address: splitAddress, recipients: rows, ...known }
    expect([response.status, response.body]).toEqual([200, { ok: true, split }])
    expect(await read(merchant)).toEqual(split)
  })

  test('with its recipients in another order, or without the row of the platform', async () => {
    for (const say of [(rows: Row[]) => rows.toReversed(), (rows: Row[]) => rows.slice(0, 2)]) {
      const { owner } = await newOwner()
      const rows = rowsOf()
      const splitAddress = await api.createSplit(rows, salt())
      const response = await deploy(owner, { splitAddress, recipients: say(rows) })
      expect([response.status, response.body.split?.recipients]).toEqual([200, rows])
    }
  })

  test('with the salt it was made with, where that is sent', async () => {
    const { owner } = await newOwner()
    const made = salt()
    const splitAddress = await api.createSplit(rowsOf(), made)
    const wrong = await deploy(owner, { splitAddress, salt: salt() })
    expectApiError(wrong, 400, 'invalid_input')
    expect(wrong.body.issues?.[0]?.path).toBe('splitAddress')
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
    ['the factory', async () => ({ splitAddress: api.needs.chain.factory })],
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
      async (rows) => ({ splitAddress: await api.createSplit(rows, salt()), recipients: rowsOf() }),
    ],
    [
      'other shares than the contract’s',
      async (rows) => {
        const [first, second] = rows as [Row, Row]
        const recipients = [row(5_000, first.address), row(4_950, second.address)]
        return { splitAddress: await api.createSplit(rows, salt()), recipients }
      },
    ],
    [
      'a contract without the platform',
      async () => ({ splitAddress: await api.createSplit([row(10_000)], salt()) }),
    ],
    [
      'a contract with the platform at another share',
      async () => ({
        splitAddress: await api.createSplit([row(9_960), row(40, api.platform.recipient)], salt()),
      }),
    ],
    [
      'the contract of another merchant',
      async () => {
        const { owner } = await newOwner()
        const { body } = await deploy(owner, {})
        await api.send(body.deploy)
        return { splitAddress: body.split.address }
      },
    ],
  ])('refuses %s, and changes nothing', async (_, make) => {
    const { merchant, owner } = await newOwner()
    expectApiError(await deploy(owner, await make(rowsOf())), 400, 'invalid_input')
    expect(await read(merchant)).toMatchObject({ address: null, recipients: [] })
  })

  test('not by the word of one endpoint on another machine: 503, and nothing is changed', async () => {
    const { merchant, owner } = await newOwner()
    const splitAddress = await api.createSplit(rowsOf(), salt())
    const { chain } = api.needs
    const asked: Hex[] = []
    const callCode = (code: Hex) => {
      asked.push(code)
      return chain.callCode(code)
    }
    const apart = { ...chain, isCorroborated: false, callCode }
    const alone = await startApi({ beside: api, ...testSplitTerms, chain: () => apart })
    const response = await alone.call('POST', '/api/split/deploy', { session: owner, body: { splitAddress } })
    expect([response.status, response.body.error, asked]).toEqual([503, 'chain_unavailable', []])
    expect(response.body.message).toContain('RPC endpoints of two hosts')
    expect(await read(merchant)).toMatchObject({ address: null, recipients: [] })
    await alone.stop()
    expect((await deploy(owner, { splitAddress })).status, 'as soon as it can be relied upon').toBe(200)
  })
})
