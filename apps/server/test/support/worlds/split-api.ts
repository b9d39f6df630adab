import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import type { Chain } from '../../../src/chain/chain.ts'
import { ChainUnavailable } from '../../../src/chain/chain-unavailable.ts'
import { describeNetwork } from '../../../src/chain/networks.ts'
import { connectChain } from '../../../src/chain/rpc/connect-chain.ts'
import { actAsStagehand } from '../../../src/local/deploy-contracts.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import { splitRoutes } from '../../../src/split/routes.ts'
import { deploySplitsJob } from '../../../src/split/setup/deploy-splits.ts'
import type { SplitNeeds, SplitTerms } from '../../../src/split/setup/split-terms.ts'
import { predictSplit } from '../../../src/split/split-address.ts'
import { applySplitChangesJob } from '../../../src/split/versions/apply-changes.ts'
import { logIn, type TestSession } from '../asking/log-in.ts'
import { startTestChain, type TestChain } from '../chain/test-chain.ts'
import { randomWallet, runJob } from './split-bench.ts'
import { startApi, type TestApi, type TestMerchant } from './start-api.ts'

/** Half a percent for a platform, and merchants' wallets deploy. */
export const testSplitTerms: SplitTerms = {
  platform: { feeBps: 50 as Bps, recipient: randomWallet() },
  hasDeployer: false,
  changeDelayMs: 24 * 3_600_000,
}

/** A chain that cannot be reached. */
export function chainAway(): SplitNeeds['chain'] {
  const away = async (): Promise<never> => {
    throw new ChainUnavailable('This test has no chain')
  }
  return {
    id: 31337,
    factory: randomWallet(),
    tokens: [],
    callCode: away,
    isCorroborated: true,
    readBalances: away,
    readHead: away,
    readLogs: away,
  }
}

/** One row of a split, as it is sent and shown. */
export type Row = { readonly address: Wallet; readonly sharesBps: number }

/** The API of splits with a real chain that mines each transaction at once. */
export type SplitApi = TestApi & {
  readonly node: TestChain
  readonly chain: Chain
  readonly platform: Wallet
  /** Sends a call as any wallet could, and mines it. */
  send(call: { to: Hex; data: Hex }): Promise<void>
  /** Has the factory make a split, as any wallet could. */
  createSplit(rows: readonly Row[], salt: Hex): Promise<Wallet>
  /** Looks for splits on the chain, without paying for any, and applies the changes that are due. */
  look(): Promise<void>
}

/** A merchant with a split that stands on the chain, its owner's session, and the split as it is read. */
export type SplitShop = {
  readonly merchant: TestMerchant
  readonly owner: TestSession
  readonly split: { readonly address: Wallet; readonly version: number }
}

/** Makes one. */
export async function addSplitShop(api: SplitApi): Promise<SplitShop> {
  const merchant = await api.addMerchant()
  const owner = await logIn(api, merchant)
  const { body } = await api.call('POST', '/api/split/deploy', { session: owner, body: {} })
  await api.send(body.deploy)
  await api.look()
  return { merchant, owner, split: await readSplit(api, merchant) }
}

/** The merchant's split as it is read with its key. */
export async function readSplit(api: TestApi, { key }: TestMerchant) {
  return (await api.call('GET', '/api/split/deploy', { key })).body.split
}

/** One row of a split, of a new wallet where none is given. */
export function row(sharesBps: number, address = randomWallet()): Row {
  return { address, sharesBps }
}

/** Starts it. `terms` are looked at with every request, so that a test may change them. */
export async function startSplitApi(terms: SplitTerms = testSplitTerms): Promise<SplitApi> {
  const node = await startTestChain()
  const log = makeLog('silent')
  let made: { chain: Chain; http: HttpOutbound } | undefined
  const api = await startApi({
    more: ({ db, clock, secrets }) => {
      const http = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
      const network = describeNetwork(31337, node.contracts)
      const chain = connectChain({ outbound: http, clock, log }, network, [node.rpcUrl])
      made = { chain, http }
      return splitRoutes({ db, clock, secrets, chain, splits: terms })
    },
  })
  if (!made) throw new Error('the API asks for its routes')
  const { chain, http } = made
  const send = (call: { to: Hex; data: Hex }) => actAsStagehand(node.client, [call])
  return {
    ...api,
    node,
    chain,
    platform: terms.platform.recipient as Wallet,
    send,
    async createSplit(rows, salt) {
      const args = [rows.map(({ address }) => address), rows.map(({ sharesBps }) => sharesBps), salt] as const
      const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'createSplit', args })
      await send({ to: chain.factory, data })
      const recipients = rows.map(({ address, sharesBps }) => ({ address, sharesBps: sharesBps as Bps }))
      return predictSplit(chain.factory, recipients, salt)
    },
    async look() {
      const needs = { ...api.needs, clock: api.clock, chain, log }
      await runJob(deploySplitsJob(needs, undefined, 'test'))
      await runJob(applySplitChangesJob(needs))
    },
    async stop() {
      await http.close()
      await Promise.all([api.stop(), node.stop()])
    },
  }
}
