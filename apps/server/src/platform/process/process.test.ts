import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { readdir, readFile, stat, writeFile } from 'node:fs/promises'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { makeTemporaryFolder, type TemporaryFolder } from '../../../test/support/programs/temporary-folder.ts'
import { makeLog } from '../log.ts'
import { launchProcess } from './launch-process.ts'
import { writePrivateFile } from './private-file.ts'
import { findFreePort, identifyProcess, isRunning, stopProcess, until } from './process.ts'
import { WatchedProcess } from './watch-process.ts'

let folder: TemporaryFolder
beforeEach(async () => {
  folder = await makeTemporaryFolder('process')
})
afterEach(() => folder.remove())

const runShell = (script: string, isReady: boolean) => {
  const [logPath, args] = [join(folder.path, 'log'), ['-c', script, folder.path]]
  return launchProcess({ program: '/bin/sh', args, logPath, isReady: () => isReady, timeoutMs: 5_000 })
}
const launchShell = (body = 'true') => runShell(`${body}; while :; do sleep 0.2; done`, true)
const readLog = () => readFile(join(folder.path, 'log'), 'utf8')
const killed = [{ signal: 'SIGKILL', waitMs: 5_000 }] as const

test('a process is known by its birth, so a pid given out again is somebody else', async () => {
  const identity = identifyProcess(process.pid)
  if (!identity) throw new Error('this process runs')
  expect(isRunning(identity)).toBe(true)
  expect(isRunning({ ...identity, startedAt: 'at another time' })).toBe(false)
})

test('a dead child is not running, even before anybody has asked how it ended', async () => {
  const child = spawn('/bin/true')
  await once(child, 'spawn')
  expect(await until(() => identifyProcess(child.pid ?? 0) === undefined, 5_000)).toBe(true)
})

test('a process that ignores the first signal is ended by the next', async () => {
  const stubborn = await launchShell("trap '' TERM; echo ready")
  await until(async () => (await readLog()).includes('ready'), 5_000)
  expect(await stopProcess(stubborn, [{ signal: 'SIGTERM', waitMs: 200 }, ...killed])).toBe(true)
  expect(isRunning(stubborn)).toBe(false)
})

test('a program that ends before it is ready fails the start with what it said', async () => {
  await expect(runShell('echo out of luck >&2; exit 3', false)).rejects.toThrow('out of luck')
})

test('a program we start is told nothing of our settings', async () => {
  process.env.SLUICE_TEST_SECRET = 'hunter2'
  const shell = await launchShell('env')
  await until(async () => (await readLog()).includes('PATH='), 5_000)
  expect(await readLog()).not.toContain('hunter2')
  delete process.env.SLUICE_TEST_SECRET
  await stopProcess(shell, killed)
})

test('a watched process that dies is started again, until the watch is left', async () => {
  const first = await launchShell()
  const watched = new WatchedProcess({ log: makeLog('silent') }, 'the shell', first, () => launchShell())
  process.kill(first.pid, 'SIGKILL')
  const isAnother = () => watched.identity.pid !== first.pid && isRunning(watched.identity)
  expect(await until(isAnother, 5_000)).toBe(true)
  const last = await watched.leave()
  await stopProcess(last, killed)
  expect((await watched.leave()).pid).toBe(last.pid)
})

test('the preferred port is taken where it is free, and another where it is not', async () => {
  const port = await findFreePort()
  expect(await findFreePort(port)).toBe(port)
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  expect(await findFreePort(port)).not.toBe(port)
  server.close()
})

test('a private file is for its owner alone, replaces the old one whole and leaves no draft, nor one of a crash', async () => {
  const path = join(folder.path, 'secret')
  await writeFile(path, 'old', { mode: 0o644 })
  await writeFile(`${path}.new-0123abcd`, 'half', { mode: 0o600 })
  await writePrivateFile(path, 'new')
  expect(await readFile(path, 'utf8')).toBe('new')
  expect((await stat(path)).mode & 0o777).toBe(0o600)
  expect(await readdir(folder.path)).toEqual(['secret'])
})
