import { Caller } from './caller.ts'
import type { Replica } from './replica.ts'
import type { Sale, Seller } from './sale.ts'
import type { World } from './world.ts'

/** A buyer who pays by card or bank, while others may pay the same receipt with crypto. */
export class CardBuyer {
  readonly #world: World
  readonly #seller: Seller
  readonly #sale: Sale
  readonly #caller: Caller

  constructor(world: World, seller: Seller, sale: Sale) {
    this.#world = world
    this.#seller = seller
    this.#sale = sale
    this.#caller = new Caller(world, `the card buyer of ${sale.id}`)
  }

  /** Opens a session, or gets the one that is open. */
  async act(replica: Replica): Promise<void> {
    if (!this.#sale.isCreated || this.#caller.isBusy || !this.#world.cards?.hasRoom) return
    const path = `/api/checkout/${this.#sale.id}/onramp?recipient=${this.#seller.wallet}`
    await this.#caller.ask(replica, 'POST', path, {}, () => {})
  }
}
