import type { ChangeSiteRequest } from '@sluice/protocol/api/site.ts'
import { ownBrandKey } from '@sluice/protocol/brand.ts'
import { parseColour } from '@sluice/protocol/colour.ts'
import { readDecimal } from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { type Issue, invalidInput, pathOf } from '../kernel/refusal.ts'
import { faultOfLine, isHttpsUrl } from '../kernel/text/merchant-text.ts'
import { type BrandChange, defaultTheme, parseDomain } from './brand.ts'

const millionths = 6
const one = 1_000_000n

/**
 * Parses the change and its brand from a body that passed its schema.
 *
 * @param baseHost - Host name of the deployment, which no partner can use.
 * @throws {Refusal} `invalid_input` with every issue.
 */
export function parseSiteChange(
  body: ChangeSiteRequest,
  baseHost: string,
): { key: string; change: BrandChange } {
  const issues: Issue[] = []
  const fault = (path: string, message: string) => void issues.push({ path, message })
  const key = body.brandKey ?? ownBrandKey
  const domains = body.domains && parseDomains(body.domains, { key, baseHost }, fault)
  const theme = body.theme && parseTheme(body.theme, fault)
  const fee = parseFee(body.processingFeePct, fault)
  if (body.reserveRatios) judgeRatios(body.reserveRatios, fault)
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
  fault: Fault,
): string[] {
  if (key === ownBrandKey && sent.length > 0)
    fault('domains', `the brand ${ownBrandKey} is served at BASE_URL and has no domains`)
  const domains = new Set<string>()
  for (const [i, text] of sent.entries()) {
    const domain = parseDomain(text)
    if (domain === undefined)
      fault(pathOf('domains', i), 'must be a host name without a port, for example pay.example.com')
    else if (domain === baseHost) fault(pathOf('domains', i), 'is the domain of the service itself')
    else domains.add(domain)
  }
  return [...domains]
}

const colourNames = ['primaryColor', 'secondaryColor'] as const
const imageNames = ['brandLogoUrl', 'brandFaviconUrl', 'receiptBackgroundUrl'] as const

function parseTheme(sent: NonNullable<ChangeSiteRequest['theme']>, fault: Fault): BrandChange['theme'] {
  for (const name of imageNames) {
    const url = sent[name]
    if (url && !isHttpsUrl(url)) fault(pathOf('theme', name), 'must be an https URL')
  }
  for (const name of colourNames) {
    const colour = sent[name]
    if (colour !== undefined && !parseColour(colour)) fault(pathOf('theme', name), 'must be a CSS colour')
  }
  const nameFault = sent.brandName === undefined ? undefined : faultOfName(sent.brandName)
  if (nameFault !== undefined) fault(pathOf('theme', 'brandName'), nameFault)
  return Object.fromEntries(Object.entries(sent).filter(([name]) => Object.hasOwn(defaultTheme, name)))
}

function faultOfName(name: string): string | undefined {
  return name.trim() === '' ? 'must not be empty' : faultOfLine(name)
}

function parseFee(sent: number | null | undefined, fault: Fault): bigint | null | undefined {
  if (sent === undefined || sent === null) return sent
  const hundredths = readDecimal(sent, 2)
  if (typeof hundredths === 'bigint') return hundredths
  fault('processingFeePct', 'must have at most two decimals')
  return undefined
}

function judgeRatios(sent: Readonly<Record<string, unknown>>, fault: Fault): void {
  let sum = 0n
  for (const [symbol, ratio] of Object.entries(sent)) {
    const path = pathOf('reserveRatios', symbol)
    const parts = readDecimal(ratio, millionths)
    if (!tokenKinds.some((kind) => kind.symbol === symbol)) fault(path, 'is not a supported token')
    if (typeof parts !== 'bigint' || parts < 0n || parts > one)
      fault(path, 'must be a fraction from 0 to 1 with at most six decimals')
    else sum += parts
  }
  if (sum !== one) fault('reserveRatios', 'must add up to 1')
}
