import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import type { IslandCall, IslandOffer } from '../../live/island-data.ts'

export type Slots = Readonly<Record<string, string>>

export type SentCall = {
  readonly hash?: string
  readonly batch?: string
  readonly payer: string
  /** The transaction's call. A replacement with the same call also pays. */
  readonly call: Pick<IslandCall, 'to' | 'data' | 'value'>
}

/** Result of a payment attempt, as the step to show. Only `sent` means that money is in transit. */
export type Ending =
  | { readonly step: 'sent'; readonly sent: SentCall }
  | { readonly step: Exclude<string, 'sent'>; readonly slots?: Slots; readonly sent?: undefined }

export type WayToPay = 'sign' | 'own-fee'

export type Payment = {
  readonly provider: Provider
  readonly offer: IslandOffer
  readonly way?: WayToPay | undefined
  show(step: string, slots?: Slots): void
  report(value: 'buyer_logged_in' | 'checkout_initialized'): void
  /** Called before the payment request, with the payer's transaction count at that time. */
  onAsk(payer: string, count: bigint | undefined): void
  isWanted(): boolean
}

/** Thrown if the buyer left this step while a request was pending. */
export const unwanted = new Error('the buyer left this step')

const readLimitMs = 8_000

/**
 * Sends a request that the wallet's owner must approve, without a timeout.
 * @throws {unwanted}
 */
export async function ask(
  { provider, isWanted }: Pick<Payment, 'provider' | 'isWanted'>,
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  const response = await provider.request({ method, params })
  if (!isWanted()) throw unwanted
  return response
}

/**
 * Sends a request that the wallet answers without asking its owner, with a timeout.
 * @throws {unwanted}
 */
export function read(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  return Promise.race([
    ask(payment, method, ...params),
    new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error(`the wallet does not respond to ${method}`)), readLimitMs)
    }),
  ])
}

/**
 * Like {@link read}, but returns `undefined` on errors.
 * @throws {unwanted}
 */
export async function tryRead(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  try {
    return await read(payment, method, ...params)
  } catch (error) {
    if (error === unwanted) throw error
    return undefined
  }
}

type Unit = {
  readonly symbol: string
  readonly decimals: number
  readonly minDecimals?: number
}

/** Formats an amount in the page's language, exact to the base unit: `1,250.50 USDC`. */
export function amountText({ symbol, decimals, minDecimals = 0 }: Unit, units: bigint): string {
  const whole = new Intl.NumberFormat(document.documentElement.lang, { numberingSystem: 'latn' })
  const point = whole.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const [left = '0', right = ''] = formatUnits(units, decimals).split('.')
  const digits = right.padEnd(minDecimals, '0')
  return `${whole.format(BigInt(left))}${digits ? point + digits : ''} ${symbol}`
}

/**
 * Parses a hex number.
 * @throws if the wallet's response is not a hex number.
 */
export function readHex(response: unknown): bigint {
  if (typeof response === 'string' && /^0x[0-9a-f]+$/i.test(response)) return BigInt(response)
  throw new Error('the wallet returned a value that is not a number')
}

export function writeHex(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

export function word(value: string | bigint): string {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()
  return digits.padStart(64, '0')
}

export type BrowserWallet = {
  /** EIP-6963 reverse domain name, stable across reloads. */
  readonly id: string
  /** Absent for a legacy `window.ethereum` without a name. */
  readonly name: string | undefined
  readonly icon: string | undefined
  /** True if the wallet is outside this browser, for example on a phone. */
  readonly isElsewhere?: boolean
  /** Returns the provider. A wallet outside this browser connects first and reports its steps to `show`. */
  open(show: (step: string, slots?: Slots) => void): Provider | Promise<Provider>
}

/** Maximum polling interval. The interval starts at one second and grows. */
const longestMs = 8_000
const firstMs = 1_000
const quickLooks = 10

/** Maximum number of polls, which cover more than half an hour. */
export const maxLooks = 300

/** Time after which a transaction counts as stuck. */
export const stuckAfterMs = 60_000

/** Waits before the next poll, longer each time. Also waits while the page is hidden. */
export async function pauseBeforeLook(lookCount: number): Promise<void> {
  const ms = Math.min(longestMs, firstMs * 1.25 ** Math.max(0, lookCount - quickLooks))
  await new Promise((resolve) => setTimeout(resolve, ms))
  if (document.visibilityState === 'visible') return
  await new Promise<void>((resolve) => {
    const look = () => {
      if (document.visibilityState !== 'visible') return
      document.removeEventListener('visibilitychange', look)
      resolve()
    }
    document.addEventListener('visibilitychange', look)
  })
}
