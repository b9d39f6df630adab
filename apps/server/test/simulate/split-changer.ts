import type { Bps } from '@sluice/protocol/money.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { Recipient } from '../../src/split/split.ts'
import { logIn, newWallet, type TestSession } from '../support/api/sessions.ts'
import { seededRandom } from '../support/test-random.ts'
import { Caller } from './caller.ts'
import { Draw } from './draw.ts'
import { sellerOf } from './editor.ts'
import type { Replica } from './replica.ts'
import { Sale, type Seller } from './sale.ts'
import { type SplitPlan, textOfRecipients } from './split-plan.ts'
import type { World } from './world.ts'

const freshMs = 4 * 60_000
const mostChanges = 2

type Platform = { readonly feeBps: Bps; readonly recipient: Wallet }

/** The first merchant, who changes the recipients of its split between any two steps of others. */
export class SplitChanger {
  /** Begins after the changes. */
  readonly sale: Sale
  readonly #world: World
  readonly #platform: Platform
  readonly #caller: Caller
  #session: { readonly session: TestSession; readonly since: number } | undefined
  /** Changes that the service accepted, by version. */
  readonly #scheduled = new Map<number, SplitPlan>()
  #changeCount = 0

  constructor(world: World, platform: Platform, seller: Seller) {
    this.#world = world
    this.sale = new Sale(world, seller, 'late-sale', new Draw(`${world.seed}:late sale`))
    this.#platform = platform
    this.#caller = new Caller(world, 'the merchant')
    const { wallet } = sellerOf(world.seed)
    const first = [
      { address: wallet, sharesBps: (10_000 - platform.feeBps) as Bps },
      { address: platform.recipient, sharesBps: platform.feeBps },
    ]
    world.plans.push({ recipients: textOfRecipients(first), notBefore: 0, isCancelled: false })
  }

  async act(replica: Replica, draw: Draw): Promise<void> {
    if (this.#changeCount === mostChanges && draw.isIn(0.8)) return this.sale.act(replica, draw)
    if (this.#caller.isBusy) return
    const session = this.#session
    if (!session || this.#world.clock.now() - session.since > freshMs) return this.#logIn(replica)
    const step = draw.weighted({ change: 4, cancel: this.#scheduled.size > 0 ? 0.6 : 0 })
    if (step === 'cancel') await this.#cancel(replica, session.session, draw)
    else if (this.#changeCount < mostChanges) await this.#change(replica, session.session, draw)
  }

  #logIn(replica: Replica): Promise<void> {
    const since = this.#world.clock.now()
    return this.#caller.run(replica, 'POST login', async (call) => {
      const api = { call: call as Parameters<typeof logIn>[0]['call'] }
      const session = await logIn(api, sellerOf(this.#world.seed)).catch(() => undefined)
      if (session) this.#session = { session, since }
    })
  }

  /** A lost response leaves open whether the service took the change. */
  #change(replica: Replica, session: TestSession, draw: Draw): Promise<void> {
    const partner = newWallet(seededRandom(`${this.#world.seed}:partner:${this.#changeCount++}`)).wallet
    const { feeBps, recipient } = this.#platform
    const share = 1 + draw.below(9_000)
    const recipients = [
      { address: session.wallet, sharesBps: (10_000 - feeBps - share) as Bps },
      { address: partner, sharesBps: share as Bps },
    ]
    const whole: Recipient[] = [...recipients, { address: recipient, sharesBps: feeBps }]
    const notBefore = this.#world.clock.now() + this.#world.splitDelayMs
    const plan = { recipients: textOfRecipients(whole), notBefore, isCancelled: false }
    this.#world.plans.push(plan)
    this.#world.say(`the merchant wants to give ${share / 100} % to ${partner.slice(0, 10)}`)
    const request = { session, body: { recipients } }
    return this.#caller.ask(replica, 'POST', '/api/split/versions', request, ({ status, body }) => {
      if (status === 201) this.#scheduled.set(body.version.version, plan)
      if (status === 201 && body.replaced) this.#forget(body.replaced)
    })
  }

  #cancel(replica: Replica, session: TestSession, draw: Draw): Promise<void> {
    const version = draw.pick([...this.#scheduled.keys()])
    const path = `/api/split/versions/${version}`
    return this.#caller.ask(replica, 'DELETE', path, { session }, ({ status }) => {
      if (status === 200) this.#forget(version)
    })
  }

  #forget(version: number): void {
    const plan = this.#scheduled.get(version)
    if (plan) plan.isCancelled = true
    this.#scheduled.delete(version)
  }
}
