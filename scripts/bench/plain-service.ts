// A minimal Node.js service: node:http, a pool of 8 connections, one prepared statement, and its rows as
// JSON. Its argument is the PostgreSQL URL. The path of each request selects the statement: /create, /read or
// /list.
import { once } from 'node:events'
import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import pg from 'pg'

process.once('message', async (statements: Record<string, { text: string; most: number }>) => {
  const pool = new pg.Pool({ connectionString: process.argv[2], max: 8 })
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') JSON.parse(await text(request))
    const name = request.url?.slice(1) ?? ''
    const { text: statement, most } = statements[name] as { text: string; most: number }
    const values = statement.includes('$1') ? [1 + Math.floor(Math.random() * most)] : []
    const { rows } = await pool.query({ name, text: statement, values })
    response.setHeader('content-type', 'application/json').end(JSON.stringify(rows))
  })
  await once(server.listen(0, '127.0.0.1'), 'listening')
  process.send?.(server.address())
})
