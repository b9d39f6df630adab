import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { html, type SafeHtml } from '@remix-run/html-template'
import { formatUnits } from '@sluice/protocol/money.ts'
import { tokenKinds } from '@sluice/protocol/tokens/list.ts'
import { IntlMessageFormat } from 'intl-messageformat'
import type checkout from './en/checkout.json'
import type claim from './en/claim.json'
import type embed from './en/embed.json'
import type error from './en/error.json'
import type preview from './en/preview.json'
import type receipt from './en/receipt.json'
import type sandbox from './en/sandbox.json'
import type site from './en/site.json'
import type store from './en/store.json'
import type wallet from './en/wallet.json'
import { type Locale, localeFacts } from './locales.ts'

export type TextValues = Readonly<Record<string, string | number>>

export type HtmlValues = Readonly<
  Record<string, string | number | SafeHtml | ((parts: readonly (string | SafeHtml)[]) => SafeHtml)>
>

export type Translator = {
  readonly locale: Locale
  readonly direction: 'ltr' | 'rtl'
  text(key: MessageKey, values?: TextValues): string
  /** Formats a message as markup. Supports `<strong>`; other tags need a function in `values`. */
  html(key: MessageKey, values?: HtmlValues): SafeHtml
  money(amount: number, currency: string): string
  /** Formats base units exactly, with at least two decimals for stablecoins: `1,250.50 USDC`. */
  token(units: string, decimals: number, symbol: string): string
  tokenUnits(units: string, decimals: number, symbol: string): string
  /** Formats a price in USD with enough digits for small prices. */
  rate(usdPerUnit: number): string
  number(value: number): string
  percent(fraction: number): string
  /** Renders an instant in UTC. The page's script rewrites it in the buyer's time zone. */
  time(instant: number): SafeHtml
  hour(instant: number): SafeHtml
  /** Like `time`, as text in UTC, for titles and documents without scripts. */
  timeText(instant: number): string
  /** Formats an ISO date, which is independent of time zones. */
  date(isoDate: string): string
}

const known = new Map<Locale, Translator>()

export function translator(locale: Locale): Translator {
  const made = known.get(locale) ?? makeTranslator(locale)
  known.set(locale, made)
  return made
}

function makeTranslator(locale: Locale): Translator {
  const { intl, direction } = localeFacts[locale]
  return {
    locale,
    direction,
    text: (key, values) => String(findMessage(locale, key).format(values)),
    html: (key, values) => fillHtml(locale, key, values),
    ...numberTexts(intl),
    ...timeTexts(intl),
  }
}

function fillHtml(locale: Locale, key: MessageKey, values: HtmlValues = {}): SafeHtml {
  const strong = (parts: readonly (string | SafeHtml)[]) => html`<strong>${[...parts]}</strong>`
  const parts = findMessage(locale, key).formatToParts<SafeHtml>({ strong, ...values } as never)
  return html`${parts.map(({ value }) => value as string | SafeHtml)}`
}

function numberTexts(
  intl: string,
): Pick<Translator, 'money' | 'token' | 'tokenUnits' | 'rate' | 'number' | 'percent'> {
  const whole = new Intl.NumberFormat(intl, { maximumFractionDigits: 20 })
  const point = whole.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const share = new Intl.NumberFormat(intl, { style: 'percent', maximumFractionDigits: 2 })
  const currencies = new Map<string, Intl.NumberFormat>()
  const dollars = (maximumFractionDigits: number) =>
    new Intl.NumberFormat(intl, {
      style: 'currency',
      currency: 'USD',
      minimumFractionDigits: 2,
      maximumFractionDigits,
    })
  const [fine, coarse] = [dollars(6), dollars(2)]
  const currencyFormat = (currency: string) => {
    const found = currencies.get(currency) ?? new Intl.NumberFormat(intl, { style: 'currency', currency })
    // Receipts use two currencies. The limit bounds the cache.
    if (currencies.size < 8) currencies.set(currency, found)
    return found
  }
  const tokenUnits = (units: string, decimals: number, symbol: string) => {
    const [left = '0', right = ''] = formatUnits(BigInt(units), decimals).split('.')
    const digits = isStablecoin(symbol) ? right.padEnd(2, '0') : right
    return `${whole.format(BigInt(left))}${digits ? point + digits : ''}`
  }
  return {
    money: (amount, currency) => keepSign(currencyFormat(currency).format(amount)),
    token: (units, decimals, symbol) => `${tokenUnits(units, decimals, symbol)} ${symbol}`,
    tokenUnits,
    rate: (usdPerUnit) => keepSign((usdPerUnit < 10 ? fine : coarse).format(usdPerUnit)),
    number: (value) => whole.format(value),
    percent: (fraction) => share.format(fraction),
  }
}

/** Appends a left-to-right mark, because RTL text would show `US$` as `$US`. */
function keepSign(amount: string): string {
  return /^\u200f.*\p{L}\p{Sc}$/u.test(amount) ? `${amount}\u200e` : amount
}

function timeTexts(intl: string): Pick<Translator, 'time' | 'hour' | 'timeText' | 'date'> {
  // `en-GB` writes the day before the month and the month as a word, so dates are unambiguous.
  const custom = intl === 'en-US' ? 'en-GB' : intl
  const style = { timeStyle: 'short', timeZone: 'UTC' } as const
  const format = new Intl.DateTimeFormat(custom, { dateStyle: 'medium', ...style })
  const hours = new Intl.DateTimeFormat(custom, style)
  const days = new Intl.DateTimeFormat(custom, { dateStyle: 'medium', timeZone: 'UTC' })
  const text = (used: Intl.DateTimeFormat, instant: number) => `${used.format(new Date(instant))} UTC`
  const element = (used: Intl.DateTimeFormat, instant: number, isShort: SafeHtml | null) =>
    html`<time datetime="${new Date(instant).toISOString()}" data-local-time="${custom}"${isShort}>${text(used, instant)}</time>`
  return {
    timeText: (instant) => text(format, instant),
    date: (isoDate) => days.format(new Date(isoDate)),
    time: (instant) => element(format, instant, null),
    hour: (instant) => element(hours, instant, html` data-short`),
  }
}

function isStablecoin(symbol: string): boolean {
  return tokenKinds.some((kind) => kind.symbol === symbol && kind.isStablecoin)
}

type English = typeof checkout &
  typeof claim &
  typeof embed &
  typeof error &
  typeof preview &
  typeof receipt &
  typeof sandbox &
  typeof site &
  typeof store &
  typeof wallet

export type MessageKey = keyof English

const folder = (locale: Locale) => new URL(`./${locale}/`, import.meta.url)
const textsOf = new Map<Locale, ReadonlyMap<string, string>>()
const compiledOf = new Map<string, IntlMessageFormat>()

/** Returns the ICU messages of a language, cached. Empty if the language has no translation. */
export function readMessages(locale: Locale): ReadonlyMap<string, string> {
  const known = textsOf.get(locale)
  if (known) return known
  const names = existsSync(folder(locale)) ? readdirSync(folder(locale)) : []
  const files = names.filter((name) => name.endsWith('.json'))
  const texts = new Map(
    files.flatMap((name) => {
      const content: Record<string, string> = JSON.parse(readFileSync(new URL(name, folder(locale)), 'utf8'))
      return Object.entries(content)
    }),
  )
  textsOf.set(locale, texts)
  return texts
}

/**
 * Returns a compiled message, in English if the translation is missing. A check in CI prevents missing
 * messages.
 */
export function findMessage(locale: Locale, key: MessageKey): IntlMessageFormat {
  const id = `${locale} ${key}`
  const known = compiledOf.get(id)
  if (known) return known
  const text = readMessages(locale).get(key) ?? readMessages('en').get(key)
  if (text === undefined) throw new Error(`no message ${key}`)
  const compiled = new IntlMessageFormat(text, localeFacts[locale].intl)
  compiledOf.set(id, compiled)
  return compiled
}
