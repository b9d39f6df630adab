import { parseWallet, type Wallet } from '@sluice/protocol/wallet.ts'
import type { ReadText } from './setting.ts'

export const anyText: ReadText<string> = (text) => text

export function wholeNumber(min: number, max: number): ReadText<number> {
  return (text, error) => {
    if (/^\d{1,9}$/.test(text) && Number(text) >= min && Number(text) <= max) return Number(text)
    error(`must be a whole number from ${min} to ${max}`)
    return undefined
  }
}

export function oneOf<const Word extends string>(...words: readonly Word[]): ReadText<Word> {
  return (text, error) => {
    const word = words.find((each) => each === text)
    if (word === undefined) error(`must be one of ${words.join(', ')}`)
    return word
  }
}

export const yesOrNo: ReadText<boolean> = (text, error) => {
  const word = oneOf('true', 'false')(text, error)
  return word && word === 'true'
}

/** URL without trailing slashes. */
export const webUrl: ReadText<string> = (text, error) => {
  errorOfUrl(text, ['http:', 'https:'], error)
  return text.replace(/\/+$/, '')
}

/** URL without a path: the service appends its own paths. */
export const webOrigin: ReadText<string> = (text, error) => {
  if (/^https?:\/\/[^/?#@]+\/*$/i.test(text)) return webUrl(text, error)
  error('must be http:// or https:// and a host, without a path, a query or credentials')
  return undefined
}

export const postgresUrl: ReadText<string> = (text, error) => {
  errorOfUrl(text, ['postgres:', 'postgresql:'], error)
  return text
}

function errorOfUrl(text: string, protocols: readonly string[], error: (why: string) => void): void {
  if (URL.canParse(text) && protocols.includes(new URL(text).protocol)) return
  error(`must be a URL beginning with ${protocols.map((protocol) => `${protocol}//`).join(' or ')}`)
}

export const webUrls: ReadText<readonly string[]> = (text, error) =>
  partsOf(text).flatMap((part) => webUrl(part, error) ?? [])

/** Identifier that is safe in a page without escaping. */
export const projectId: ReadText<string> = (text, error) => {
  if (/^[0-9A-Za-z_-]{8,64}$/.test(text)) return text
  error('must be 8 to 64 letters and digits')
  return undefined
}

export const secret: ReadText<string> = (text, error) => {
  if (text.length < 32) error('must have at least 32 characters')
  return text
}

/** Secret or restricted key of Stripe's API; publishable keys are refused. */
export const stripeKey: ReadText<string> = (text, error) => {
  if (/^[sr]k_(test|live)_\w{8,500}$/.test(text)) return text
  error('must begin with sk_live_, rk_live_, sk_test_ or rk_test_')
  return undefined
}

export const stripeWebhookSecret: ReadText<string> = (text, error) => {
  if (/^whsec_[\w+/=-]{8,500}$/.test(text)) return text
  error('must begin with whsec_')
  return undefined
}

export const privateKey: ReadText<`0x${string}`> = (text, error) => {
  if (/^0x[0-9a-fA-F]{64}$/.test(text)) return text as `0x${string}`
  error('must be 0x followed by 64 hexadecimal digits')
  return undefined
}

export const dollars: ReadText<bigint> = (text, error) => {
  const match = /^(\d{1,12})(?:\.(\d{1,2}))?$/.exec(text)
  if (match) return BigInt(match[1] + (match[2] ?? '').padEnd(2, '0'))
  error('must be an amount with at most two decimals')
  return undefined
}

/** Amount of a native token with 18 decimals, converted to its smallest units. */
export const nativeUnits: ReadText<bigint> = (text, error) => {
  const match = /^(\d{1,9})(?:\.(\d{1,18}))?$/.exec(text)
  if (match) return BigInt(match[1] + (match[2] ?? '').padEnd(18, '0'))
  error('must be an amount with at most 18 decimals')
  return undefined
}

const unitMs = { s: 1_000, m: 60_000, h: 3_600_000, d: 86_400_000 }

export const duration: ReadText<number> = (text, error) => {
  const match = /^(\d{1,5})([smhd])$/.exec(text)
  if (match) return Number(match[1]) * unitMs[match[2] as keyof typeof unitMs]
  error('must be a whole number followed by s, m, h or d')
  return undefined
}

export const factor: ReadText<number> = (text, error) => {
  if (/^\d{1,6}(\.\d{1,3})?$/.test(text)) return Number(text)
  error('must be a non-negative number with at most three decimals')
  return undefined
}

export const fraction: ReadText<number> = (text, error) => {
  const value = factor(text, error)
  if (value !== undefined && value > 1) error('must be between 0 and 1')
  return value
}

export const wallet: ReadText<Wallet> = (text, error) => {
  const parsed = parseWallet(text)
  if (!parsed) error('must be 0x followed by 40 hexadecimal digits')
  return parsed
}

export const wallets: ReadText<readonly Wallet[]> = (text, error) =>
  partsOf(text).flatMap((part) => {
    const parsed = parseWallet(part)
    if (!parsed) error('must be wallets separated by commas, each 0x followed by 40 hexadecimal digits')
    return parsed ?? []
  })

export const httpHeaders: ReadText<Readonly<Record<string, string>>> = (text, error) =>
  Object.fromEntries(
    partsOf(text).flatMap((part) => {
      const match = /^([A-Za-z0-9-]+)\s*=\s*([\x21-\x7e][\x20-\x7e]*)$/.exec(part)
      if (!match) error('must be name=value pairs separated by commas')
      return match ? [[match[1] as string, match[2] as string]] : []
    }),
  )

function partsOf(text: string): string[] {
  return text
    .split(',')
    .map((part) => part.trim())
    .filter(Boolean)
}
