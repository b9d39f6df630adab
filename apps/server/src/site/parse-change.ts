import type { ChangeSiteRequest } from '@sluice/protocol/api/site.ts'
import { ownBrandKey } from '@sluice/protocol/brand.ts'
import { parseColour } from '@sluice/protocol/colour.ts'
import { readDecimal } from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { type Issue, invalidInput, pathOf } from '../kernel/api-error.ts'
import { errorOfLine, isHttpsUrl } from '../kernel/text/merchant-text.ts'
import { type BrandChange, defaultTheme, parseDomain } from './brand.ts'

const millionths = 6
const one = 1_000_000n

/**
 * Parses the change and its brand from a body that passed its schema.
 *
 * @param baseHost - Host name of the deployment, which no partner can use.
 * @throws {ApiError} `invalid_input` listing every issue.
 */
export function parseSiteChange(
  body: ChangeSiteRequest,
  baseHost: string,
): { key: string; change: BrandChange } {
  const issues: Issue[] = []
  const error = (path: string, message: string) => void issues.push({ path, message })
  const key = body.brandKey ?? ownBrandKey
  const domains = body.domains && parseDomains(body.domains, { key, baseHost }, error)
  const theme = body.theme && parseTheme(body.theme, error)
  const fee = parseFee(body.processingFeePct, error)
  if (body.reserveRatios) evaluateRatios(body.reserveRatios, error)
  const { defaultPaymentToken, reserveRatios } = body
  if (issues.length > 0) throw invalidInput(...issues)
  return {
    key,
    change: {
      ...(domains && { domains }),
      ...(theme && { theme }),
      ...(fee !== undefined && { processingFeeHundredths: fee }),
      ...(defaultPaymentToken !== undefined && { defaultPaymentToken }),
      ...(reserveRatios !== undefined && { reserveRatios }),
    },
  }
}

type Fault = (path: string, message: string) => void

function parseDomains(
  sent: readonly string[],
  { key, baseHost }: { key: string; baseHost: string },
  error: Fault,
): string[] {
  if (key === ownBrandKey && sent.length > 0)
    error('domains', `the brand ${ownBrandKey} uses BASE_URL and cannot have domains`)
  const domains = new Set<string>()
  for (const [i, text] of sent.entries()) {
    const domain = parseDomain(text)
    if (domain === undefined)
      error(pathOf('domains', i), 'must be a host name without a port, for example pay.example.com')
    else if (domain === baseHost) error(pathOf('domains', i), 'is the domain of the service itself')
    else domains.add(domain)
  }
  return [...domains]
}

const colourNames = ['primaryColor', 'secondaryColor'] as const
const imageNames = ['brandLogoUrl', 'brandFaviconUrl', 'receiptBackgroundUrl'] as const

function parseTheme(sent: NonNullable<ChangeSiteRequest['theme']>, error: Fault): BrandChange['theme'] {
  for (const name of imageNames) {
    const url = sent[name]
    if (url && !isHttpsUrl(url)) error(pathOf('theme', name), 'must be an https URL')
  }
  for (const name of colourNames) {
    const colour = sent[name]
    if (colour !== undefined && !parseColour(colour)) error(pathOf('theme', name), 'must be a CSS color')
  }
  const nameError = sent.brandName === undefined ? undefined : errorOfName(sent.brandName)
  if (nameError !== undefined) error(pathOf('theme', 'brandName'), nameError)
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(defaultTheme, name)))
}

function errorOfName(name: string): string | undefined {
  return name.trim() === '' ? 'must not be empty' : errorOfLine(name)
}

function parseFee(sent: number | null | undefined, error: Fault): bigint | null | undefined {
  if (sent === undefined || sent === null) return sent
  const hundredths = readDecimal(sent, 2)
  if (typeof hundredths === 'bigint') return hundredths
  error('processingFeePct', 'must have at most two decimals')
  return undefined
}

function evaluateRatios(sent: Readonly<Record<string, unknown>>, error: Fault): void {
  let sum = 0n
  for (const [symbol, ratio] of Object.entries(sent)) {
    const path = pathOf('reserveRatios', symbol)
    const parts = readDecimal(ratio, millionths)
    if (!tokenKinds.some((kind) => kind.symbol === symbol)) error(path, 'is not a supported token')
    if (typeof parts !== 'bigint' || parts < 0n || parts > one)
      error(path, 'must be a fraction from 0 to 1 with at most six decimals')
    else sum += parts
  }
  if (sum !== one) error('reserveRatios', 'must add up to 1')
}
