import { type Static, Type } from 'typebox'
import { brandKeyPattern } from '../brand.ts'
import { pageFonts } from '../page-fonts.ts'
import { tokenSymbols } from '../tokens/list.ts'
import { degradedFields } from './documented.ts'

const colour = Type.String({
  maxLength: 100,
  description: 'Any CSS color: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent.',
})
const image = Type.String({ maxLength: 2048, description: 'An https URL, or empty for none.' })
const symbol = Type.Enum([...tokenSymbols])

export const siteTheme = Type.Object({
  primaryColor: colour,
  secondaryColor: colour,
  brandLogoUrl: image,
  brandFaviconUrl: image,
  brandName: Type.String({ minLength: 1, maxLength: 200 }),
  fontFamily: Type.String({
    pattern: '^[A-Za-z0-9 ,\'"_-]{0,200}$',
    description: `A CSS font family list. The first supported family is used: ${pageFonts.join(', ')}; otherwise the system font.`,
  }),
  receiptBackgroundUrl: image,
})

const fields = {
  processingFeePct: Type.Union(
    [
      Type.Number({
        minimum: 0,
        maximum: 20,
        description: 'Percent, with at most two decimals: 0.5 means 0.5%.',
      }),
      Type.Null(),
    ],
    { description: 'Processing fee on top of the total; null for none.' },
  ),
  defaultPaymentToken: symbol,
  reserveRatios: Type.Union([Type.Record(Type.String(), Type.Number()), Type.Null()], {
    description: 'Fractions by token symbol that add up to 1.',
  }),
}

export const siteConfig = Type.Object({ theme: siteTheme, ...fields })

export const siteConfigResponse = Type.Object({ ...siteConfig.properties, ...degradedFields })

export const changeSiteRequest = Type.Partial(
  Type.Object({
    brandKey: Type.String({ pattern: brandKeyPattern, maxLength: 32, description: 'Defaults to `service`.' }),
    domains: Type.Array(Type.String({ maxLength: 253 }), {
      maxItems: 20,
      description: 'The host names of this brand, without a port. Payment URLs use the first one.',
    }),
    theme: Type.Partial(siteTheme),
    ...fields,
  }),
)

export const changeSiteResponse = Type.Object({
  ok: Type.Literal(true),
  brandKey: Type.String(),
  config: siteConfig,
})

export const brandView = Type.Object({
  key: Type.String(),
  domains: Type.Array(Type.String()),
  baseUrl: Type.String({ description: 'Prefix of its payment URLs.' }),
  webhookHeaderPrefix: Type.String({
    description: 'For example `X-Acme-`. The headers with `X-Service-` are always sent as well.',
  }),
  webhookUserAgent: Type.String(),
  config: siteConfig,
  createdAt: Type.Integer({ description: 'Unix milliseconds' }),
  updatedAt: Type.Integer({ description: 'Unix milliseconds' }),
})

export const brandList = Type.Object({ brands: Type.Array(brandView) })

export const brandedMerchantList = Type.Object({
  merchants: Type.Array(
    Type.Object({
      merchantWallet: Type.String(),
      name: Type.String(),
      brandKey: Type.String({
        description: 'Determines the name, the fee and the payment URLs of its receipts.',
      }),
      createdAt: Type.Integer({ description: 'Unix milliseconds' }),
    }),
  ),
  nextCursor: Type.Union([Type.String(), Type.Null()]),
})

export const assignBrandRequest = Type.Object({
  merchantWallet: Type.String({ description: '0x and 40 hex digits' }),
  brandKey: Type.Optional(
    Type.String({ pattern: brandKeyPattern, maxLength: 32, description: 'Defaults to `service`.' }),
  ),
})

export const assignBrandResponse = Type.Object({
  ok: Type.Literal(true),
  merchantWallet: Type.String(),
  brandKey: Type.String(),
})

export type SiteConfig = Static<typeof siteConfig>
export type SiteTheme = Static<typeof siteTheme>
export type ChangeSiteRequest = Static<typeof changeSiteRequest>
export type BrandView = Static<typeof brandView>
