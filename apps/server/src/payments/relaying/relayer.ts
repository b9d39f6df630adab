import type { Cents } from '@sluice/protocol/money.ts'
import { addMs, type UnixMs } from '@sluice/protocol/time.ts'
import type { Chain, Hex } from '../../chain/chain.ts'
import { readDataFee } from '../../chain/data-fee.ts'
import type { TransactionSender } from '../../chain/transactions/transaction.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Log } from '../../platform/log.ts'
import { StateLog } from '../../platform/state-log.ts'
import { SigningTokens } from './find-signing-token.ts'
import { openRelaySender } from './relay-call.ts'
import { sumRelayFees } from './transaction-store.ts'

/** What a relayer works with. */
export type RelayerNeeds = {
  readonly db: Database
  readonly chain: Chain
  readonly clock: Clock
  readonly log: Log
}

/** What the operator grants: amounts in the smallest units of the native token. */
export type RelayerTerms = {
  readonly maxFee: bigint
  readonly dailyMax: bigint
  readonly minCents: Cents
}

/** How the relayer stands. */
export type RelayerState = {
  readonly balance: bigint
  /** Over the last 24 hours. */
  readonly spent: bigint
  /** What submitting one signed payment costs at most at the fees of now. */
  readonly fee: bigint
  /** Why it takes nothing now. */
  readonly fault: 'low balance' | 'daily ceiling' | 'gas too expensive' | undefined
}

/** What a transfer by signature uses, rounded up; a smart account's signature takes more. */
const usualGas = 130_000n
const relayBytes = 420
/** So many payments the balance has to be good for, that a burst finds gas. */
const paymentsInHand = 3n
const freshMs = 10_000
const dayMs = 86_400_000

/** The account that pays the gas of signed payments, what it may spend, and whether it can take one now. */
export class Relayer {
  readonly sender: TransactionSender
  readonly tokens: SigningTokens
  readonly terms: RelayerTerms
  readonly #needs: RelayerNeeds
  readonly #states: StateLog
  #read: { readonly state: RelayerState; readonly at: UnixMs } | undefined

  constructor(needs: RelayerNeeds, privateKey: Hex, terms: RelayerTerms) {
    this.#needs = needs
    this.#states = new StateLog(needs.log)
    this.sender = openRelaySender(privateKey, needs.chain)
    this.tokens = new SigningTokens(needs, true)
    this.terms = terms
  }

  /** How it stood when last looked at, for figures; `undefined` before. */
  get lastState(): RelayerState | undefined {
    return this.#read?.state
  }

  /**
   * How it stands, at most some seconds old.
   *
   * @throws {ChainUnavailable}
   */
  async readState(): Promise<RelayerState> {
    const now = this.#needs.clock.now()
    if (this.#read && now >= this.#read.at && now < addMs(this.#read.at, freshMs)) return this.#read.state
    const state = await this.#ask(now)
    this.#read = { state, at: now }
    this.#tell(state)
    return state
  }

  async #ask(now: UnixMs): Promise<RelayerState> {
    const { db, chain } = this.#needs
    const [balances, fees, dataFee, spent] = await Promise.all([
      chain.readBalances([this.sender.address], 'latest'),
      chain.readFees(),
      readDataFee(chain, relayBytes),
      sumRelayFees(db, chain.id, addMs(now, -dayMs)),
    ])
    const balance = balances[0] ?? 0n
    const fee = usualGas * fees.maxFeePerGas + dataFee
    return { balance, spent, fee, fault: judge({ balance, spent, fee }, this.terms) }
  }

  #tell({ fault, balance, spent }: RelayerState): void {
    const about = 'relayer'
    if (!fault) {
      this.#states.end(about, 'the relayer takes signed payments again')
      return
    }
    const fields = { relayer: this.sender.address, fault, balance: String(balance), spent: String(spent) }
    const message = 'the relayer takes no signed payments; buyers are offered the other ways'
    this.#states.say(about, fault, 'warn', { alert: 'relayer-stopped', ...fields }, message)
  }
}

function judge(
  { balance, spent, fee }: Omit<RelayerState, 'fault'>,
  { maxFee, dailyMax }: RelayerTerms,
): RelayerState['fault'] {
  if (fee > maxFee) return 'gas too expensive'
  if (balance < paymentsInHand * fee) return 'low balance'
  return spent + fee > dailyMax ? 'daily ceiling' : undefined
}
