import { invalidInput } from '../../kernel/refusal.ts'
import { taxCatalog } from './catalog.ts'

const form = /^[A-Z]{2}(-[A-Z0-9]{1,3})?$/

/**
 * Returns the code of a tax jurisdiction in capitals.
 *
 * @throws {Refusal} `invalid_input` at `path` for what {@link faultOfJurisdiction} finds.
 */
export function parseJurisdiction(text: string, path = 'jurisdictionCode'): string {
  const code = text.toUpperCase()
  const message = faultOfJurisdiction(code)
  if (message !== undefined) throw invalidInput({ path, message })
  return code
}

/**
 * Returns what is wrong with a code in capitals as a jurisdiction, or `undefined`. A country alone names one unless
 * its regions have rates of their own; a region may be any of its country.
 */
export function faultOfJurisdiction(code: string): string | undefined {
  if (!form.test(code)) return 'must have the form <country> or <country>-<region>, for example DE or US-CA'
  const regions = taxCatalog.flatMap((rate) => (rate.code.startsWith(`${code}-`) ? [rate.code] : []))
  return regions.length > 0 ? `must name a region: ${regions.join(', ')}` : undefined
}
