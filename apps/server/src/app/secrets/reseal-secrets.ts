import { appendAudit } from '../../access/audit/append-audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import { sealOf } from './require-seal.ts'
import {
  listSealed,
  lockSeal,
  replaceSeal,
  replaceSealed,
  type SealedPlace,
  type SealedRow,
  sealedPlaces,
} from './seal-store.ts'

const batchSize = 200
const namedAtMost = 20

type Needs = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly tell: (place: SealedPlace, lookedAt: number) => void
}

export type Resealed = {
  readonly count: Readonly<Record<SealedPlace, number>>
  /** Number of secrets that no key decrypts. They could not sign before either. */
  readonly lostCount: number
  /** The first lost secrets, for the report. */
  readonly lost: readonly string[]
}

/**
 * Encrypts all secrets with the current master key, in batches while the service runs.
 *
 * Then the database seal no longer requires the former key. Safe to repeat and to interrupt: each batch is a
 * transaction, and the next run skips finished rows.
 *
 * @param needs - `tell` is called after each batch with the number of rows read. It may throw to stop.
 */
export async function resealSecrets(needs: Needs): Promise<Resealed> {
  const { db, clock, secrets } = needs
  const count = { keys: 0, receipts: 0, notices: 0 }
  let pass: Resealed
  // A concurrent request may still write a secret that it read earlier: repeats until a pass finds none.
  do {
    pass = await passOnce(needs)
    for (const place of sealedPlaces) count[place] += pass.count[place]
  } while (sealedPlaces.some((place) => pass.count[place] > 0))
  const { lost, lostCount } = pass
  await db.transaction(async (tx) => {
    const seal = await lockSeal(tx)
    if (seal?.keyId !== secrets.keyId || seal.previousKeyId === undefined) return
    await replaceSeal(tx, sealOf(secrets, seal.chain, undefined), clock.now())
    await appendAudit(
      { tx, secrets },
      {
        merchant: 'platform',
        at: clock.now(),
        actor: 'system',
        action: 'master_key.replaced',
        subject: secrets.keyId,
        details: { previousKeyId: seal.previousKeyId, ...count, lost: lostCount, by: 'command line' },
      },
    )
  })
  return { count, lostCount, lost }
}

async function passOnce({ db, secrets, tell }: Needs): Promise<Resealed> {
  const count = { keys: 0, receipts: 0, notices: 0 }
  const lost: string[] = []
  let lostCount = 0
  for (const place of sealedPlaces) {
    let lookedAt = 0
    for await (const rows of batchesOf(db, place)) {
      const able: (SealedRow & { resealed: string })[] = []
      for (const row of rows.filter(({ sealed }) => !secrets.isCurrent(sealed))) {
        const resealed = reseal(secrets, row)
        if (resealed !== undefined) able.push({ ...row, resealed })
        else if (++lostCount <= namedAtMost) lost.push(`${place}: ${row.id} of ${row.merchant}`)
      }
      if (able.length > 0) count[place] += await db.transaction((tx) => replaceSealed(tx, place, able))
      lookedAt += rows.length
      tell(place, lookedAt)
    }
  }
  return { count, lost, lostCount }
}

async function* batchesOf(db: Database, place: SealedPlace): AsyncGenerator<SealedRow[]> {
  for (let after = { merchant: '', id: '' }; ; ) {
    const rows = await listSealed(db, place, after, batchSize)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = { merchant: last.merchant, id: last.id }
  }
}

function reseal(secrets: Secrets, { merchant, keyId, sealed }: SealedRow): string | undefined {
  const context = apiKeyContext(merchant, keyId)
  try {
    return secrets.seal(secrets.open(sealed, context), context)
  } catch {
    return undefined
  }
}
