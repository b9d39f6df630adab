import type { SiteTheme } from '@sluice/protocol/api/site.ts'
import { ownBrandKey } from '@sluice/protocol/brand.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { TokenSymbol } from '@sluice/protocol/tokens/list.ts'

/** Under whose name a deployment answers: its own, or a partner's with domains of its own. */
export type Brand = {
  readonly key: string
  /** Lower-case host names; payment URLs are made with the first. */
  readonly domains: readonly string[]
  /** What was chosen; the rest is {@link defaultTheme}. */
  readonly theme: Partial<SiteTheme>
  /** What buyers pay on top of a total, in hundredths of a percent. */
  readonly processingFeeHundredths: bigint | undefined
  readonly defaultPaymentToken: TokenSymbol
  readonly reserveRatios: Readonly<Record<string, number>> | undefined
  readonly createdAt: UnixMs
  readonly updatedAt: UnixMs
}

/** What of a brand is to change, checked: what is absent stays, null takes away. */
export type BrandChange = Partial<
  Pick<Brand, 'domains' | 'theme' | 'defaultPaymentToken'> & {
    readonly processingFeeHundredths: bigint | null
    readonly reserveRatios: Readonly<Record<string, number>> | null
  }
>

/** How a brand looks of which nothing is said. */
export const defaultTheme: SiteTheme = {
  primaryColor: '#0b5d66',
  secondaryColor: '#eaf2f2',
  brandLogoUrl: '',
  brandFaviconUrl: '',
  brandName: 'Sluice',
  fontFamily: '',
  receiptBackgroundUrl: '',
}

/** A brand of which nothing is said yet. */
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

/** The deployment's own brand as long as nobody has changed it. */
export const untouchedBrand: Brand = newBrand(ownBrandKey, 0 as UnixMs)

/** The brand after a change. */
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

/** The name people know a brand by. */
export function brandName(brand: Pick<Brand, 'theme'>): string {
  return brand.theme.brandName ?? defaultTheme.brandName
}

/** What a brand's addresses begin with: its first domain, else `baseUrl`; never what a request says. */
export function brandBaseUrl(brand: Pick<Brand, 'domains'>, baseUrl: string): string {
  const [domain] = brand.domains
  return domain === undefined ? baseUrl : `https://${domain}`
}

const label = '[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?'
const form = new RegExp(`^(${label}\\.)+[a-z]([a-z0-9-]{0,61}[a-z0-9])$`)

/** The host name in a text, in lower case and without the root's dot; `undefined` for addresses and single words. */
export function parseDomain(text: string): string | undefined {
  const domain = text.toLowerCase().replace(/\.$/, '')
  return domain.length <= 253 && form.test(domain) ? domain : undefined
}
