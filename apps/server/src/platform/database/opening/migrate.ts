import { readdir, readFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { MigrationBuilder } from 'node-pg-migrate'
import pg from 'pg'
import type { Log } from '../../log.ts'
import { migrationLimits } from '../limits.ts'
import { DatabaseUnusable, explainConnect, refuseOldPostgres } from './explain-database.ts'

const connectLimitMs = 10_000

const folder = fileURLToPath(new URL('../../../../migrations', import.meta.url))

/**
 * Migrates the database to this release's schema. Several processes may run it at the same time.
 *
 * An advisory lock serializes them, and each migration is one transaction.
 *
 * @throws {DatabaseUnusable} with the remedy if the database is unreachable, denies access or is too old.
 * @param needs - `count`: maximum number of migrations, to get the schema of an earlier release.
 */
export async function migrate(needs: { url: string; log: Log; count?: number }): Promise<void> {
  const client = new pg.Client({
    connectionString: needs.url,
    application_name: 'sluice-migrate',
    connectionTimeoutMillis: connectLimitMs,
    keepAlive: true,
  })
  // An aborted statement reports its own error. An unhandled error between statements would end the process.
  client.on('error', () => {})
  await client.connect().catch((error: unknown) => {
    throw explainConnect(error, needs.url)
  })
  try {
    await refuseOldPostgres(client)
    const applied = await listApplied(client)
    const own = (await listMigrationFiles()).map((file) => basename(file, '.sql'))
    refuseNewerSchema(client, applied, own)
    if (needs.count === undefined && applied.join() === own.join()) return
    await client.query(migrationLimits)
    // Loaded on demand, because the runner imports a compiler and a file search.
    const { runner } = await import('node-pg-migrate')
    const done = await runner({
      dbClient: client,
      dir: folder,
      direction: 'up',
      migrationsTable: 'migration',
      migrationLoaderStrategies: [{ extensions: ['.sql'], loader: loadSql }],
      advisoryLockMode: 'wait',
      singleTransaction: false,
      ...(needs.count !== undefined && { count: needs.count }),
      log: () => {},
    })
    for (const { name } of done) needs.log.info({ migration: name }, 'migrated')
  } finally {
    await client.end()
  }
}

async function listApplied(client: pg.Client): Promise<string[]> {
  const { rows: found } = await client.query("SELECT to_regclass('migration') IS NOT NULL AS exists")
  if (!found[0]?.exists) return []
  const { rows } = await client.query<{ name: string }>('SELECT name FROM migration ORDER BY name')
  return rows.map(({ name }) => name)
}

/** @throws {DatabaseUnusable} if a migration was applied that this release does not have. */
function refuseNewerSchema(client: pg.Client, applied: readonly string[], own: readonly string[]): void {
  const unknown = applied.filter((name) => !own.includes(name))
  if (unknown.length === 0) return
  throw new DatabaseUnusable(
    `DATABASE_URL (database ${client.database} at ${client.host}:${client.port}): a newer release has migrated it (${unknown.at(-1)}). ` +
      'Run that release, or restore the backup from before its start: docs/backup.md',
  )
}

export async function findNewestMigrationFile(): Promise<string> {
  return basename((await listMigrationFiles()).at(-1) ?? '', '.sql')
}

async function listMigrationFiles(): Promise<string[]> {
  return (await readdir(folder)).filter((name) => name.endsWith('.sql')).toSorted()
}

export async function listMigratedTables(): Promise<ReadonlySet<string>> {
  const files = await Promise.all(
    (await listMigrationFiles()).map((name) => readFile(join(folder, name), 'utf8')),
  )
  return new Set(
    files.flatMap((text) =>
      [...text.matchAll(/^CREATE (?:UNLOGGED )?TABLE (\w+)/gm)].map(([, name = '']) => name),
    ),
  )
}

/** Sends each statement separately, because a cluster may need to run another statement in between. */
async function loadSql(paths: string[]) {
  return Promise.all(
    paths.map(async (path) => {
      const statements = splitStatements(await readFile(path, 'utf8'))
      return {
        id: basename(path, '.sql'),
        filePaths: [path],
        actions: {
          up: (pgm: MigrationBuilder) => {
            for (const statement of statements) pgm.sql(statement)
          },
          down: false as const,
        },
      }
    }),
  )
}

/** Splits a migration file. A statement ends with a semicolon at the end of a line, outside `$$`. */
export function splitStatements(text: string): string[] {
  return (text.replace(/^\s*--.*$/gm, '').match(/(?:\$\$[\s\S]*?\$\$|[^;$]|\$(?!\$)|;(?![ \t]*$))+/gm) ?? [])
    .map((statement) => statement.trim())
    .filter(Boolean)
}
