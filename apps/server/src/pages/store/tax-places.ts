import { html, type SafeHtml } from '@remix-run/html-template'
import { taxCatalog } from '../../pricing/taxes/catalog.ts'
import type { Translator } from '../messages/translator.ts'

type TaxPlace = { readonly code: string; readonly name: string; readonly country: string }

const known: ReadonlySet<string> = new Set(taxCatalog.map(({ code }) => code))

/** Returns the tax place if the catalog or the merchant has a rate for it. */
export function readPlace(sent: string | undefined, own: readonly string[]): string | undefined {
  return sent !== undefined && (known.has(sent) || own.includes(sent)) ? sent : undefined
}

/** Lists every place that has a tax rate by country, with the merchant's own places first. */
export function placeOptions(t: Translator, own: readonly string[], chosen: string | undefined): SafeHtml {
  const countryNames = new Intl.DisplayNames([t.locale], { type: 'region' })
  const catalogued = taxCatalog.map(({ code, name }) => place(code, name, countryNames))
  const ownPlaces = own.map((code) => {
    const [country = ''] = code.split('-')
    return catalogued.find((each) => each.code === code) ?? place(code, code, countryNames, country)
  })
  const others = catalogued.filter(({ code }) => !own.includes(code))
  const sorted = (places: readonly TaxPlace[]) =>
    [...places].sort((a, b) => a.name.localeCompare(b.name, t.locale))
  const withRegions = ['US', 'CA']
  const option = ({ code, name }: TaxPlace) =>
    html`<option value="${code}"${code === chosen ? html` selected` : null}>${name}</option>`
  const group = (label: string, places: readonly TaxPlace[]) =>
    places.length > 0 ? html`<optgroup label="${label}">${places.map(option)}</optgroup>` : null
  return html`<option value=""${chosen === undefined ? html` selected` : null}>${t.text('store.place.choose')}</option>
${ownPlaces.length > 0 ? group(t.text('store.place.usual'), ownPlaces) : null}
${withRegions.map((country) => group(countryNames.of(country) ?? country, sorted(others.filter((each) => each.country === country))))}
${group(t.text('store.place.countries'), sorted(others.filter(({ country }) => !withRegions.includes(country))))}`
}

/** Uses the catalog's names for regions, and names countries in the page's language. */
function place(
  code: string,
  name: string,
  countryNames: Intl.DisplayNames,
  country = code.split('-')[0] ?? '',
): TaxPlace {
  const isCountry = !code.includes('-')
  return { code, name: isCountry ? (countryNames.of(country) ?? name) : name, country }
}
