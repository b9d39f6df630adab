import { request } from 'node:http'

/**
 * Posts a receipt under another name in `Host`, which `fetch` would not let a test say.
 *
 * @throws where it is refused.
 */
export function postAs(
  url: string,
  host: string,
  { key, body }: { key: string; body: object },
): Promise<void> {
  const headers = { host, 'content-type': 'application/json', 'ocp-apim-subscription-key': key }
  return new Promise((resolve, reject) => {
    const asked = request(`${url}/api/receipts`, { method: 'POST', headers }, (answer) => {
      answer.resume().on('end', () => (answer.statusCode === 201 ? resolve() : reject(new Error('refused'))))
    })
    asked.on('error', reject)
    asked.end(JSON.stringify(body))
  })
}
