import { type Static, Type } from 'typebox'
import { pageFonts } from '../page-fonts.ts'
import { degradedFields } from './documented.ts'

export const arrangements = ['grid', 'featured_first', 'groups', 'carousel'] as const

export const industryPacks = ['restaurant', 'retail', 'hotel', 'freelancer'] as const

export const logoShapes = ['square', 'circle'] as const

export const heroFontSizes = ['microtext', 'small', 'medium', 'large', 'xlarge'] as const

export type Arrangement = (typeof arrangements)[number]
export type IndustryPack = (typeof industryPacks)[number]
export type LogoShape = (typeof logoShapes)[number]
export type HeroFontSize = (typeof heroFontSizes)[number]

export const slugPattern = '^[a-z0-9-]{3,48}$'

const colour = Type.String({
  maxLength: 100,
  description: 'Any CSS color: 3, 4, 6 or 8 hex digits, `rgb()`, `hsl()` or a name. Stored as sent.',
})
const image = Type.String({ maxLength: 2048, description: 'An https URL, or empty for none.' })
const fontFamily = Type.String({
  pattern: '^[A-Za-z0-9 ,\'"_-]{0,200}$',
  description: `A CSS font family list. The first supported family is used: ${pageFonts.join(', ')}; otherwise the system font.`,
})
const unixMs = Type.Integer({ description: 'Unix milliseconds' })

export const shopTheme = Type.Object({
  primaryColor: colour,
  secondaryColor: colour,
  textColor: colour,
  accentColor: colour,
  brandLogoUrl: image,
  coverPhotoUrl: image,
  fontFamily,
  logoShape: Type.Enum(logoShapes),
  heroFontSize: Type.Enum(heroFontSizes),
})

const shopLink = Type.Object({
  label: Type.String({ minLength: 1, maxLength: 200 }),
  url: Type.String({ minLength: 1, maxLength: 2048, description: 'https URL' }),
})

const fields = {
  name: Type.String({ maxLength: 200 }),
  description: Type.String({ maxLength: 4000 }),
  bio: Type.String({ maxLength: 4000 }),
  arrangement: Type.Enum(arrangements),
  xpPerDollar: Type.Number({
    minimum: 0,
    maximum: 10_000,
    description: 'A number with at most two decimals.',
  }),
  slug: Type.Union([Type.String({ pattern: slugPattern }), Type.Null()]),
  links: Type.Array(shopLink, { maxItems: 50 }),
  industryPack: Type.Union([Type.Enum(industryPacks), Type.Null()]),
}

export const shopConfig = Type.Object({
  ...fields,
  theme: shopTheme,
  industryPackActivatedAt: Type.Union([unixMs, Type.Null()]),
  setupComplete: Type.Boolean({ description: 'Whether name, slug and split are set.' }),
  createdAt: unixMs,
  updatedAt: unixMs,
})

export const changeShopRequest = Type.Partial(Type.Object({ ...fields, theme: Type.Partial(shopTheme) }))

export const shopConfigQuery = Type.Object({
  slug: Type.Optional(Type.String({ description: 'Without a key: the slug of the shop.' })),
})

export const shopConfigResponse = Type.Object({ config: shopConfig, ...degradedFields })

export const changeShopResponse = Type.Object({ ok: Type.Literal(true), config: shopConfig })

export const slugResponse = Type.Object({
  slug: Type.String(),
  state: Type.Enum(['free', 'yours', 'taken', 'reserved', 'invalid'], {
    description:
      '`free` and `yours` can be saved. `reserved` belongs to the service. `invalid` does not match the pattern.',
  }),
})

export type ShopConfig = Static<typeof shopConfig>
export type ShopTheme = Static<typeof shopTheme>
export type ChangeShopRequest = Static<typeof changeShopRequest>
