import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { shopRoutes } from '../../../src/shop/routes.ts'
import { failureCodeRoutes } from '../../../src/site/failure-code-routes.ts'
import { siteRoutes } from '../../../src/site/routes.ts'
import { findCurrentSplit } from '../../../src/split/find-split.ts'
import { configureSplit } from '../../../src/split/setup/configure-split.ts'
import { randomWallet } from './split-bench.ts'
import { type ApiOptions, startApi, type TestApi, testBaseUrl } from './start-api.ts'

/** The API with shops, sites and failure codes. */
export function startShopApi(
  options: ApiOptions & { siteConfigRequiresKey?: boolean } = {},
): Promise<TestApi> {
  const { siteConfigRequiresKey = false } = options
  return startApi({
    ...options,
    more: (needs) => [
      ...shopRoutes({
        ...needs,
        hasSplit: async (merchant) => (await findCurrentSplit(needs.db, merchant)) !== undefined,
      }),
      ...siteRoutes({ ...needs, site: { baseUrl: testBaseUrl, siteConfigRequiresKey } }),
      ...failureCodeRoutes(),
    ],
  })
}

/** Gives a merchant a split, so that it can be paid. */
export async function addSplit(api: TestApi, merchant: Wallet): Promise<void> {
  const platform = { feeBps: 50 as Bps, recipient: randomWallet() }
  const chain = { id: 31337, factory: randomWallet() }
  await configureSplit({ ...api.needs, chain, platform }, merchant, {})
}
