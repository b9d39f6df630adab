import type { SiteTheme } from '@sluice/protocol/api/site.ts'
import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'

export type Brand = {
  readonly key: string
  /** Lower-case host names. Payment URLs use the first one. */
  readonly domains: readonly string[]
  /** Explicitly set values. {@link defaultTheme} supplies the rest. */
  readonly theme: Partial<SiteTheme>
  /** Fee on top of a total, in hundredths of a percent. */
  readonly processingFeeHundredths: bigint | undefined
  readonly defaultPaymentToken: TokenSymbol
  readonly reserveRatios: Readonly<Record<string, number>> | undefined
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
}

/** Validated change of a brand. A missing key leaves the field unchanged; null removes the value. */
export type BrandChange = Partial<
  Pick<Brand, 'domains' | 'theme' | 'defaultPaymentToken'> & {
    readonly processingFeeHundredths: bigint | null
    readonly reserveRatios: Readonly<Record<string, number>> | null
  }
>

export const defaultTheme: SiteTheme = {
  primaryColor: '#0b5d66',
  secondaryColor: '#eaf2f2',
  brandLogoUrl: '',
  brandFaviconUrl: '',
  brandName: 'Sluice',
  fontFamily: '',
  receiptBackgroundUrl: '',
}

export function newBrand(key: string, now: UnixMs): Brand {
  return {
    key,
    domains: [],
    theme: {},
    processingFeeHundredths: undefined,
    defaultPaymentToken: 'USDC',
    reserveRatios: undefined,
    createdAt: now,
    updatedAt: now,
  }
}

export const untouchedBrand: Brand = newBrand(ownBrandKey, 0 as UnixMs)

export function applyChange(brand: Brand, change: BrandChange, now: UnixMs): Brand {
  const { processingFeeHundredths: fee, reserveRatios: ratios, theme, ...given } = change
  return {
    ...brand,
    ...given,
    theme: { ...brand.theme, ...theme },
    processingFeeHundredths: fee === undefined ? brand.processingFeeHundredths : (fee ?? undefined),
    reserveRatios: ratios === undefined ? brand.reserveRatios : (ratios ?? undefined),
    updatedAt: now,
  }
}

export function brandName(brand: Pick<Brand, 'theme'>): string {
  return brand.theme.brandName ?? defaultTheme.brandName
}

/** Returns the first domain of a brand as a URL, or otherwise `baseUrl`. Never depends on the request. */
export function brandBaseUrl(brand: Pick<Brand, 'domains'>, baseUrl: string): string {
  const [domain] = brand.domains
  return domain === undefined ? baseUrl : `https://${domain}`
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const form = new RegExp(`^(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

/**
 * Parses a host name: lower case, without the trailing dot. Returns `undefined` for IP addresses and single
 * labels.
 */
export function parseDomain(text: string): string | undefined {
  const domain = text.toLowerCase().replace(/\.$/, '')
  return domain.length <= 253 && form.test(domain) ? domain : undefined
}
