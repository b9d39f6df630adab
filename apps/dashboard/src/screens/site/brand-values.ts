import { tokenSymbols } from '@sluice/protocol/tokens/list.ts'
import type { operations } from '../../api/schema.d.ts'
import { readCents } from '../../format/cents.ts'
import { type Brand, ownKey } from './brands.ts'

export type BrandValues = {
  brandKey: string
  domains: string
  brandName: string
  brandLogoUrl: string
  brandFaviconUrl: string
  receiptBackgroundUrl: string
  primaryColor: string
  secondaryColor: string
  fontFamily: string
  fee: string
  token: Brand['config']['defaultPaymentToken']
  hasRatios: boolean
  ratios: Record<string, string>
}

type Change = NonNullable<operations['postSiteConfig']['requestBody']>['content']['application/json']

/** Tokens that a reserve can hold and a checkout can preselect. */
export const tokens = tokenSymbols

export function valuesOf(brand: Brand | undefined): BrandValues {
  const theme = brand?.config.theme
  const { processingFeePct = null, reserveRatios = null } = brand?.config ?? {}
  return {
    brandKey: brand?.key ?? '',
    domains: (brand?.domains ?? []).join('\n'),
    brandName: theme?.brandName ?? '',
    brandLogoUrl: theme?.brandLogoUrl ?? '',
    brandFaviconUrl: theme?.brandFaviconUrl ?? '',
    receiptBackgroundUrl: theme?.receiptBackgroundUrl ?? '',
    primaryColor: theme?.primaryColor ?? '#0b5d66',
    secondaryColor: theme?.secondaryColor ?? '#eaf2f2',
    fontFamily: theme?.fontFamily ?? '',
    fee: processingFeePct === null ? '' : String(processingFeePct),
    token: brand?.config.defaultPaymentToken ?? 'USDC',
    hasRatios: reserveRatios !== null,
    ratios: Object.fromEntries(tokens.map((token) => [token, percentText(reserveRatios?.[token] ?? 0)])),
  }
}

/** Returns the request. The values must be valid. */
export function changeOf(values: BrandValues): Change {
  const { brandKey, brandName, token, hasRatios, ratios } = values
  const { brandLogoUrl, brandFaviconUrl, receiptBackgroundUrl, primaryColor, secondaryColor, fontFamily } =
    values
  const fee = readCents(values.fee)
  const shares = tokens.map((name) => [name, shareOf(ratios[name] ?? '') ?? 0n] as const)
  const domains = values.domains.split(/[\s,]+/).filter(Boolean)
  return {
    brandKey,
    ...(brandKey !== ownKey && { domains }),
    theme: {
      brandName: brandName.trim(),
      brandLogoUrl,
      brandFaviconUrl,
      receiptBackgroundUrl,
      primaryColor,
      secondaryColor,
      fontFamily,
    },
    processingFeePct: fee === undefined ? null : Number(fee) / 100,
    defaultPaymentToken: token,
    reserveRatios: hasRatios
      ? Object.fromEntries(
          shares.filter(([, share]) => share > 0n).map(([name, share]) => [name, Number(share) / 1e6]),
        )
      : null,
  }
}

/**
 * Parses a percentage with at most four decimals into millionths. Returns 0 for empty text, and `undefined`
 * if invalid.
 */
export function shareOf(typed: string): bigint | undefined {
  if (typed.trim() === '') return 0n
  const match = /^(\d{1,3})(?:[.,](\d{1,4}))?$/.exec(typed.trim())
  if (!match) return undefined
  return BigInt(match[1] ?? '0') * 10_000n + BigInt((match[2] ?? '').padEnd(4, '0'))
}

/** Returns the sum in millionths, or `undefined` if a share is invalid. A valid total is 1,000,000. */
export function sumOf(ratios: Readonly<Record<string, string>>): bigint | undefined {
  let sum = 0n
  for (const token of tokens) {
    const share = shareOf(ratios[token] ?? '')
    if (share === undefined) return undefined
    sum += share
  }
  return sum
}

function percentText(fraction: number): string {
  if (fraction === 0) return ''
  const millionths = BigInt(Math.round(fraction * 1_000_000))
  const rest = (millionths % 10_000n).toString().padStart(4, '0').replace(/0+$/, '')
  return `${millionths / 10_000n}${rest ? `.${rest}` : ''}`
}
