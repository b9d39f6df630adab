import pg from 'pg'
import { DatabaseUnusable } from './explain-database.ts'

const limitMs = 2_000
/** Number of tries: in a busy pool, another client may take the connection that was just returned. */
const tries = 20

/**
 * Rejects a pooler that changes the server connection between transactions or statements.
 *
 * PgBouncer does so in its modes `transaction` and `statement`. Prepared statements, session limits and
 * LISTEN then fail intermittently. Other errors, such as an unreachable server, are not reported here.
 *
 * @param setting - Name of the setting that contains the URL.
 * @throws {DatabaseUnusable} with the remedy.
 */
export async function refusePooler(setting: string, url: string | undefined): Promise<void> {
  if (url === undefined) return
  const clients = [connectionTo(url), connectionTo(url)] as const
  const [first] = clients
  try {
    if (!(await isShared(...clients))) return
  } catch {
    return
  } finally {
    await Promise.allSettled(clients.map((client) => client.end()))
  }
  throw new DatabaseUnusable(
    `${setting} (database ${first.database} at ${first.host}:${first.port}): a pooler gives each transaction another connection to PostgreSQL. ` +
      'Sluice needs prepared statements and LISTEN: set pool_mode = session in PgBouncer, or connect to PostgreSQL directly',
  )
}

function connectionTo(connectionString: string): pg.Client {
  const client = new pg.Client({
    connectionString,
    connectionTimeoutMillis: limitMs,
    query_timeout: limitMs,
    application_name: 'sluice-pooler-check',
  })
  client.on('error', () => {})
  return client
}

async function isShared(first: pg.Client, second: pg.Client): Promise<boolean> {
  await first.connect()
  const own = await processOf(first)
  // PostgreSQL sends its process id when a client connects; a pooler sends a different one.
  if ((first as unknown as { processID: number }).processID === own) return false
  await second.connect()
  for (let count = 0; count < tries; count++) {
    try {
      await second.query('BEGIN')
    } catch (error) {
      return String(error).includes('statement pooling')
    }
    if ((await processOf(second)) === own || (await processOf(first)) !== own) return true
    await second.query('COMMIT')
  }
  return false
}

async function processOf(client: pg.Client): Promise<number> {
  const { rows } = await client.query<{ pid: number }>('SELECT pg_backend_pid() AS pid')
  return rows[0]?.pid ?? 0
}
