import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { ReadText } from './setting.ts'

/** Any text. */
export const anyText: ReadText<string> = (text) => text

/** A whole number within limits. */
export function wholeNumber(min: number, max: number): ReadText<number> {
  return (text, fault) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    fault(`must be a whole number from ${min} to ${max}`)
    return undefined
  }
}

/** One of a few words. */
export function oneOf<const Word extends string>(...words: readonly Word[]): ReadText<Word> {
  return (text, fault) => {
    const word = words.find((each) => each === text)
    if (word === undefined) fault(`must be one of ${words.join(', ')}`)
    return word
  }
}

/** `true` or `false`. */
export const yesOrNo: ReadText<boolean> = (text, fault) => {
  const word = oneOf('true', 'false')(text, fault)
  return word && word === 'true'
}

/** A URL without slashes at its end. */
export const webUrl: ReadText<string> = (text, fault) => {
  faultOfUrl(text, ['http:', 'https:'], fault)
  return text.replace(/\/+$/, '')
}

/** A URL of a host alone: every path of the service is put behind it. */
export const webOrigin: ReadText<string> = (text, fault) => {
  if (/^https?:\/\/[^/?#@]+\/*$/i.test(text)) return webUrl(text, fault)
  fault('must be http:// or https:// and a host, without a path, a query or credentials')
  return undefined
}

/** A PostgreSQL URL, as it was given. */
export const postgresUrl: ReadText<string> = (text, fault) => {
  faultOfUrl(text, ['postgres:', 'postgresql:'], fault)
  return text
}

function faultOfUrl(text: string, protocols: readonly string[], fault: (why: string) => void): void {
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return
  fault(`must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
}

/** URLs separated by commas, in their order. */
export const webUrls: ReadText<readonly string[]> = (text, fault) =>
  partsOf(text).flatMap((part) => webUrl(part, fault) ?? [])

/** An identifier that stands in pages as it is. */
export const projectId: ReadText<string> = (text, fault) => {
  if (/^[0-9A-Za-z_-]{8,64}$/.test(text)) return text
  fault('must be 8 to 64 letters and digits')
  return undefined
}

/** Enough characters not to be guessed. */
export const secret: ReadText<string> = (text, fault) => {
  if (text.length < 32) fault('must have at least 32 characters')
  return text
}

/** A key of Stripe's API that may act: publishable ones may not. */
export const stripeKey: ReadText<string> = (text, fault) => {
  if (/^[sr]k_(test|live)_\w{8,500}$/.test(text)) return text
  fault('must begin with sk_live_, rk_live_, sk_test_ or rk_test_')
  return undefined
}

/** A signing secret of one of Stripe's event destinations. */
export const stripeWebhookSecret: ReadText<string> = (text, fault) => {
  if (/^whsec_[\w+/=-]{8,500}$/.test(text)) return text
  fault('must begin with whsec_')
  return undefined
}

/** A private key of the chain. */
export const privateKey: ReadText<`0x${string}`> = (text, fault) => {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text as `0x${string}`
  fault('must be 0x followed by 64 hexadecimal digits')
  return undefined
}

/** Dollars with at most two decimals, in cents. */
export const dollars: ReadText<bigint> = (text, fault) => {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text)
  if (match) return BigInt(match[1] + (match[2] ?? '').padEnd(2, '0'))
  fault('must be an amount with at most two decimals')
  return undefined
}

/** An amount of a native token of eighteen decimals, in its smallest units. */
export const nativeUnits: ReadText<bigint> = (text, fault) => {
  const match = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(text)
  if (match) return BigInt(match[1] + (match[2] ?? '').padEnd(18, '0'))
  fault('must be an amount with at most 18 decimals')
  return undefined
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Seconds, minutes, hours or days, in milliseconds. */
export const duration: ReadText<number> = (text, fault) => {
  const match = /^(\d{1,5})([smhd])$/.exec(text)
  if (match) return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
  fault('must be a whole number followed by s, m, h or d')
  return undefined
}

/** A number of at most three decimals, not below 0. */
export const factor: ReadText<number> = (text, fault) => {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return Number(text)
  fault('must be a non-negative number with at most three decimals')
  return undefined
}

/** A factor of at most 1. */
export const fraction: ReadText<number> = (text, fault) => {
  const value = factor(text, fault)
  if (value !== undefined && value > 1) fault('must be between 0 and 1')
  return value
}

/** One wallet. */
export const wallet: ReadText<Wallet> = (text, fault) => {
  const parsed = parseWallet(text)
  if (!parsed) fault('must be 0x followed by 40 hexadecimal digits')
  return parsed
}

/** Wallets separated by commas. */
export const wallets: ReadText<readonly Wallet[]> = (text, fault) =>
  partsOf(text).flatMap((part) => {
    const parsed = parseWallet(part)
    if (!parsed) fault('must be wallets separated by commas, each 0x followed by 40 hexadecimal digits')
    return parsed ?? []
  })

/** HTTP headers, each as `name=value`, separated by commas. */
export const httpHeaders: ReadText<Readonly<Record<string, string>>> = (text, fault) =>
  Object.fromEntries(
    partsOf(text).flatMap((part) => {
      const match = /^([A-Za-z0-9-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(part)
      if (!match) fault('must be name=value pairs separated by commas')
      return match ? [[match[1] as string, match[2] as string]] : []
    }),
  )

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
