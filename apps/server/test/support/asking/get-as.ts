import { request } from 'node:http'

/** Asks for `url` under another name in `Host`, which `fetch` would not let a test say. */
// biome-ignore lint/suspicious/noExplicitAny: a test looks into whatever came back
export function getAs(url: string, host: string): Promise<{ status: number; body: any }> {
  return new Promise((resolve, reject) => {
    const asked = request(url, { headers: { host } }, async (answer) => {
      let text = ''
      for await (const part of answer.setEncoding('utf8')) text += part
      resolve({ status: answer.statusCode ?? 0, body: JSON.parse(text) })
    })
    asked.on('error', reject)
    asked.end()
  })
}
