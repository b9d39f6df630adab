import { existsSync, readdirSync } from 'node:fs'
import { join } from 'node:path'
import { test as each, expect, vi } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { makeEmptyData } from '../../support/kill/data.ts'
import { findPart, type Part } from '../../support/kill/parts.ts'
import { playRun } from '../../support/kill/run.ts'
import { sales } from '../../support/kill/sale.ts'
import { copySeededData, readReference } from '../../support/kill/seeded.ts'
import type { SupervisedService } from '../../support/kill/supervised-service.ts'

const test = each.concurrent
vi.setConfig({ testTimeout: 600_000 })
const script = sales.tokenToDeposit

async function killWhen(service: SupervisedService, isSo: () => boolean, what: string): Promise<void> {
  const deaths = service.deathCount
  if (!(await until(isSo, 120_000))) throw new Error(`waited in vain: ${what}\n${service.said}`)
  service.kill()
  expect(await until(() => service.deathCount > deaths, 120_000)).toBe(true)
}

/** Returns whether `initdb` is running or has just finished. */
function isMakingCluster(dataDir: string): boolean {
  const home = join(dataDir, 'postgres')
  return existsSync(home) && readdirSync(home).some((name) => /^cluster(\.new-\w+)?$/.test(name))
}

test('a first start killed at one step after the other comes to the same shop as one that was not', async () => {
  const data = await makeEmptyData()
  const { dataDir } = data
  const inTheirTurn = [
    'none: the test kills this one while the cluster is made',
    'none: the test kills this one while PostgreSQL starts',
    'before-query:CREATE TABLE lease',
    'before-query:CREATE INDEX attempt_receipt',
    'before-commit:insert-subscription',
    'after-commit:insert-subscription',
    'before-commit:insert-split',
    'after-commit:insert-split',
    'before-send:deploy',
    'after-send:deploy',
    'before-commit:mark-split-deployed',
    'after-commit:mark-split-deployed',
    'before-commit:insert-receipt',
    'after-commit:insert-receipt',
  ]
  const outcome = await playRun({
    data,
    sales: script,
    killAts: inTheirTurn,
    async onStart(service) {
      await killWhen(service, () => isMakingCluster(dataDir), 'the cluster')
      const pidFile = join(dataDir, 'postgres', 'cluster', 'postmaster.pid')
      await killWhen(service, () => existsSync(pidFile), 'PostgreSQL')
    },
  })
  expect(outcome).toEqual(await readReference('tokenToDeposit'))
})

test('a later start killed at one step after the other still finishes what an earlier one began', async () => {
  const data = await copySeededData()
  const isRunning = (part: Part) => () => findPart(data, part) !== undefined
  const outcome = await playRun({
    data,
    sales: script,
    killAts: [
      'none: the test kills this one while PostgreSQL starts',
      'none: the test kills this one while anvil starts',
      'after-commit:claim-logs',
      'after-commit:claim-lease',
      'after-commit:find-signing-key',
      'after-commit:find-chain-cursor',
    ],
    async onStart(service) {
      await killWhen(service, isRunning('postgres'), 'PostgreSQL')
      await killWhen(service, isRunning('anvil'), 'anvil')
    },
  })
  expect(outcome).toEqual(await readReference('tokenToDeposit'))
})
