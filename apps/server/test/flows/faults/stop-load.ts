import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect, type Socket } from 'node:net'
import type { LocalJson } from '../../../src/local/local-settings.ts'

export type LoadResult = {
  readonly acknowledged: readonly string[]
  readonly refused: readonly string[]
}

export function startLoad(local: LocalJson, workerCount: number, name: string) {
  const result = { acknowledged: [] as string[], refused: [] as string[] }
  let isOver = false
  const work = async (worker: number) => {
    const agent = new Agent({ keepAlive: worker % 2 === 0 })
    for (let count = 0; !isOver; count++) {
      const id = `${name}-${worker}-${count}`
      const status = await create(local, id, agent)
      if (status === 201) result.acknowledged.push(id)
      else if (status !== undefined) result.refused.push(`${id}: ${status}`)
      else await new Promise((resolve) => setTimeout(resolve, 20))
    }
    agent.destroy()
  }
  const workers = Promise.all(Array.from({ length: workerCount }, (_, worker) => work(worker)))
  return {
    acknowledgedCount: () => result.acknowledged.length,
    async stop(): Promise<LoadResult> {
      isOver = true
      await workers
      return result
    },
  }
}

function bodyFor(id: string): string {
  return JSON.stringify({ id, lineItems: [{ label: 'Load', priceUsd: 5 }], totalUsd: 5 })
}

function create(local: LocalJson, id: string, agent: Agent): Promise<number | undefined> {
  return new Promise((resolve) => {
    const key = { 'ocp-apim-subscription-key': local.subscriptionKey }
    const headers = { ...key, 'content-type': 'application/json' }
    const url = `${local.baseUrl}/api/receipts`
    const outgoing = request(url, { method: 'POST', agent, headers }, (response) => {
      response.on('error', () => resolve(undefined))
      response.on('end', () => resolve(response.complete ? response.statusCode : undefined))
      response.resume()
    })
    outgoing.on('error', () => resolve(undefined))
    outgoing.end(bodyFor(id))
  })
}

export type RawClient = {
  readonly socket: Socket
  heard(): string
}

export async function openRaw(baseUrl: string, text: string): Promise<RawClient> {
  const socket = connect({ port: Number(new URL(baseUrl).port), host: '127.0.0.1' })
  let heard = ''
  socket.on('data', (chunk: Buffer) => {
    heard += chunk
  })
  socket.on('error', () => {})
  await once(socket, 'connect')
  socket.write(text)
  return { socket, heard: () => heard }
}

export function createInTwoParts(local: LocalJson, id: string): [string, string] {
  const body = bodyFor(id)
  const head = [
    'POST /api/receipts HTTP/1.1',
    'Host: 127.0.0.1',
    `Ocp-Apim-Subscription-Key: ${local.subscriptionKey}`,
    'Content-Type: application/json',
    `Content-Length: ${body.length}`,
    '',
    '',
  ].join('\r\n')
  return [head + body.slice(0, 20), body.slice(20)]
}
