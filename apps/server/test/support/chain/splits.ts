import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { predictSplit } from '../../../src/split/split-address.ts'
import { logIn, type TestSession } from '../api/sessions.ts'
import type { TestApi, TestMerchant } from '../api/start-api.ts'
import { type ChainApi, randomWallet, startChainApi } from './chain-api.ts'

/** Half a percent for a platform, and merchants' wallets deploy. */
export const testSplitTerms = {
  platformFeeBps: 50,
  platformRecipient: randomWallet(),
  deployerKey: undefined,
  splitChangeDelayMs: 24 * 3_600_000,
} as const

/** One row of a split, as it is sent and shown. */
export type Row = { readonly address: Wallet; readonly sharesBps: number }

/** The service with a real chain that mines each transaction at once, and whose merchants deploy their splits. */
export type SplitApi = ChainApi & {
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
  const { merchant, owner } = await addOwner(api)
  const { body } = await api.call('POST', '/api/split/deploy', { session: owner, body: {} })
  await api.send(body.deploy)
  await api.look()
  return { merchant, owner, split: await readSplit(api, merchant) }
}

/** A new merchant, and its owner's session. */
export async function addOwner(api: TestApi): Promise<Pick<SplitShop, 'merchant' | 'owner'>> {
  const merchant = await api.addMerchant()
  return { merchant, owner: await logIn(api, merchant) }
}

/** The merchant's split as it is read with its key. */
export async function readSplit(api: TestApi, { key }: TestMerchant) {
  return (await api.call('GET', '/api/split/deploy', { key })).body.split
}

/** One row of a split, of a new wallet where none is given. */
export function row(sharesBps: number, address = randomWallet()): Row {
  return { address, sharesBps }
}

/** Starts it. */
export async function startSplitApi(): Promise<SplitApi> {
  const api = await startChainApi({ ...testSplitTerms, keeperKey: undefined, blockTime: 0 })
  const { factory } = api.needs.chain
  // The chain answers before it has mined what it was sent.
  const send: ChainApi['send'] = async (call) => {
    const sent = await api.send(call)
    await api.node.client.waitForTransactionReceipt({ hash: sent.hash })
    return sent
  }
  return {
    ...api,
    send,
    async createSplit(rows, salt) {
      const args = [rows.map(({ address }) => address), rows.map(({ sharesBps }) => sharesBps), salt] as const
      const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'createSplit', args })
      await send({ to: factory, data })
      const recipients = rows.map(({ address, sharesBps }) => ({ address, sharesBps: sharesBps as Bps }))
      return predictSplit(factory, recipients, salt)
    },
    look: () => api.run(jobNames.deploySplits, jobNames.applySplitChanges),
  }
}
