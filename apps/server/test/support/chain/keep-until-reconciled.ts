import { keeperWork } from './keeper.ts'
import type { PaymentContext } from './payments.ts'

/** Runs the keeper's jobs, block by block, until a paid receipt is reconciled. */
export async function keepUntilReconciled(world: PaymentContext, id: string): Promise<void> {
  for (let block = 0; block < 20 && (await world.status(id)) !== 'reconciled'; block++) {
    await world.mine()
    world.api.clock.jumpTo(world.api.clock.now() + 60_000)
    await world.run(...keeperWork)
  }
}
