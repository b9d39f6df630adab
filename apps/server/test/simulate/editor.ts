import { logIn, newWallet, type TestSession } from '../support/api/sessions.ts'
import { seededRandom } from '../support/test-random.ts'
import { Caller } from './caller.ts'
import type { Draw } from './draw.ts'
import type { Replica } from './replica.ts'
import { prices, type Sale } from './sale.ts'
import type { World } from './world.ts'

/** The wallet of a seed's merchant. */
export const sellerOf = (seed: number) => newWallet(seededRandom(`${seed}:seller`))

/** A merchant at the dashboard, who changes receipts between any two steps of others. */
export class Editor {
  readonly #world: World
  readonly #sales: readonly Sale[]
  readonly #caller: Caller
  #session: TestSession | undefined

  constructor(world: World, sales: readonly Sale[]) {
    this.#world = world
    this.#sales = sales
    this.#caller = new Caller(world, 'the merchant')
  }

  async act(replica: Replica, draw: Draw): Promise<void> {
    if (this.#caller.isBusy) return
    const sale = draw.pick(this.#sales)
    if (!this.#session) return this.#logIn(replica)
    if (!sale.isCreated) return
    const step = draw.weighted({ edit: 6, mark: 0.5 })
    if (step === 'edit') await this.#edit(replica, sale, draw.pick(prices))
    else await this.#mark(replica, sale)
  }

  #logIn(replica: Replica): Promise<void> {
    const { seed } = this.#world
    this.#world.say(`the merchant logs in at ${replica.name}`)
    return this.#caller.run(replica, 'POST login', async () => {
      this.#session = await logIn(
        { call: (...each) => replica.call(...(each as Parameters<Replica['call']>)) },
        sellerOf(seed),
      ).catch(() => undefined)
    })
  }

  async #edit(replica: Replica, sale: Sale, priceUsd: number): Promise<void> {
    const wasEdited = sale.isEdited
    sale.isEdited = true
    const body = { lineItems: [{ label: 'Thing', priceUsd }], totalUsd: priceUsd }
    this.#world.say(`the merchant changes ${sale.id} to ${priceUsd} USD`)
    await this.#ask(replica, 'PATCH', `/api/receipts/${sale.id}`, body, (status) => {
      if (status >= 400 && status < 500) sale.isEdited = wasEdited
    })
  }

  async #mark(replica: Replica, sale: Sale): Promise<void> {
    this.#world.marked.add(sale.id)
    this.#world.say(`the merchant marks ${sale.id} as paid`)
    const { wallet } = sellerOf(this.#world.seed)
    const body = { receiptId: sale.id, wallet, status: 'checkout_success' }
    await this.#ask(replica, 'POST', '/api/receipts/status', body, () => {})
  }

  #ask(
    replica: Replica,
    method: 'POST' | 'PATCH',
    path: string,
    body: object,
    then: (status: number) => void,
  ): Promise<void> {
    return this.#caller.ask(replica, method, path, { session: this.#session, body }, ({ status }) => {
      if (status === 401) this.#session = undefined
      then(status)
    })
  }
}
