import { request } from 'node:http'
import type { Answer } from '../worlds/start-api.ts'

/** Sends a request under another name in `Host`, which `fetch` would not let a test say; a POST where it has a body. */
export function askAs(
  url: string,
  host: string | undefined,
  { key, body }: { readonly key?: string; readonly body?: object } = {},
): Promise<Pick<Answer, 'status' | 'body'>> {
  const headers = {
    'content-type': 'application/json',
    ...(key !== undefined && { 'ocp-apim-subscription-key': key }),
    ...(host !== undefined && { host }),
  }
  return new Promise((resolve, reject) => {
    const asked = request(url, { method: body ? 'POST' : 'GET', headers }, async (answer) => {
      let text = ''
      for await (const part of answer.setEncoding('utf8')) text += part
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) })
    })
    asked.on('error', reject)
    asked.end(body && JSON.stringify(body))
  })
}
