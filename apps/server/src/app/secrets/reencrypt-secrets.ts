import { appendAudit } from '../../access/audit/append-audit.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import { apiKeyContext, type Secrets } from '../../platform/secrets.ts'
import {
  type EncryptedLocation,
  type EncryptedRow,
  encryptedLocations,
  listEncrypted,
  lockMasterKeyCheck,
  replaceEncrypted,
  replaceMasterKeyCheck,
} from './master-key-store.ts'
import { masterKeyCheckOf } from './require-master-key.ts'

const batchSize = 200
const namedAtMost = 20

type Needs = {
  readonly db: Database
  readonly clock: Clock
  readonly secrets: Secrets
  readonly report: (place: EncryptedLocation, lookedAt: number) => void
}

export type Reencrypted = {
  readonly count: Readonly<Record<EncryptedLocation, number>>
  /** Number of secrets that no key decrypts. They could not be used to sign before either. */
  readonly lostCount: number
  /** The first lost secrets, for the report. */
  readonly lost: readonly string[]
}

/**
 * Encrypts all secrets with the current master key, in batches while the service runs.
 *
 * Then the master key check no longer requires the former key. Safe to repeat and to interrupt: each batch is a
 * transaction, and the next run skips finished rows.
 *
 * @param needs - `tell` is called after each batch with the number of rows read. It may throw to stop.
 */
export async function reencryptSecrets(needs: Needs): Promise<Reencrypted> {
  const { db, clock, secrets } = needs
  const count = { keys: 0, receipts: 0, messages: 0 }
  let pass: Reencrypted
  // A concurrent request may still write a secret that it read earlier, so the loop repeats until a pass
  // finds none.
  do {
    pass = await passOnce(needs)
    for (const place of encryptedLocations) count[place] += pass.count[place]
  } while (encryptedLocations.some((place) => pass.count[place] > 0))
  const { lost, lostCount } = pass
  await db.transaction(async (tx) => {
    const check = await lockMasterKeyCheck(tx)
    if (check?.keyId !== secrets.keyId || check.previousKeyId === undefined) return
    await replaceMasterKeyCheck(tx, masterKeyCheckOf(secrets, check.chain, undefined), clock.now())
    await appendAudit(
      { tx, secrets },
      {
        merchant: 'platform',
        at: clock.now(),
        actor: 'system',
        action: 'master_key.replaced',
        subject: secrets.keyId,
        details: { previousKeyId: check.previousKeyId, ...count, lost: lostCount, by: 'command line' },
      },
    )
  })
  return { count, lostCount, lost }
}

async function passOnce({ db, secrets, report }: Needs): Promise<Reencrypted> {
  const count = { keys: 0, receipts: 0, messages: 0 }
  const lost: string[] = []
  let lostCount = 0
  for (const place of encryptedLocations) {
    let lookedAt = 0
    for await (const rows of batchesOf(db, place)) {
      const able: (EncryptedRow & { reencrypted: string })[] = []
      for (const row of rows.filter(({ encrypted }) => !secrets.isCurrent(encrypted))) {
        const reencrypted = reencrypt(secrets, row)
        if (reencrypted !== undefined) able.push({ ...row, reencrypted })
        else if (++lostCount <= namedAtMost) lost.push(`${place}: ${row.id} of ${row.merchant}`)
      }
      if (able.length > 0) count[place] += await db.transaction((tx) => replaceEncrypted(tx, place, able))
      lookedAt += rows.length
      report(place, lookedAt)
    }
  }
  return { count, lost, lostCount }
}

async function* batchesOf(db: Database, place: EncryptedLocation): AsyncGenerator<EncryptedRow[]> {
  for (let after = { merchant: '', id: '' }; ; ) {
    const rows = await listEncrypted(db, place, after, batchSize)
    if (rows.length > 0) yield rows
    const last = rows.at(-1)
    if (!last || rows.length < batchSize) return
    after = { merchant: last.merchant, id: last.id }
  }
}

function reencrypt(secrets: Secrets, { merchant, keyId, encrypted }: EncryptedRow): string | undefined {
  const context = apiKeyContext(merchant, keyId)
  try {
    return secrets.encrypt(secrets.open(encrypted, context), context)
  } catch {
    return undefined
  }
}
