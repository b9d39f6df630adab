import { nativeAddress, type Wallet } from '@sluice/protocol/wallet.ts'
import type { Hex } from 'viem'
import { describe, expect, test } from 'vitest'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { recordDistribution } from '../../../src/split/ledger/record-distribution.ts'
import type { SplitEvent } from '../../../src/split/split-event.ts'
import type { TestSession } from '../../support/api/sessions.ts'
import type { TestMerchant } from '../../support/api/start-api.ts'
import { randomWallet } from '../../support/chain/chain-api.ts'
import { addSplitShop, readSplit, row, startSplitApi } from '../../support/chain/splits.ts'
import { perFile } from '../../support/per-file.ts'

const api = perFile(startSplitApi)

const dayMs = 24 * 3_600_000
const platformRow = () => row(50, api.platform.recipient)
const preview = (session: TestSession | undefined, recipients: unknown) =>
  api.call('POST', '/api/split/versions/preview', { session, body: { recipients } })
const read = (merchant: TestMerchant) => readSplit(api, merchant)
const newShop = () => addSplitShop(api)

describe('POST /api/split/versions/preview', () => {
  test('says what the last thirty days would have come to, exactly, and changes nothing', async () => {
    const { merchant, owner, split: first } = await newShop()
    const usdc = api.node.contracts.tokens.USDC
    await book(merchant, usdc, [arrival(-31, 999n), arrival(-29, 1_000_001n), arrival(-1, 2_000_000n)])
    await book(merchant, nativeAddress, [arrival(-2, 10n ** 18n)])
    const partner = randomWallet()
    const rows = [row(5_000, merchant.wallet), row(4_950, partner)]
    const { status, body } = await preview(owner, rows)
    expect(status).toBe(200)
    expect(body.recipients).toEqual([...rows, platformRow()])
    expect(body.preview.shares).toEqual([
      { address: merchant.wallet, beforeBps: 9_950, afterBps: 5_000 },
      { address: partner, beforeBps: 0, afterBps: 4_950 },
      { address: api.platform.recipient, beforeBps: 50, afterBps: 50 },
    ])
    expect(body.preview.to - body.preview.from).toBe(30 * dayMs)
    expect(body.preview.tokens.map(({ currency }: { currency: string }) => currency)).toEqual(['USDC', 'ETH'])
    expect(body.preview.tokens[0]).toEqual({
      currency: 'USDC',
      amount: 3.000001,
      amountRaw: '3000001',
      payments: 2,
      recipients: [
        part(merchant.wallet, [2.985, '2985000'], [1.5, '1500000'], [-1.485, '-1485000']),
        part(partner, [0, '0'], [1.485, '1485000'], [1.485, '1485000']),
        part(api.platform.recipient, [0.015, '15000'], [0.015, '15000'], [0, '0']),
      ],
    })
    expect(await read(merchant)).toEqual(first)
    const { body: list } = await api.call('GET', '/api/split/versions', { key: merchant.key })
    expect(list.versions).toHaveLength(1)
  })

  test('shows nobody what another merchant got', async () => {
    const { merchant } = await newShop()
    await book(merchant, nativeAddress, [arrival(-1, 10n ** 18n)])
    const other = await newShop()
    expect((await preview(other.owner, [row(9_950)])).body.preview.tokens).toEqual([])
  })

  test('warns of a recipient that does not take ETH as a distribution pays it', async () => {
    const { owner } = await newShop()
    const [taker, refuser, eater, keeper] = [randomWallet(), randomWallet(), randomWallet(), randomWallet()]
    const codes: [Wallet, Hex][] = [
      [taker, '0x00'], // STOP
      [refuser, '0x5f5ffd'], // REVERT
      [eater, '0x5b5f56'], // an endless loop
      [keeper, '0x3415600957005b5f5ffd'], // reverts a call without ETH
    ]
    for (const [address, bytecode] of codes) await api.node.client.setCode({ address, bytecode })
    await api.node.client.setBalance({ address: nativeAddress, value: 10n ** 18n })
    const wallet = randomWallet()
    const contracts = [taker, refuser, eater, keeper].map((address) => row(100, address))
    const { body } = await preview(owner, [row(9_550, wallet), ...contracts])
    const warning = expect.stringContaining('ETH')
    expect(body.probes).toEqual([
      { address: wallet, hasCode: false, acceptsEth: true, warning: null },
      { address: taker, hasCode: true, acceptsEth: true, warning: null },
      { address: refuser, hasCode: true, acceptsEth: false, warning },
      { address: eater, hasCode: true, acceptsEth: false, warning },
      { address: keeper, hasCode: true, acceptsEth: true, warning: null },
      { address: api.platform.recipient, hasCode: false, acceptsEth: true, warning: null },
    ])
  })

  test('warns of a token taken for a wallet', async () => {
    const { owner } = await newShop()
    const { probes } = (await preview(owner, [row(9_950, api.node.contracts.tokens.USDC)])).body
    expect(probes[0].warning).toContain('USDC')
  })
})

function part(
  address: Wallet,
  [before, beforeRaw]: [number, string],
  [after, afterRaw]: [number, string],
  [difference, differenceRaw]: [number, string],
) {
  return { address, before, beforeRaw, after, afterRaw, difference, differenceRaw }
}

let arrivals = 0

function arrival(day: number, amount: bigint): SplitEvent {
  arrivals++
  const hash = `0x${arrivals.toString(16).padStart(64, '0')}` as Hex
  const at = (api.clock.now() + day * dayMs) as ReturnType<typeof api.clock.now>
  const place = { blockNumber: BigInt(arrivals), blockHash: hash, at, transactionHash: hash, logIndex: 0 }
  return { kind: 'arrived', how: 'plain', amount, reference: undefined, deposit: undefined, place }
}

async function book({ wallet }: TestMerchant, token: Wallet, events: SplitEvent[]): Promise<void> {
  const split = await findCurrentSplit(api.needs.db, wallet)
  if (!split) throw new Error('the shop has a split')
  await api.needs.db.transaction((tx) => recordDistribution(tx, split, token, events, new Map()))
}
