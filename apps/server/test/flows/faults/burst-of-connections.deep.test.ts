import { readFileSync } from 'node:fs'
import { connect, type Socket } from 'node:net'
import { expect, test } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { isFrozen } from '../../support/kill/parts.ts'
import { spawnSeeded } from '../../support/kill/seeded.ts'
import { perFile } from '../../support/per-file.ts'

const service = perFile(() => spawnSeeded())

const count = 1_000
/** The system's maximum backlog of a listening socket. */
const mayWait = Number(readFileSync('/proc/sys/net/core/somaxconn', 'utf8'))

test.skipIf(mayWait < count)(
  'a thousand connections that come while the service is busy wait for it, and each is answered',
  async () => {
    service.signal('SIGSTOP')
    expect(await until(() => isFrozen(service.pid), 60_000)).toBe(true)
    const callers = Array.from({ length: count }, () => new Caller(service.port))
    try {
      // A connection beyond the backlog would not connect while the service is frozen.
      expect(await until(() => callers.every(({ isConnected }) => isConnected), 60_000)).toBe(true)
      service.signal('SIGCONT')
      await until(() => callers.every(({ isAnswered }) => isAnswered), 60_000)
      expect(callers.filter(({ isAnswered }) => !isAnswered)).toEqual([])
    } finally {
      service.signal('SIGCONT')
      for (const { socket } of callers) socket.destroy()
    }
  },
)

class Caller {
  readonly socket: Socket
  isConnected = false
  isAnswered = false

  constructor(port: number) {
    this.socket = connect(port, '127.0.0.1', () => {
      this.isConnected = true
    })
    this.socket.write('GET /healthz HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n')
    this.socket.on('data', (data) => {
      this.isAnswered ||= String(data).startsWith('HTTP/1.1 200')
    })
    this.socket.on('error', () => {})
  }
}
