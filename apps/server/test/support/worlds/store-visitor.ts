import { request } from 'node:http'

/** What a page was answered with. */
export type PageReply = {
  readonly status: number
  /** Where it sends its reader. */
  readonly location: string | undefined
  readonly setCookie: string | undefined
  readonly text: string
}

/** A visitor of a shop without scripts: keeps its cookie, and sends forms as a browser does. */
export class StoreVisitor {
  readonly #url: string
  cookie: string | undefined

  /** @param url - The shop's. */
  constructor(url: string) {
    this.#url = url
  }

  /** A page of the shop, by what stands behind its address. */
  get(path = '', headers: Record<string, string> = {}): Promise<PageReply> {
    return this.#ask('GET', path, headers)
  }

  /** Sends a form as a page of the shop would; `headers` say otherwise, and `undefined` leaves one out. */
  post(
    path: string,
    fields: Readonly<Record<string, string>>,
    headers: Readonly<Record<string, string | undefined>> = {},
  ): Promise<PageReply> {
    const own = { 'sec-fetch-site': 'same-origin', origin: new URL(this.#url).origin, ...headers }
    const sent = Object.entries(own).flatMap(([name, value]) => (value === undefined ? [] : [[name, value]]))
    const body = new URLSearchParams(fields).toString()
    const type = { 'content-type': 'application/x-www-form-urlencoded' }
    return this.#ask('POST', path, { ...type, ...Object.fromEntries(sent) }, body)
  }

  /** Puts something into the cart. */
  add(product: string, fields: Readonly<Record<string, string>> = {}): Promise<PageReply> {
    return this.post('/cart', { add: product, ...fields })
  }

  /** Checks out as the cart shows itself now, with what else was filled in. */
  async checkOut(fields: Readonly<Record<string, string>> = {}): Promise<PageReply> {
    return this.post('/checkout', { ...hiddenFields((await this.get('/cart')).text), ...fields })
  }

  #ask(method: string, path: string, headers: Record<string, string>, body?: string): Promise<PageReply> {
    const url = new URL(this.#url + path)
    const cookie = this.cookie === undefined ? {} : { cookie: this.cookie }
    return new Promise((resolve, reject) => {
      const asked = request(url, { method, headers: { ...cookie, ...headers } }, (answer) => {
        const chunks: Buffer[] = []
        answer.on('data', (chunk: Buffer) => chunks.push(chunk))
        answer.on('error', reject)
        answer.on('end', () => {
          const [setCookie] = answer.headers['set-cookie'] ?? []
          if (setCookie !== undefined) this.cookie = setCookie.split(';')[0]
          resolve({
            status: answer.statusCode ?? 0,
            location: answer.headers.location,
            setCookie,
            text: Buffer.concat(chunks).toString(),
          })
        })
      })
      asked.on('error', reject)
      asked.end(body)
    })
  }
}

/** What the cart's form would send: its hidden fields, quantities and the place that is chosen. */
function hiddenFields(page: string): Record<string, string> {
  const fields: Record<string, string> = {}
  for (const [tag] of page.matchAll(/<input [^>]*>/g)) {
    const name = /name="([^"]*)"/.exec(tag)?.[1]
    const value = /value="([^"]*)"/.exec(tag)?.[1]
    if (name && value !== undefined && /^(qty:|total$)/.test(name)) fields[name] = value
  }
  const place = /<option value="([^"]+)" selected>/.exec(page)?.[1]
  return { ...fields, ...(page.includes('name="place"') && { place: place ?? '' }) }
}
