import { readdirSync, readFileSync, readlinkSync } from 'node:fs'
import { findFreePort, type ProcessIdentity } from './process.ts'

const maxTries = 3

/**
 * Passes a free port to `launch`: `preferred` if it is free, otherwise another one.
 *
 * If another program takes the port in the meantime, tries other ports, at most twice.
 */
export async function withFreePort<T>(
  preferred: number | undefined,
  launch: (port: number) => Promise<T>,
): Promise<T> {
  for (let tries = 1; ; tries++) {
    const port = await findFreePort(tries === 1 ? preferred : undefined)
    try {
      return await launch(port)
    } catch (error) {
      if (tries === maxTries || !isPortTaken(error)) throw error
    }
  }
}

function isPortTaken(error: unknown): boolean {
  const { code, message } = error as { code?: unknown; message?: unknown }
  return code === 'EADDRINUSE' || /could not bind|address already in use/i.test(String(message))
}

/**
 * Returns whether this process, and not a faster one, listens on a port of 127.0.0.1. Always true without
 * /proc.
 */
export function isListening({ pid }: ProcessIdentity, port: number): boolean {
  if (process.platform !== 'linux') return true
  const inode = findListener(port)
  if (inode === undefined) return false
  const folder = `/proc/${pid}/fd`
  try {
    return readdirSync(folder).some((fd) => linkOf(`${folder}/${fd}`) === `socket:[${inode}]`)
  } catch {
    return false
  }
}

function findListener(port: number): string | undefined {
  const address = `0100007F:${port.toString(16).toUpperCase().padStart(4, '0')}`
  const lines = readFileSync('/proc/net/tcp', 'utf8').split('\n')
  // Fields: local address, peer, state (0A: listening), …; the inode is the tenth.
  const fields = lines.map((line) => line.trim().split(/\s+/))
  return fields.find(([, local, , state]) => local === address && state === '0A')?.[9]
}

function linkOf(path: string): string | undefined {
  try {
    return readlinkSync(path)
  } catch {
    return undefined
  }
}
