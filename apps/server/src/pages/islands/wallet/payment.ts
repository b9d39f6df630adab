import type { Provider } from '@sluice/browser-wallet/provider.ts'
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
