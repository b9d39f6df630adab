import { mkdirSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { layOut } from '../../../../scripts/guide/lay-out.ts'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { readPage } from '../../../../scripts/guide/read-blocks.ts'
import { guides } from '../../../../scripts/guide/tested-pages.ts'
import { runPay } from '../../src/local/demo/run-pay.ts'
import { findFreePort, until } from '../../src/platform/process/process.ts'
import { perFile } from '../support/per-file.ts'
import { makeTemporaryFolder } from '../support/programs/temporary-folder.ts'
import { startLocalService } from '../support/service/local-service.ts'
import { curl } from './curl.ts'

const folder = perFile(() => makeTemporaryFolder('guides'))
const service = perFile(() => startLocalService({ rateLimitScale: 1 }))

beforeAll(async () => {
  const url = await service.createReceipt('first', { lineItems: [{ label: 'Beans', amount: 38 }] })
  const { dataDir } = service
  await runPay({}, { url, token: 'USDC', way: 'call', dataDir }, () => {})
  const headers = { 'x-api-key': service.subscriptionKey }
  const last = async () => {
    const response = await fetch(`${service.baseUrl}/api/events`, { headers })
    return ((await response.json()) as { last: number }).last
  }
  expect(await until(async () => (await last()) > 0, 10_000)).toBe(true)
})

test.each(
  guides,
)(`every command of the guide to %s runs as it stands and prints what is shown, in ${curl.name}`, async (name) => {
  const place = join(folder.path, name)
  mkdirSync(place, { recursive: true })
  layOut(place, { isFull: false })
  symlinkSync(service.dataDir, join(place, 'sluice/data'))
  const env = {
    PATH: curl.path,
    HOME: process.env.HOME,
    SLUICE_URL: service.baseUrl,
    SLUICE_KEY: service.subscriptionKey,
    HOOK_URL: `http://127.0.0.1:${await findFreePort()}/hook`,
    EDGE_URL: service.baseUrl,
  }
  const steps: string[] = []
  const signal = AbortSignal.timeout(50_000)
  const report = (line: string) => void steps.push(line)
  expect(await playGuide(readPage(`docs/${name}.md`), { folder: place, env, signal, report })).toBeUndefined()
  expect(steps.length).toBeGreaterThan(0)
})
