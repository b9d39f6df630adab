import { once } from 'node:events'
import { createServer, type Server } from 'node:net'
import { expect, test } from 'vitest'
import { isListening, withFreePort } from './free-port.ts'
import { findFreePort, identifyProcess } from './process.ts'

async function listen(port: number): Promise<Server> {
  const server = createServer().listen(port, '127.0.0.1')
  await once(server, 'listening')
  return server
}

test('a port that is lost between its choice and its use costs another try with another one', async () => {
  const tried: number[] = []
  const thief: Server[] = []
  const preferred = await findFreePort()
  const server = await withFreePort(preferred, async (port) => {
    tried.push(port)
    if (tried.length === 1) thief.push(await listen(port))
    return listen(port)
  })
  expect(tried[0]).toBe(preferred)
  expect(tried).toHaveLength(2)
  expect(tried[1]).not.toBe(preferred)
  for (const each of [...thief, server]) each.close()
})

test('what fails for another reason is not tried again', async () => {
  let tries = 0
  const failing = withFreePort(undefined, async () => {
    tries++
    throw new Error('there is no such program')
  })
  await expect(failing).rejects.toThrow('no such program')
  expect(tries).toBe(1)
})

test('a port says whose it is', async () => {
  const port = await findFreePort()
  const self = identifyProcess(process.pid)
  const other = identifyProcess(process.ppid)
  if (!self || !other) throw new Error('both run')
  expect(isListening(self, port)).toBe(false)
  const server = await listen(port)
  expect(isListening(self, port)).toBe(true)
  expect(isListening(other, port)).toBe(false)
  server.close()
})
