import type { AttemptView } from '@sluice/protocol/api/checkout.ts'
import type { Cents } from '@sluice/protocol/money.ts'
import { nativeAddress } from '@sluice/protocol/wallet.ts'
import { type X402Requirements, x402Version } from '@sluice/protocol/x402/messages.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Outbound } from '../../platform/outbound/outbound.ts'
import { authorizationOf, type RelayedPayment, type TokenDomain } from '../relaying/authorization.ts'
import { SigningTokens } from '../relaying/find-signing-token.ts'
import type { Submitter } from '../relaying/relayer.ts'

export type FacilitatorSite = { readonly url: string; readonly headers: Readonly<Record<string, string>> }

export type FacilitatorWord =
  | { readonly kind: 'sent'; readonly transaction: Hex }
  | { readonly kind: 'refused'; readonly reason: string }
  | { readonly kind: 'away'; readonly detail: string }

const timeoutMs = 10_000
const maxResponseBytes = 64 * 1024
const longestReason = 100
const without = 2n ** 128n

/**
 * x402 facilitator (specification, section 7): submits signed payments and pays their gas.
 *
 * Its responses are not trusted. Only the chain proves a payment.
 */
export class Facilitator implements Submitter {
  readonly tokens: SigningTokens
  readonly sender = { address: nativeAddress }
  readonly terms = { maxFee: without, dailyMax: without, minCents: 0n as Cents }
  readonly #outbound: Outbound
  readonly #site: FacilitatorSite

  constructor(needs: { chain: Chain; clock: Clock; outbound: Outbound }, site: FacilitatorSite) {
    this.tokens = new SigningTokens(needs, false)
    this.#outbound = needs.outbound
    this.#site = site
  }

  async readState() {
    return { balance: 0n, spent: 0n, fee: 0n, error: undefined }
  }

  /** Submits a payment. Safe to repeat, because a token accepts a nonce once. Never throws. */
  async settle(relay: RelayedPayment, domain: TokenDomain): Promise<FacilitatorWord> {
    const { depositAddress, amount, signature } = relay
    const accepted = requirementsOf({ depositAddress, remaining: amount.toString() }, domain)
    const texts = Object.entries(authorizationOf(relay)).map(([name, value]) => [name, String(value)])
    const payload = { authorization: Object.fromEntries(texts), signature }
    const outcome = await this.#outbound.request({
      method: 'POST',
      url: `${this.#site.url}/settle`,
      headers: { ...this.#site.headers, 'content-type': 'application/json' },
      body: JSON.stringify({
        x402Version,
        paymentPayload: { x402Version, accepted, payload },
        paymentRequirements: accepted,
      }),
      timeoutMs,
      maxResponseBytes,
    })
    if (outcome.kind === 'error') return { kind: 'away', detail: `${outcome.error}, ${outcome.detail}` }
    return readWord(outcome.status, outcome.body)
  }
}

function readWord(status: number, body: Uint8Array): FacilitatorWord {
  const said = parse(Buffer.from(body).toString())
  const { success, transaction, errorReason } = said
  const isHash = typeof transaction === 'string' && /^0x[0-9a-fA-F]{64}$/.test(transaction)
  // `settlement_pending`: sent, but not in a block yet.
  if (isHash && (success === true || errorReason === 'settlement_pending'))
    return { kind: 'sent', transaction: transaction.toLowerCase() as Hex }
  if (success === false && typeof errorReason === 'string' && status < 500)
    return { kind: 'refused', reason: errorReason.slice(0, longestReason) }
  return { kind: 'away', detail: `status ${status}` }
}

function parse(text: string): { success?: unknown; transaction?: unknown; errorReason?: unknown } {
  try {
    const said: unknown = JSON.parse(text)
    return typeof said === 'object' && said !== null ? said : {}
  } catch {
    return {}
  }
}

/** Validity period offered to payers. It is constant so that offers compare equal. */
const maxTimeoutSeconds = 300

export function networkName(chain: number): string {
  return `eip155:${chain}`
}

/**
 * Converts an attempt to x402 requirements.
 *
 * The recipient is the attempt's own deposit address, so any transfer there pays this receipt only.
 */
export function requirementsOf(
  { depositAddress, remaining }: Pick<AttemptView, 'depositAddress' | 'remaining'>,
  { name, version, chainId, verifyingContract }: TokenDomain,
): X402Requirements {
  return {
    scheme: 'exact',
    network: networkName(chainId),
    amount: remaining,
    asset: verifyingContract,
    payTo: depositAddress,
    maxTimeoutSeconds,
    extra: { name, version },
  }
}
