import type { ChangeShopRequest } from '@sluice/protocol/api/shop.ts'
import { parseColour } from '@sluice/protocol/colour.ts'
import { readDecimal } from '@sluice/protocol/money.ts'
import { type Issue, invalidInput, pathOf } from '../kernel/api-error.ts'
import { errorOfLine, errorOfLines, isHttpsUrl, isLinkUrl } from '../kernel/text/merchant-text.ts'
import { reservedSlugs } from './reserved-slugs.ts'
import { defaultTheme, type ShopChange } from './shop.ts'

/**
 * Parses a change from a body that passed its schema. Ignores unknown fields.
 *
 * @throws {ApiError} `invalid_input` listing every issue.
 */
export function parseShopChange(body: ChangeShopRequest): ShopChange {
  const issues: Issue[] = []
  const error = (path: string, message: string | undefined) => {
    if (message !== undefined) issues.push({ path, message })
  }
  const { name, description, bio, arrangement, slug, links, industryPack } = body
  if (name !== undefined) error('name', errorOfLine(name))
  if (description !== undefined) error('description', errorOfLines(description))
  if (bio !== undefined) error('bio', errorOfLines(bio))
  if (slug && reservedSlugs.has(slug)) error('slug', 'is reserved')
  for (const [i, link] of (links ?? []).entries()) {
    error(pathOf('links', i, 'label'), errorOfLine(link.label))
    if (!isLinkUrl(link.url)) error(pathOf('links', i, 'url'), 'must be an https, http, mailto or tel URL')
  }
  const theme = body.theme && parseTheme(body.theme, error)
  const xp = body.xpPerDollar === undefined ? undefined : readDecimal(body.xpPerDollar, 2)
  if (typeof xp === 'string') error('xpPerDollar', 'must have at most two decimals')
  if (issues.length > 0) throw invalidInput(...issues)
  return {
    ...(name !== undefined && { name }),
    ...(description !== undefined && { description }),
    ...(bio !== undefined && { bio }),
    ...(theme && { theme }),
    ...(arrangement !== undefined && { arrangement }),
    ...(typeof xp === 'bigint' && { xpPerDollarHundredths: xp }),
    ...(slug !== undefined && { slug }),
    ...(links && { links: links.map(({ label, url }) => ({ label, url })) }),
    ...(industryPack !== undefined && { industryPack }),
  }
}

const colourNames = ['primaryColor', 'secondaryColor', 'textColor', 'accentColor'] as const
const imageNames = ['brandLogoUrl', 'coverPhotoUrl'] as const

function parseTheme(
  sent: NonNullable<ChangeShopRequest['theme']>,
  error: (path: string, message: string) => void,
): ShopChange['theme'] {
  for (const name of imageNames) {
    const url = sent[name]
    if (url && !isHttpsUrl(url)) error(pathOf('theme', name), 'must be an https URL')
  }
  for (const name of colourNames) {
    const colour = sent[name]
    if (colour !== undefined && !parseColour(colour)) error(pathOf('theme', name), 'must be a CSS color')
  }
  const known = Object.entries(sent).filter(([name]) => Object.hasOwn(defaultTheme, name))
  return Object.fromEntries(known)
}
