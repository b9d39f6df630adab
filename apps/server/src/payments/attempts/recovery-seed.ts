import type { UnixMs } from '@sluice/protocol/time.ts'
import { assert } from '../../kernel/assert.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Random } from '../../kernel/random.ts'
import { optional, text, time } from '../../platform/database/columns.ts'
import type { Database } from '../../platform/database/database.ts'
import { statement } from '../../platform/database/statement.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { DepositReferences } from './references.ts'

/** Seed of the deposit references. It cannot spend funds, but it reveals every deposit address. */
export type RecoverySeed = {
  readonly bytes: Uint8Array
  readonly confirmedAt: UnixMs | undefined
}

type Needs = {
  readonly db: Database
  readonly clock: Clock
  readonly random: Random
  readonly secrets: Secrets
}

const context = 'recovery seed'

/**
 * Returns the references of this deployment. The first start creates the seed; concurrent starts are safe.
 *
 * See docs/contract.md#recovery.
 */
export async function openReferences(needs: Needs): Promise<DepositReferences> {
  const { db, clock, random, secrets } = needs
  const fresh = Buffer.from(random.bytes(32)).toString('hex')
  if (!(await db.row(find())))
    await db.run(insert({ encrypted: secrets.encrypt(fresh, context), now: clock.now() }))
  const seed = await findRecoverySeed(needs)
  assert(seed, 'the stored seed exists')
  return new DepositReferences(seed.bytes)
}

export async function findRecoverySeed({
  db,
  secrets,
}: Pick<Needs, 'db' | 'secrets'>): Promise<RecoverySeed | undefined> {
  const row = await db.row(find())
  if (!row) return undefined
  const hex = secrets.open(row.encrypted, context)
  if (!secrets.isCurrent(row.encrypted))
    await db.run(reencrypt({ encrypted: row.encrypted, reencrypted: secrets.encrypt(hex, context) }))
  return { bytes: Buffer.from(hex, 'hex'), confirmedAt: row.confirmedAt }
}

export async function isSeedConfirmed(db: Database): Promise<boolean> {
  return (await db.row(find()))?.confirmedAt !== undefined
}

export async function confirmSeed(tx: Database, now: UnixMs): Promise<void> {
  await tx.run(confirm({ now }))
}

const find = statement({
  name: 'find-recovery-seed',
  reads: { encrypted: text(), confirmedAt: optional(time()) },
  text: 'SELECT encrypted, confirmed_at FROM recovery_seed WHERE id = 1',
})

const insert = statement({
  name: 'insert-recovery-seed',
  text: 'INSERT INTO recovery_seed (id, encrypted, made_at) VALUES (1, :encrypted, :now) ON CONFLICT (id) DO NOTHING',
})

const reencrypt = statement({
  name: 'reencrypt-recovery-seed',
  text: 'UPDATE recovery_seed SET encrypted = :reencrypted WHERE id = 1 AND encrypted = :encrypted',
})

const confirm = statement({
  name: 'confirm-recovery-seed',
  text: 'UPDATE recovery_seed SET confirmed_at = coalesce(confirmed_at, :now) WHERE id = 1',
})
