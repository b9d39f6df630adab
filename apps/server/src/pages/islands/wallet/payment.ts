import type { Provider } from '@sluice/browser-wallet/provider.ts'
import { formatUnits } from '@sluice/protocol/money.ts'
import type { IslandCall, IslandOffer } from '../../live/island-data.ts'

/** What fills the gaps of a step: by the name of the gap. */
export type Slots = Readonly<Record<string, string>>

/** What a wallet was made to send. */
export type SentCall = {
  /** Absent while a batch has no transaction yet. */
  readonly hash?: string
  /** The id of a batch that the wallet sent, by EIP-5792. */
  readonly batch?: string
  readonly payer: string
  /** What the transaction asks for: another one in its place that asks the same pays as well. */
  readonly call: Pick<IslandCall, 'to' | 'data' | 'value'>
}

/** How a try to pay ended, as the step to show. `sent` alone means that money is on its way. */
export type Ending =
  | { readonly step: 'sent'; readonly sent: SentCall }
  | { readonly step: Exclude<string, 'sent'>; readonly slots?: Slots; readonly sent?: undefined }

/** How to pay where the buyer has the choice: by one signature, or by a transaction at the buyer's own expense. */
export type WayToPay = 'sign' | 'own-fee'

/** A payment by one wallet. */
export type Payment = {
  readonly provider: Provider
  readonly offer: IslandOffer
  /** Absent until the buyer was asked. */
  readonly way?: WayToPay | undefined
  show(step: string, slots?: Slots): void
  /** Tells the merchant how far it came; counted, and of no consequence. */
  tell(value: 'buyer_logged_in' | 'checkout_initialized'): void
  /** Called before the wallet is asked for the money, with how many transactions the payer had sent until then. */
  onAsk(payer: string, count: bigint | undefined): void
  /** False once the buyer moved on: nothing more is asked of the wallet. */
  isWanted(): boolean
}

/** Thrown where the payment is no longer wanted when an answer comes. */
export const unwanted = new Error('the buyer moved on')

const readLimitMs = 8_000

/** Asks the wallet something that its owner has to answer: as long as it takes. @throws {unwanted} */
export async function ask(
  { provider, isWanted }: Pick<Payment, 'provider' | 'isWanted'>,
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  const answer = await provider.request({ method, params })
  if (!isWanted()) throw unwanted
  return answer
}

/** Reads something through the wallet, which answers by itself: one that does not is not waited for. @throws {unwanted} */
export function read(
  payment: Pick<Payment, 'provider' | 'isWanted'>,
  method: string,
  ...params: unknown[]
): Promise<unknown> {
  return Promise.race([
    ask(payment, method, ...params),
    new Promise<never>((_resolve, reject) => {
      setTimeout(() => reject(new Error(`the wallet does not answer ${method}`)), readLimitMs)
    }),
  ])
}

/** As {@link read}; `undefined` where the wallet cannot say. @throws {unwanted} */
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

/** What an amount is of. */
type Unit = {
  readonly symbol: string
  readonly decimals: number
  /** How many decimals are written at least: two of a stablecoin's. */
  readonly minDecimals?: number
}

/** An amount as the language of the page writes it, exact to the base unit: `1,250.50 USDC`. */
export function amountText({ symbol, decimals, minDecimals = 0 }: Unit, units: bigint): string {
  const whole = new Intl.NumberFormat(document.documentElement.lang, { numberingSystem: 'latn' })
  const point = whole.formatToParts(1.5).find(({ type }) => type === 'decimal')?.value ?? '.'
  const [left = '0', right = ''] = formatUnits(units, decimals).split('.')
  const digits = right.padEnd(minDecimals, '0')
  return `${whole.format(BigInt(left))}${digits ? point + digits : ''} ${symbol}`
}

/** The number behind an answer in hex. @throws where it is none: such a wallet cannot be worked with. */
export function readHex(answer: unknown): bigint {
  if (typeof answer === 'string' && /^0x[0-9a-f]+$/i.test(answer)) return BigInt(answer)
  throw new Error('the wallet returned a value that is not a number')
}

/** A number as JSON-RPC writes it. */
export function writeHex(value: bigint | number): string {
  return `0x${value.toString(16)}`
}

/** An address or a number as a 32-byte word of call data. */
export function word(value: string | bigint): string {
  const digits = typeof value === 'bigint' ? value.toString(16) : value.slice(2).toLowerCase()
  return digits.padStart(64, '0')
}

/** A wallet that the page can ask to pay. */
export type BrowserWallet = {
  /** The wallet's own reverse domain name; stays the same over reloads. */
  readonly id: string
  /** Absent: a wallet of the old kind that does not say its name. */
  readonly name: string | undefined
  readonly icon: string | undefined
  /** It is outside this browser, on a phone for one. */
  readonly isElsewhere?: boolean
  /** Gives the wallet; one outside this browser has to be connected first, which `show` shows steps of. */
  open(show: (step: string, slots?: Slots) => void): Provider | Promise<Provider>
}

/** A second between the first looks, and longer from look to look, up to this. */
const longestMs = 8_000
const firstMs = 1_000
const quickLooks = 10

/** How often something is looked at: for more than half an hour in all. */
export const maxLooks = 300

/** A block should have a transaction by then. */
export const stuckAfterMs = 60_000

/**
 * Waits before the next look at something: longer with each look, and while nobody sees the page as long as that
 * lasts. A page that was left waits for ever.
 */
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
