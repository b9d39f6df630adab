import { mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { layOut } from '../../../../scripts/guide/lay-out.ts'
import { playGuide } from '../../../../scripts/guide/play-guide.ts'
import { readBlocks } from '../../../../scripts/guide/read-blocks.ts'
import { repositoryRoot } from '../../../../scripts/source/list-files.ts'
import { curl } from '../support/curl.ts'
import { type LocalService, startLocalService } from '../support/local-service.ts'
import { makeTemporaryFolder, type TemporaryFolder } from '../support/temporary-folder.ts'

let service: LocalService
let folder: TemporaryFolder
beforeAll(async () => {
  folder = await makeTemporaryFolder('guides')
  service = await startLocalService({ rateLimitScale: 1 })
})
afterAll(async () => {
  await service?.stop()
  await folder?.remove()
})

// The last one uses up what a subscription may ask.
test.each([
  'receipts',
  'orders',
  'errors',
  'operations',
  'limits',
])(`every command of the guide to %s runs as it stands and prints what is shown, in ${curl.name}`, async (name) => {
  const guide = readFileSync(join(repositoryRoot, `docs/${name}.md`), 'utf8')
  const place = join(folder.path, name)
  mkdirSync(place)
  layOut(place, { isFull: false })
  symlinkSync(service.dataDir, join(place, 'sluice/data'))
  const { HOME } = process.env
  const env = {
    PATH: curl.path,
    HOME,
    SLUICE_URL: service.baseUrl,
    SLUICE_KEY: service.subscriptionKey,
    EDGE_URL: service.baseUrl,
  }
  const steps: string[] = []
  const signal = AbortSignal.timeout(50_000)
  const report = (line: string) => void steps.push(line)
  expect(await playGuide(readBlocks(guide), { folder: place, env, signal, report })).toBeUndefined()
  expect(steps.length).toBeGreaterThan(0)
})
