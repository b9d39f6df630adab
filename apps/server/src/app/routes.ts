import type { Bps, Cents } from '@sluice/protocol/money.ts'
import { isLocalNetwork } from '@sluice/protocol/networks/list.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { invitationRoutes } from '../access/invitation-routes.ts'
import { subscriptionRoutes } from '../access/keys/routes.ts'
import type { Route } from '../access/route.ts'
import { ownMerchantRoutes } from '../access/sessions/merchant-routes.ts'
import { authRoutes } from '../access/sessions/routes.ts'
import { findOwnTaxRate } from '../access/settings/find-settings.ts'
import { settingsRoutes } from '../access/settings/routes.ts'
import { teamRoutes } from '../access/team-routes.ts'
import type { PublicReads } from '../inventory/list-products.ts'
import { inventoryRoutes } from '../inventory/routes.ts'
import { loyaltyRoutes } from '../loyalty/routes.ts'
import { orderRoutes, taxRoutes } from '../orders/routes.ts'
import { reserveForBuyer } from '../orders/settle-stock.ts'
import type { DepositReferences } from '../payments/attempts/references.ts'
import { closeOffers } from '../payments/attempts/store.ts'
import { withdrawOffers } from '../payments/cards/apply-report.ts'
import { cardRoutes } from '../payments/cards/routes.ts'
import type { ReserveStock } from '../payments/checkout/open-offer.ts'
import { checkoutRoutes, signatureRoutes } from '../payments/checkout/routes.ts'
import { claimRoutes } from '../payments/claims/routes.ts'
import type { FinalityPolicy } from '../payments/cursors/finality.ts'
import { unmatchedRoutes } from '../payments/inbox/routes.ts'
import { reopenReceipt } from '../payments/reconciliation/store.ts'
import type { Submitter } from '../payments/relaying/relayer.ts'
import { acceptLoss } from '../payments/settlement/accept-loss.ts'
import { sweepRoutes } from '../payments/sweeping/routes.ts'
import { trackingRoutes } from '../payments/tracking/routes.ts'
import type { ReceiptHomes } from '../receipts/making/create-receipt.ts'
import { managingRoutes } from '../receipts/managing/routes.ts'
import { receiptRoutes } from '../receipts/routes.ts'
import { shopRoutes } from '../shop/routes.ts'
import { findMerchantBySlug, findShopName, findShopNames } from '../shop/store.ts'
import type { BrandUrls } from '../site/brand-origins.ts'
import { findBrandOfMerchant } from '../site/find-brand.ts'
import { failureCodeRoutes, siteRoutes } from '../site/routes.ts'
import { webAppRoutes } from '../site/web-app-routes.ts'
import { findCurrentSplit } from '../split/find-split.ts'
import { splitRoutes } from '../split/routes.ts'
import { webhookRoutes } from '../webhooks/routes.ts'
import type { ServeNeeds } from './http/serve-route.ts'
import type { CompleteConfig, Runtime } from './runtime.ts'

export type RouteParts = Runtime &
  ServeNeeds & {
    readonly policy: FinalityPolicy
    readonly references: DepositReferences
    readonly relayer: Submitter | undefined
    readonly homes: ReceiptHomes
    readonly publicReads: PublicReads
    readonly urls: BrandUrls
  }

export function makeRoutes(
  made: RouteParts,
  config: CompleteConfig,
  { demoWallet }: { readonly demoWallet?: string | undefined } = {},
): Route[] {
  const parts = { ...made, deadlines: made.chain.time }
  const { db, webhookTests } = parts
  const { baseUrl, chainId, isProduction } = config
  const site = { baseUrl, chainId, isProduction }
  const platform = { feeBps: config.platformFeeBps as Bps, recipient: config.platformRecipient }
  const { splitChangeDelayMs: changeDelayMs } = config
  const splits = { platform, hasDeployer: config.deployerKey !== undefined, changeDelayMs }
  const checkout = checkoutParts(parts, config)
  const ownTaxRate = (merchant: Wallet, code: string) => findOwnTaxRate(parts, merchant, code)
  const brandKeyOf = async (merchant: Wallet) => (await findBrandOfMerchant(db, merchant)).key
  return [
    ...authRoutes({ ...parts, site: config }),
    ...ownMerchantRoutes({ ...parts, findShopNames: (merchants) => findShopNames(db, merchants) }),
    ...subscriptionRoutes(parts),
    ...teamRoutes(parts),
    ...settingsRoutes(parts),
    ...invitationRoutes({ ...parts, site, findShopName: (merchant) => findShopName(db, merchant) }),
    ...receiptRoutes({ ...parts, site }),
    ...managingRoutes({
      ...parts,
      site,
      withdrawOffers: (tx, merchant, id) => withdrawOffers({ ...parts, tx }, merchant, id),
      closeOffers: (tx, merchant, id) => closeOffers({ ...parts, tx }, merchant, id),
      reopen: (tx, merchant, id) => reopenReceipt({ ...parts, tx }, merchant, id),
      acceptLoss: (tx, receipt, detail) => acceptLoss({ ...parts, tx }, receipt, detail),
      findOwnTaxRate: ownTaxRate,
    }),
    ...trackingRoutes(parts),
    ...inventoryRoutes({ ...parts, findBySlug: (slug) => findMerchantBySlug(db, slug) }),
    ...orderRoutes({ ...parts, site, platform, findOwnTaxRate: ownTaxRate }),
    ...taxRoutes(),
    ...loyaltyRoutes(parts),
    ...splitRoutes({ ...parts, splits }),
    ...shopRoutes({
      ...parts,
      hasSplit: async (merchant) => (await findCurrentSplit(db, merchant)) !== undefined,
    }),
    ...siteRoutes({ ...parts, site: config }),
    ...failureCodeRoutes(),
    ...webAppRoutes({
      ...parts,
      webApp: {
        platform,
        walletConnectProject: config.walletConnectProject,
        localRpcUrl: isLocalNetwork(chainId) ? config.rpcUrls[0] : undefined,
        demoWallet,
      },
    }),
    ...checkoutRoutes(checkout),
    ...signatureRoutes(checkout),
    ...cardRoutes({ ...checkout, onrampToleranceMs: config.onrampToleranceMs }),
    ...unmatchedRoutes(checkout),
    ...claimRoutes({ ...parts, site }),
    ...sweepRoutes({ ...parts, keeperKey: config.keeperKey }),
    ...webhookRoutes({ ...parts, receivers: { outbound: webhookTests, isProduction, brandKeyOf } }),
  ]
}

export function checkoutParts(parts: RouteParts, config: CompleteConfig) {
  const { rates } = parts
  const minCents = config.orderMinCents as Cents
  const maxCents = config.orderMaxCents as Cents
  const onrampLimits = { minCents: config.onrampMinCents as Cents, maxCents: config.onrampMaxCents as Cents }
  const reserveStock: ReserveStock = (tx, receipt, address) =>
    reserveForBuyer({ tx, clock: parts.chain.time }, receipt, address)
  return {
    ...parts,
    baseUrl: config.baseUrl,
    offer: { rates, minCents, maxCents },
    onrampLimits,
    reserveStock,
  }
}
