import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import type { Chain } from '../../src/chain/chain.ts'
import { connectChain } from '../../src/chain/connect-chain.ts'
import { describeNetwork } from '../../src/chain/networks.ts'
import { Refusal } from '../../src/kernel/refusal.ts'
import { actAsStagehand } from '../../src/local/deploy-contracts.ts'
import { makeLog } from '../../src/platform/log.ts'
import { HttpOutbound } from '../../src/platform/outbound-http.ts'
import { deploySplitsJob } from '../../src/split/deploy-splits.ts'
import { type SplitNeeds, type SplitTerms, splitRoutes } from '../../src/split/routes.ts'
import { predictSplit } from '../../src/split/split-address.ts'
import { randomWallet, runJob } from './split-bench.ts'
import { startApi, type TestApi } from './start-api.ts'
import { startTestChain, type TestChain } from './test-chain.ts'

/** Half a percent for a platform, and merchants' wallets deploy. */
export const testSplitTerms: SplitTerms = {
  platform: { feeBps: 50 as Bps, recipient: randomWallet() },
  hasDeployer: false,
}

/** A chain that cannot be reached. */
export function chainAway(): SplitNeeds['chain'] {
  const away = async (): Promise<never> => {
    throw new Refusal('chain_unavailable', 'This test has no chain')
  }
  return { id: 31337, factory: randomWallet(), tokens: [], callCode: away, readHead: away, readLogs: away }
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
  /** One round of what looks for splits on the chain; nothing is paid for. */
  look(): Promise<void>
}

/** Starts it. `terms` are looked at with every request, so that a test may change them. */
export async function startSplitApi(terms: SplitTerms = testSplitTerms): Promise<SplitApi> {
  const node = await startTestChain()
  const log = makeLog('silent')
  let made: { chain: Chain; http: HttpOutbound } | undefined
  const api = await startApi({
    more: ({ db, clock }) => {
      const http = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
      const network = describeNetwork(31337, node.contracts)
      const chain = connectChain({ outbound: http, clock, log }, network, [node.rpcUrl])
      made = { chain, http }
      return splitRoutes({ db, clock, chain, splits: terms })
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
    look: () =>
      runJob(deploySplitsJob({ db: api.needs.db, clock: api.clock, chain, log }, undefined, 'test')),
    async stop() {
      await http.close()
      await Promise.all([api.stop(), node.stop()])
    },
  }
}
