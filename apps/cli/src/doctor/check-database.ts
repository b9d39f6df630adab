import { findNewestMigration, readArchiveState } from '@sluice/server/src/app/probes/state-store.ts'
import { type Database, Pool } from '@sluice/server/src/platform/database/database.ts'
import { checkDurability } from '@sluice/server/src/platform/database/opening/check-durability.ts'
import {
  DatabaseUnusable,
  explainConnect,
  oldestPostgres,
} from '@sluice/server/src/platform/database/opening/explain-database.ts'
import { findNewestMigrationFile } from '@sluice/server/src/platform/database/opening/migrate.ts'
import { refusePooler } from '@sluice/server/src/platform/database/opening/refuse-pooler.ts'
import { makeLog } from '@sluice/server/src/platform/log.ts'
import { broken, doubtful, type Finding, fine, validateClock } from './finding.ts'

export async function checkDatabase(url: string, mode: { isProduction: boolean }): Promise<Finding[]> {
  const db = new Pool({ url, log: makeLog('silent'), max: 2 })
  try {
    await refusePooler('DATABASE_URL', url)
    const askedAt = Date.now()
    const found = await db.row<{ version: string; at: number }>(about)
    const answeredAt = Date.now()
    if (!found) throw new Error('it does not respond')
    const major = Number.parseInt(found.version, 10)
    return [
      major >= oldestPostgres
        ? fine('database', `PostgreSQL ${found.version}`)
        : broken('database', `PostgreSQL ${found.version} is too old`, `Use ${oldestPostgres} or newer.`),
      await checkSchema(db),
      await checkKept(db),
      await checkArchive(db, mode),
      validateClock('database clock', "the database's clock", Number(found.at) - (askedAt + answeredAt) / 2),
    ]
  } catch (error) {
    const { message } = error instanceof DatabaseUnusable ? error : explainConnect(error, url)
    return [broken('database', message, 'The service does not start without it.')]
  } finally {
    await db.close()
  }
}

async function checkSchema(db: Database): Promise<Finding> {
  const newest = await findNewestMigrationFile()
  const applied = await findNewestMigration(db).catch(() => undefined)
  if (applied === newest) return fine('schema', newest)
  if (applied !== undefined && applied > newest)
    return broken('schema', `${applied} comes from a newer release`, 'Run that release, or restore a backup.')
  return broken('schema', `${newest} is not applied`, 'Start the service: it updates the schema.')
}

async function checkKept(db: Database): Promise<Finding> {
  try {
    await checkDurability(db)
    return fine('durability', 'what is acknowledged survives a crash')
  } catch (error) {
    const { message } = error as Error
    return broken('durability', message, 'Set fsync, full_page_writes and synchronous_commit to on.')
  }
}

async function checkArchive(db: Database, mode: { isProduction: boolean }): Promise<Finding> {
  const { isOn, error: reason, lastFile } = await readArchiveState(db)
  const advice = 'docs/backup.md sets it up and checks it.'
  if (!isOn && !mode.isProduction) return fine('archive', 'is off')
  if (!isOn)
    return doubtful('archive', 'PostgreSQL does not archive its log, so a restore can lose a day', advice)
  if (reason === 'no_command') return broken('archive', 'archive_mode is on without archive_command', advice)
  if (reason) return broken('archive', "PostgreSQL's last attempt failed: its log says why", advice)
  return fine('archive', lastFile ? `the last file is ${lastFile}` : 'is on; no file yet')
}

const about = {
  name: 'cli-about-database',
  text: `SELECT current_setting('server_version') AS version,
    (extract(epoch FROM clock_timestamp()) * 1000)::float8 AS at`,
}
