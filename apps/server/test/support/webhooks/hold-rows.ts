import type { Database } from '../../../src/platform/database/database.ts'

/** Holds the rows of merchants' notices, as a step of the watcher does that supersedes them, until they are let go of. */
export async function holdRows(db: Database, merchants: readonly { readonly wallet: string }[]) {
  const isHeld = Promise.withResolvers<void>()
  const isLeft = Promise.withResolvers<void>()
  const holding = db.transaction(async (tx) => {
    const text = 'UPDATE notice SET cycle = cycle WHERE merchant = ANY($1)'
    await tx.run({ name: '', text }, [merchants.map(({ wallet }) => wallet)])
    isHeld.resolve()
    await isLeft.promise
  })
  await Promise.race([isHeld.promise, holding])
  return async () => {
    isLeft.resolve()
    await holding
  }
}
