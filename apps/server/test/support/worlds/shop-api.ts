import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { randomWallet } from './chain-api.ts'
import type { TestApi } from './start-api.ts'

/** Gives a merchant a split, so that it can be paid. */
export async function addSplit({ needs }: TestApi, merchant: Wallet): Promise<void> {
  const platform = { feeBps: 50 as Bps, recipient: randomWallet() }
  await configureSplit({ ...needs, platform }, merchant, {})
}
