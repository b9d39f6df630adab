import { relayGas } from '@sluice/contracts/gas/relay-gas.ts'
import type { Cents } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import { type Chain, type Hex, readDataFee } from '../../chain/chain.ts'
import type { TransactionSender } from '../../chain/transactions/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import type { SigningKind } from './authorization.ts'
import { SigningTokens } from './find-signing-token.ts'
import { openRelaySender } from './relay-call.ts'
import { sumRelayFees } from './store.ts'

export type RelayerNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
}

/** The operator's limits. Fees are in wei. */
export type RelayerTerms = {
  readonly maxFee: bigint
  readonly dailyMax: bigint
  readonly minCents: Cents
}

export type RelayerState = {
  readonly balance: bigint
  readonly spent: bigint
  /** Estimated fee of one payment of the requested kind at current gas prices. */
  readonly fee: bigint
  readonly error: 'low balance' | 'daily ceiling' | 'gas too expensive' | undefined
}

/** Measured gas plus 20%: proxied tokens and smart accounts use more. */
const usualGas = (way: SigningKind) => (BigInt(relayGas[way]) * 6n) / 5n
const relayBytes = 450
const paymentsInHand = 3n
const freshMs = 10_000
const dayMs = 86_400_000

export class Relayer {
  readonly sender: TransactionSender
  readonly tokens: SigningTokens
  readonly terms: RelayerTerms
  readonly #needs: RelayerNeeds
  readonly #states: StateLog
  #read: { readonly facts: Facts; readonly at: UnixMs } | undefined

  constructor(needs: RelayerNeeds, privateKey: Hex, terms: RelayerTerms) {
    this.#needs = needs
    this.#states = new StateLog(needs.log)
    this.sender = openRelaySender(privateKey, needs.chain)
    this.tokens = new SigningTokens(needs, true)
    this.terms = terms
  }

  get lastState(): RelayerState | undefined {
    return this.#read && evaluate(this.#read.facts, 'authorization', this.terms)
  }

  /**
   * Returns the relayer's state, at most 10 seconds old.
   *
   * @throws {ChainUnavailable}
   */
  async readState(way: SigningKind = 'authorization'): Promise<RelayerState> {
    const now = this.#needs.clock.now()
    const isFresh = this.#read && now >= this.#read.at && now < addMs(this.#read.at, freshMs)
    if (this.#read && isFresh) return evaluate(this.#read.facts, way, this.terms)
    const facts = await this.#ask(now)
    this.#read = { facts, at: now }
    this.#report(evaluate(facts, 'authorization', this.terms))
    return evaluate(facts, way, this.terms)
  }

  async #ask(now: UnixMs): Promise<Facts> {
    const { db, chain } = this.#needs
    const [balances, fees, dataFee, spent] = await Promise.all([
      chain.readBalances([this.sender.address], 'latest'),
      chain.readFees(),
      readDataFee(chain, relayBytes),
      sumRelayFees(db, chain.id, addMs(now, -dayMs)),
    ])
    return { balance: balances[0] ?? 0n, spent, perGas: fees.maxFeePerGas, dataFee }
  }

  #report({ error, balance, spent }: RelayerState): void {
    const about = 'relayer'
    if (!error) {
      this.#states.end(about, 'the relayer accepts signed payments again')
      return
    }
    const fields = { relayer: this.sender.address, error, balance: String(balance), spent: String(spent) }
    const message = 'the relayer rejects signed payments; buyers can use other payment methods'
    this.#states.say(about, error, 'warn', { alert: 'relayer-stopped', ...fields }, message)
  }
}

type Facts = Pick<RelayerState, 'balance' | 'spent'> & { readonly perGas: bigint; readonly dataFee: bigint }

function evaluate(
  { balance, spent, perGas, dataFee }: Facts,
  way: SigningKind,
  { maxFee, dailyMax }: RelayerTerms,
): RelayerState {
  const fee = usualGas(way) * perGas + dataFee
  const said = (error: RelayerState['error']) => ({ balance, spent, fee, error })
  if (fee > maxFee) return said('gas too expensive')
  if (balance < paymentsInHand * fee) return said('low balance')
  return said(spent + fee > dailyMax ? 'daily ceiling' : undefined)
}

export type Submitter = Pick<Relayer, 'readState' | 'tokens' | 'terms'> & {
  readonly sender: Pick<Relayer['sender'], 'address'>
}
