import { cpSync, mkdirSync, mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test } from 'vitest'
import { repositoryRoot } from '../source/list-files.ts'
import { countForge, evaluateStep } from './count-tests.ts'
import { runCommand } from './run-command.ts'

const folders: string[] = []
afterEach(() => {
  for (const folder of folders.splice(0)) rmSync(folder, { recursive: true, force: true })
})

/** Runs `npm test` in a copy of the contracts package that contains only these sources. */
async function testContracts(files: Readonly<Record<string, string>>) {
  const folder = mkdtempSync(join(tmpdir(), 'sluice-gate-'))
  folders.push(folder)
  const contracts = join(folder, 'contracts')
  for (const name of ['package.json', 'foundry.toml', 'tools'])
    cpSync(join(repositoryRoot, 'contracts', name), join(contracts, name), { recursive: true })
  symlinkSync(join(repositoryRoot, 'node_modules'), join(folder, 'node_modules'))
  for (const name of ['src', 'test']) mkdirSync(join(contracts, name))
  for (const [name, text] of Object.entries(files)) writeFileSync(join(contracts, name), text)
  const { exitCode, output } = await runCommand('npm', ['test'], { cwd: contracts })
  return { exitCode, counts: evaluateStep(countForge(output), exitCode) }
}

const head = 'pragma solidity 0.8.37;\n'
const good = `${head}contract GoodTest { function test_holds() external pure { require(1 < 2); } }`

test('contracts that do not compile fail the run', { timeout: 60_000 }, async () => {
  const { exitCode, counts } = await testContracts({
    'test/Good.t.sol': good,
    'src/Broken.sol': `${head}contract Broken { function`,
  })
  expect(exitCode).not.toBe(0)
  expect(counts).toEqual({ passed: 0, failed: 1, skipped: 0 })
})

test('a contract test that fails fails the run', { timeout: 60_000 }, async () => {
  const bad = `${head}contract BadTest { function test_fails() external pure { require(2 < 1); } }`
  const { exitCode, counts } = await testContracts({ 'test/Good.t.sol': good, 'test/Bad.t.sol': bad })
  expect(exitCode).not.toBe(0)
  expect(counts).toEqual({ passed: 1, failed: 1, skipped: 0 })
})

test('contract tests that all hold pass', { timeout: 60_000 }, async () => {
  const { exitCode, counts } = await testContracts({ 'test/Good.t.sol': good })
  expect(exitCode).toBe(0)
  expect(counts).toEqual({ passed: 1, failed: 0, skipped: 0 })
})

test('contracts without a test fail the run', { timeout: 60_000 }, async () => {
  const { counts } = await testContracts({ 'src/Alone.sol': `${head}contract Alone {}` })
  expect(counts.failed).toBe(1)
})
