import { splitFactoryAbi } from '@sluice/contracts/abi/SplitFactory.ts'
import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { encodeFunctionData, type Hex } from 'viem'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { predictSplit } from '../../../src/split/split-address.ts'
import { logIn } from '../api/sessions.ts'
import type { TestApi, TestMerchant } from '../api/start-api.ts'
import { type ChainApi, randomWallet, startChainApi } from './chain-api.ts'

/** Terms with a platform fee of 0.5 %. Merchants' wallets deploy the splits. */
export const testSplitTerms = {
  platformFeeBps: 50,
  platformRecipient: randomWallet(),
  deployerKey: undefined,
  splitChangeDelayMs: 24 * 3_600_000,
} as const

export type Row = { readonly address: Wallet; readonly sharesBps: number }

export async function addSplitShop(api: Awaited<ReturnType<typeof startSplitApi>>) {
  const { merchant, owner } = await addOwner(api)
  const { body } = await api.call('POST', '/api/split/deploy', { session: owner, body: {} })
  await api.send(body.deploy)
  await api.look()
  return { merchant, owner, split: await readSplit(api, merchant) }
}

export async function addOwner(api: TestApi) {
  const merchant = await api.addMerchant()
  return { merchant, owner: await logIn(api, merchant) }
}

export async function readSplit(api: TestApi, { key }: TestMerchant) {
  return (await api.call('GET', '/api/split/deploy', { key })).body.split
}

export function row(sharesBps: number, address = randomWallet()): Row {
  return { address, sharesBps }
}

/**
 * Starts the service over a chain that mines each transaction immediately. Merchants' wallets deploy the
 * splits.
 */
export async function startSplitApi() {
  const api = await startChainApi({ ...testSplitTerms, keeperKey: undefined, blockTime: 0 })
  const { factory } = api.needs.chain
  // The chain responds before it has mined the transaction.
  const send: ChainApi['send'] = async (call) => {
    const sent = await api.send(call)
    await api.node.client.waitForTransactionReceipt({ hash: sent.hash })
    return sent
  }
  return {
    ...api,
    send,
    async createSplit(rows: readonly Row[], salt: Hex): Promise<Wallet> {
      const args = [rows.map(({ address }) => address), rows.map(({ sharesBps }) => sharesBps), salt] as const
      const data = encodeFunctionData({ abi: splitFactoryAbi, functionName: 'createSplit', args })
      await send({ to: factory, data })
      const recipients = rows.map(({ address, sharesBps }) => ({ address, sharesBps: sharesBps as Bps }))
      return predictSplit(factory, recipients, salt)
    },
    look: () => api.run(jobNames.deploySplits, jobNames.applySplitChanges),
  }
}
