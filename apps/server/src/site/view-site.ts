import type { BrandView, SiteConfig } from '@sluice/protocol/api/site.ts'
import { webhookAgent, webhookHeaderPrefix } from '@sluice/protocol/brand.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import { type Brand, brandBaseUrl, defaultTheme } from './brand.ts'

/** A brand's configuration as the contract writes it. */
export function viewSite(brand: Brand): SiteConfig {
  const fee = brand.processingFeeHundredths
  return {
    theme: { ...defaultTheme, ...brand.theme },
    processingFeePct: fee === undefined ? null : Number(formatUnits(fee, 2)),
    defaultPaymentToken: brand.defaultPaymentToken,
    reserveRatios: brand.reserveRatios ? { ...brand.reserveRatios } : null,
  }
}

/** A brand with everything the operator may know of it. */
export function viewBrand(brand: Brand, baseUrl: string): BrandView {
  return {
    key: brand.key,
    domains: [...brand.domains],
    baseUrl: brandBaseUrl(brand, baseUrl),
    webhookHeaderPrefix: webhookHeaderPrefix(brand.key),
    webhookUserAgent: webhookAgent(brand.key),
    config: viewSite(brand),
    createdAt: brand.createdAt,
    updatedAt: brand.updatedAt,
  }
}
