import { Agent, request } from 'node:http'

/** Number of connections that the service opens to one host. */
const connections = 4

/**
 * Sends the same requests as the service and only parses the responses. The result is the upper limit of the
 * service's speed.
 */
export async function runBareLoop(url: string, bodies: readonly string[]): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: connections })
  const left = bodies.values()
  const work = async () => {
    for (const body of left) JSON.parse(await post(agent, url, body))
  }
  await Promise.all(Array.from({ length: connections }, work))
  agent.destroy()
}

function post(agent: Agent, url: string, body: string): Promise<string> {
  return new Promise((resolve, reject) => {
    const headers = { 'content-type': 'application/json', 'content-length': Buffer.byteLength(body) }
    const sent = request(url, { method: 'POST', agent, headers }, async (response) => {
      const parts: Buffer[] = []
      try {
        for await (const part of response) parts.push(part)
        resolve(Buffer.concat(parts).toString())
      } catch (error) {
        reject(error)
      }
    })
    sent.on('error', reject)
    sent.end(body)
  })
}
