import pg from 'pg'

/**
 * Does at once what PostgreSQL would do by itself in the minutes after so much was written, beside what is measured:
 * vacuuming, gathering statistics, writing out what is only in the log.
 */
export async function settleDatabase(url: string): Promise<void> {
  const client = new pg.Client({ connectionString: url })
  await client.connect()
  try {
    await client.query('VACUUM ANALYZE')
    await client.query('CHECKPOINT')
  } finally {
    await client.end()
  }
}
