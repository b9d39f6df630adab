import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { expect, test } from 'vitest'
import { systemRandom } from '../../../src/kernel/random.ts'
import { paySession } from '../../../src/onramp/sandbox/pay-session.ts'
import { sendEvents } from '../../../src/onramp/sandbox/run-sandbox.ts'
import { readSignedEvent, signatureHeader } from '../../../src/onramp/sandbox/signed-event.ts'
import { findSandboxSession, listDueEvents } from '../../../src/onramp/sandbox/store.ts'
import { jobNames } from '../../../src/platform/jobs/names.ts'
import { makeLog } from '../../../src/platform/log.ts'
import { HttpOutbound } from '../../../src/platform/outbound/http-outbound.ts'
import { newWallet } from '../../support/api/sessions.ts'
import { startChainApi } from '../../support/chain/chain-api.ts'
import { wrapDatabase } from '../../support/database/wrap-database.ts'
import { perFile } from '../../support/per-file.ts'
import { sampleOrder } from './provider-conformance.ts'

const treasury = newWallet()
const api = perFile(() => startChainApi({ sandboxTreasuryKey: treasury.privateKey }))
const secret = 'a secret of the test'

async function openPaid(): Promise<{ id: string; to: Wallet }> {
  const to = newWallet().wallet
  const order = sampleOrder({ depositAddress: to, tokenAddress: api.tokenAddress('USDC') })
  const opened = await api.needs.onramp
    .find('sandbox')
    ?.openSession(order, { signal: new AbortController().signal })
  if (opened?.kind !== 'opened') throw new Error('the sandbox takes every order')
  await paySession({ ...api.needs, random: systemRandom }, opened.sessionId, { kind: 'paid' })
  return { id: opened.sessionId, to }
}

test('what was paid is delivered once, also where the process was killed before it noted that', async () => {
  const usdc = api.tokenAddress('USDC')
  await api.node.fund(treasury.wallet, { ETH: 1, USDC: 100 })
  await api.node.mine(1)
  const { id, to } = await openPaid()
  const killed = wrapDatabase(api.database.pool, async (statement, run) => {
    if (statement.name === 'save-sandbox-session') throw new Error('killed')
    return run()
  })
  await expect(
    api.job(jobNames.runSandbox, { db: killed }).run(new AbortController().signal),
  ).rejects.toThrow('killed')
  await api.node.mine(1)
  expect(await api.balanceOf(usdc, to)).toBe(25_000_000n)
  await api.run(jobNames.runSandbox)
  await api.node.mine(1)
  expect(await api.balanceOf(usdc, to)).toBe(25_000_000n)
  const session = await findSandboxSession(api.database.pool, id)
  expect(session).toMatchObject({ state: 'settled', transactionHash: expect.stringMatching(/^0x/) })
})

test('an event is sent until it is taken, the same bytes with a fresh signature, and then no more', async () => {
  const got: { body: string; signature: string }[] = []
  const responses = [500, 302, 0, 200]
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk as Buffer)
    got.push({ body: Buffer.concat(chunks).toString(), signature: String(request.headers[signatureHeader]) })
    const status = responses[got.length - 1] ?? 500
    if (status === 0) response.destroy()
    else response.writeHead(status).end()
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { clock, database } = api
  const outbound = new HttpOutbound({ clock }, { targets: 'any', allowHttp: true })
  const { port } = server.address() as AddressInfo
  const eventsUrl = `http://127.0.0.1:${port}/events`
  const needs = { db: database.pool, clock, log: makeLog('silent'), outbound, eventsUrl, secret }
  try {
    await clock.advance(24 * 3_600_000)
    for (const { id } of await listDueEvents(database.pool, clock.now(), 50))
      await database.pool.run({ name: '', text: 'DELETE FROM sandbox_event WHERE id = $1', values: [id] })
    await openPaid()
    for (let round = 0; round < 6; round++) {
      await sendEvents(needs)
      await clock.advance(10_000)
    }
  } finally {
    server.close()
    await outbound.close()
  }
  expect(got.length).toBe(4)
  expect(new Set(got.map(({ body }) => body)).size).toBe(1)
  expect(new Set(got.map(({ signature }) => signature)).size).toBe(4)
  const [last] = got.slice(-1)
  const headers = { [signatureHeader]: last?.signature }
  const request = { body: Buffer.from(last?.body ?? ''), headers, now: clock.now(), toleranceMs: 300_000 }
  expect(readSignedEvent(secret, request)).toMatchObject({
    kind: 'event',
    event: { type: 'onramp_session.accepted' },
  })
})
