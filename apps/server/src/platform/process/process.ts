import { execFileSync } from 'node:child_process'
import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { type AddressInfo, createServer } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'
import { randomFraction, systemRandom } from '../../kernel/random.ts'

/** Identity of a process. The system reuses pids, but never with the same start time. */
export type ProcessIdentity = { readonly pid: number; readonly startedAt: string }

export type StopStep = { readonly signal: NodeJS.Signals; readonly waitMs: number }

/** Returns the process with this pid, or `undefined` if there is none or only a zombie. */
export function identifyProcess(pid: number): ProcessIdentity | undefined {
  const startedAt = process.platform === 'linux' ? birthFromProc(pid) : birthFromPs(pid)
  return startedAt === undefined ? undefined : { pid, startedAt }
}

export function isRunning(identity: ProcessIdentity): boolean {
  return identifyProcess(identity.pid)?.startedAt === identity.startedAt
}

/**
 * Sends the signals one after another until the process has ended.
 *
 * @returns whether the process has ended.
 */
export async function stopProcess(identity: ProcessIdentity, steps: readonly StopStep[]): Promise<boolean> {
  for (const { signal, waitMs } of steps) {
    if (!isRunning(identity)) return true
    try {
      process.kill(identity.pid, signal)
    } catch (error) {
      if ((error as NodeJS.ErrnoException).code === 'ESRCH') return true
      throw error
    }
    if (await until(() => !isRunning(identity), waitMs)) return true
  }
  return !isRunning(identity)
}

/**
 * Polls `condition`, at first every 10 ms, later every 100 ms.
 *
 * Returns `false` after `timeoutMs`, or when `signal` is aborted.
 */
export async function until(
  condition: () => boolean | Promise<boolean>,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<boolean> {
  const deadline = performance.now() + timeoutMs
  for (let pauseMs = 10; ; pauseMs = Math.min(pauseMs * 1.3, 100)) {
    if (await condition()) return true
    if (performance.now() >= deadline || signal?.aborted) return false
    await pause(pauseMs, undefined, { signal }).catch(() => {})
  }
}

/** Returns the processes for which `isWanted` returns true. Returns none without /proc. */
export function findProcesses(
  isWanted: (found: { program: string; args: readonly string[]; workingDir: string }) => boolean,
): ProcessIdentity[] {
  if (process.platform !== 'linux') return []
  return readdirSync('/proc')
    .filter((name) => /^\d+$/.test(name) && Number(name) !== process.pid)
    .filter((pid) => isWanted(describeProcess(Number(pid))))
    .flatMap((pid) => identifyProcess(Number(pid)) ?? [])
}

export function describeProcess(pid: number) {
  const read = (get: () => string) => {
    try {
      return get()
    } catch {
      return ''
    }
  }
  return {
    program: read(() => readlinkSync(`/proc/${pid}/exe`)),
    args: read(() => readFileSync(`/proc/${pid}/cmdline`, 'utf8'))
      .split('\0')
      .slice(0, -1),
    workingDir: read(() => readlinkSync(`/proc/${pid}/cwd`)),
  }
}

/** Below the ephemeral ports of Linux, macOS and Windows, which outgoing connections use. */
const ports = { first: 20_000, count: 12_000 }
const portTries = 50

export async function findFreePort(preferred?: number): Promise<number> {
  if (preferred && (await tryPort(preferred))) return preferred
  for (let tries = 0; tries < portTries; tries++) {
    const port = ports.first + Math.floor(randomFraction(systemRandom) * ports.count)
    if (await tryPort(port)) return port
  }
  return (await tryPort(0)) ?? 0
}

function tryPort(port: number): Promise<number | undefined> {
  return new Promise((resolve) => {
    const server = createServer()
    server.once('error', () => resolve(undefined))
    server.listen({ port, host: '127.0.0.1', exclusive: true }, () => {
      const { port: given } = server.address() as AddressInfo
      server.close(() => resolve(given))
    })
  })
}

let bootId: string | undefined

function birthFromProc(pid: number): string | undefined {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8')
    const [state, ...rest] = stat.slice(stat.lastIndexOf(')') + 2).split(' ')
    if (state === 'Z' || state === 'X') return undefined
    bootId ??= readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim()
    return `${bootId}:${rest[18]}`
  } catch {
    return undefined
  }
}

function birthFromPs(pid: number): string | undefined {
  try {
    const line = execFileSync('ps', ['-o', 'state=,lstart=', '-p', String(pid)], { encoding: 'utf8' }).trim()
    return line === '' || line.startsWith('Z') ? undefined : line.replace(/^\S+\s+/, '')
  } catch {
    return undefined
  }
}
