import type { Wallet } from '@sluice/protocol/wallet.ts'
import type { OnrampProvider, SessionChangeKind } from '../../src/onramp/provider.ts'
import { makePaperProvider, type PaperEvent, type PaperProvider, paperCode } from '../support/api/onramp.ts'
import { newWallet } from '../support/api/sessions.ts'
import { transferData } from '../support/chain/chain-api.ts'
import { seededRandom } from '../support/test-random.ts'
import { Caller } from './caller.ts'
import type { CardSession, Cards } from './card-session.ts'
import { Signer } from './chain-people.ts'
import type { Draw } from './draw.ts'
import type { Replica } from './replica.ts'
import type { World } from './world.ts'

type Ways = Readonly<Record<string, number>>

/** What may happen next to a session. A session that was taken can still be reversed. */
const ways: Readonly<Record<SessionChangeKind, Ways>> = {
  opened: { failed: 2, accepted: 4, ach_pending: 1.5 },
  failed: { failed: 1, accepted: 3 },
  ach_pending: { returned: 2, accepted: 2, settled: 2 },
  returned: {},
  accepted: { settled: 4, failed: 0.5, returned: 0.5 },
  settled: { returned: 0.3, nothing: 2 },
}

const moods = ['away', 'refuse', 'lose-response', 'hang', undefined, undefined] as const
const mostOpenedSessions = 6

/** A provider of card and bank payments. The seed decides what its buyers and banks do. */
export class CardProvider implements Cards {
  readonly #world: World
  readonly #paper: PaperProvider
  readonly #signer: Signer
  readonly #sessions = new Map<string, CardSession>()
  /** Signed events that are not sent yet, or are sent again. */
  readonly #events: PaperEvent[] = []
  readonly #post: Caller
  #lastChangeAt = 0

  constructor(world: World) {
    this.#world = world
    this.#post = new Caller(world, 'the card provider')
    this.#paper = makePaperProvider(() => world.clock.now(), {}, seededRandom(`${world.seed}:cards`))
    const { privateKey, wallet } = newWallet(seededRandom(`${world.seed}:card provider`))
    world.fund(wallet)
    for (const token of Object.values(world.contracts.tokens)) world.endow(wallet, token)
    this.#signer = new Signer(world.model, privateKey)
  }

  get sessions(): readonly CardSession[] {
    for (const [id, order] of this.#paper.orders) {
      if (this.#sessions.has(id)) continue
      const receiptId = new URL(order.redirectUrl).pathname.split('/').at(-1) as string
      const fresh = { isTaken: false, isPending: false, deliveryCount: 0, isForgotten: false }
      const kind = 'opened'
      this.#sessions.set(id, { id, receiptId, order, kind, changes: [kind], ...fresh })
    }
    return [...this.#sessions.values()]
  }

  remember(): () => void {
    const known = new Set(this.sessions)
    return () => {
      for (const session of this.sessions) session.isForgotten ||= !known.has(session)
    }
  }

  get hasRoom(): boolean {
    return this.#paper.orders.size < mostOpenedSessions
  }

  /** The provider as a replica calls it, with a gate before each call. */
  connect(): OnrampProvider {
    const { scheduler } = this.#world
    const paper = this.#paper
    const gated = async <T>(what: string, call: () => Promise<T>) => {
      await scheduler.pass(`card provider ${what}`)
      const outcome = await call()
      this.#world.record(`card provider ${what} ${JSON.stringify(outcome)}`)
      return outcome
    }
    return {
      ...paper,
      openSession: (...input) => gated('openSession', () => paper.openSession(...input)),
      findSession: (...input) => gated('findSession', () => paper.findSession(...input)),
      listSessions: (...input) => gated('listSessions', () => paper.listSessions(...input)),
    }
  }

  async act(replica: Replica, draw: Draw): Promise<void> {
    const step = draw.weighted({ change: 5, send: 4, deliver: 3, mood: 0.5 })
    if (step === 'send') await this.#send(replica, draw)
    else if (step === 'mood') this.#setMood(draw.pick(moods))
    else if (this.sessions.length === 0) return
    else if (step === 'change') this.#change(draw.pick(this.sessions), draw)
    else await this.#deliver(draw.pick(this.sessions), draw)
  }

  mend(): void {
    this.#paper.fail(undefined)
  }

  #setMood(mood: (typeof moods)[number]): void {
    this.#paper.fail(mood)
    this.#world.say(`the card provider is ${mood ?? 'well'}`)
  }

  #change(session: CardSession, draw: Draw): void {
    const { kind: before, receiptId, id } = session
    const wanted = ways[before]
    if (Object.keys(wanted).length === 0) return
    const kind = draw.weighted(wanted) as SessionChangeKind | 'nothing'
    if (kind === 'nothing') return
    // A provider knows the order of its own changes.
    const at = Math.max(this.#world.clock.now(), this.#lastChangeAt + 1) as ReturnType<World['clock']['now']>
    this.#lastChangeAt = at
    const isFailure = kind === 'failed' || kind === 'returned'
    const errorCode = paperCode(`PORTAL_PAY_${draw.pick(['BANK_POLICY', 'INSUFFICIENT_FUNDS'])}`)
    const event = this.#paper.happen(id, { kind, at, ...(isFailure && { errorCode, requestId: 'req_1' }) })
    session.kind = kind
    session.isTaken ||= kind === 'accepted' || kind === 'settled'
    session.isPending ||= kind === 'ach_pending'
    session.changes.push(kind)
    const isLost = draw.isIn(0.15)
    if (!isLost) this.#events.push(event)
    const more = isLost ? ', and its event is lost' : ''
    this.#world.say(`${receiptId}: the card provider changes ${nameOf(session)} to ${kind}${more}`)
  }

  /** Sends one of its events, in any order and perhaps again later. */
  async #send(replica: Replica, draw: Draw): Promise<void> {
    if (this.#post.isBusy || this.#events.length === 0) return
    const event = draw.pick(this.#events)
    if (!draw.isIn(0.3)) this.#events.splice(this.#events.indexOf(event), 1)
    const { sessionId, change } = JSON.parse(event.body) as { sessionId: string; change: { kind: string } }
    this.#world.say(`the card provider reports ${change.kind} of ${sessionId.slice(0, 7)}`)
    const { headers, body } = this.#paper.sign(event.body)
    await this.#post.ask(replica, 'POST', '/api/onramp/events/paper', { headers, body }, ({ status }) => {
      if (status !== 200 && !this.#events.includes(event)) this.#events.push(event)
    })
  }

  async #deliver(session: CardSession, draw: Draw): Promise<void> {
    const { order, deliveryCount, receiptId, isTaken } = session
    if (!isTaken || (deliveryCount > 0 && !draw.isIn(0.1))) return
    const how = draw.weighted({ exactly: 6, short: 1, 'in another token': 0.7, never: 1.5 })
    session.deliveryCount++
    const { USDC, USDT } = this.#world.contracts.tokens
    const token = how === 'in another token' ? USDT : USDC
    const units = how === 'short' ? order.amount.units / 2n : order.amount.units
    const sent = how === 'never' ? undefined : await this.#pay(order.depositAddress, token, units)
    const where = sent ? ` in ${sent.hash.slice(0, 10)}` : ''
    this.#world.say(`${receiptId}: the card provider delivers ${units} of ${nameOf(session)} ${how}${where}`)
  }

  async #pay(to: Wallet, token: Wallet, units: bigint) {
    const transaction = await this.#signer.send(token, { data: transferData(to, units) })
    if (transaction) this.#world.sent.push({ transaction, to, source: to, token, units })
    return transaction
  }
}

function nameOf({ id }: CardSession): string {
  return id.slice(0, 7)
}
