import { createServer, type IncomingMessage, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { UnixMs } from '@sluice/protocol/time.ts'
import Stripe from 'stripe'
import type { PaperEvent } from '../../support/api/onramp.ts'

export type StandInSession = {
  readonly id: string
  readonly created: number
  readonly metadata: Record<string, string>
  status: string
  payment_method: string | null
  transaction_details: Record<string, unknown>
}

export type StripeRequestSeen = {
  readonly method: string
  readonly path: string
  readonly query: URLSearchParams
  readonly headers: IncomingMessage['headers']
  readonly form: URLSearchParams
}

/** A test's replacement for the normal response; `undefined` sends the normal response. */
export type Behaviour = (request: StripeRequestSeen) => 'hang' | 'lose-response' | StripeFailure | undefined

export type StripeFailure = { readonly status: number; readonly error: Readonly<Record<string, string>> }

/** A local HTTP server that follows the documented rules of Stripe's onramp sessions. */
export type StripeStandIn = {
  readonly url: string
  readonly secretKey: string
  readonly webhookSecret: string
  readonly requests: StripeRequestSeen[]
  readonly sessions: Map<string, StandInSession>
  behave: Behaviour | undefined
  change(id: string, status: string, details?: Record<string, unknown>, more?: EventFields): PaperEvent
  sign(body: string, at?: UnixMs, secret?: string): PaperEvent
  /** Discards the idempotency keys, as Stripe does after a day. */
  forgetKeys(): void
  /** Stops listening and closes every connection. `open` listens again at the same address. */
  close(): Promise<void>
  open(): Promise<void>
}

export type EventFields = {
  readonly type?: string
  readonly requestId?: string | null
  readonly paymentMethod?: string
  readonly livemode?: boolean
  readonly sessionLivemode?: boolean
}

const secretKey = 'sk_live_aKeyOfTheStandIn'
const webhookSecret = 'whsec_aSecretOfTheStandIn'
const sessionsPath = '/v1/crypto/onramp_sessions'

export async function startStripe(now: () => UnixMs): Promise<StripeStandIn> {
  const sessions = new Map<string, StandInSession>()
  const answered = new Map<string, { readonly form: string; readonly id: string | undefined }>()
  const requests: StripeRequestSeen[] = []
  let events = 0

  const server = createServer(async (request, response) => {
    const seen = await readRequest(request)
    requests.push(seen)
    const behaviour = standIn.behave?.(seen)
    if (behaviour === 'hang') return
    if (typeof behaviour === 'object') return fail(response, behaviour)
    const denied = evaluate(seen)
    if (denied) return fail(response, denied)
    const result = seen.method === 'POST' ? await create(seen) : read(seen)
    if (behaviour === 'lose-response') return void response.destroy()
    if ('error' in result) return fail(response, result as StripeFailure)
    send(response, 200, result)
  })

  /** Creates a session once per idempotency key. Rejects a key whose first request is in progress. */
  async function create({ headers, form }: StripeRequestSeen): Promise<object> {
    const key = String(headers['idempotency-key'])
    const before = answered.get(key)
    if (before?.form !== undefined && before.form !== form.toString())
      return failure(400, 'idempotency_error', 'idempotency_key_reused')
    if (before) {
      const found = before.id === undefined ? undefined : sessions.get(before.id)
      return found ? show(found) : failure(409, 'idempotency_error', 'idempotency_key_in_use')
    }
    answered.set(key, { form: form.toString(), id: undefined })
    // Yields to concurrent requests with the same key.
    await new Promise((resolve) => setImmediate(resolve))
    const refused = validateForm(form)
    if (refused) {
      answered.delete(key)
      return refused
    }
    const session = makeSession(form, Math.floor(now() / 1_000), sessions.size)
    sessions.set(session.id, session)
    answered.set(key, { form: form.toString(), id: session.id })
    return show(session)
  }

  function read({ path, query }: StripeRequestSeen): object {
    if (path !== sessionsPath) {
      const found = sessions.get(path.slice(sessionsPath.length + 1))
      return found ? show(found) : failure(404, 'invalid_request_error', 'resource_missing')
    }
    const limit = Number(query.get('limit') ?? 10)
    if (!(limit >= 1 && limit <= 100))
      return failure(400, 'invalid_request_error', 'parameter_invalid_integer')
    const since = Number(query.get('created[gte]') ?? 0)
    const newestFirst = [...sessions.values()].reverse().filter(({ created }) => created >= since)
    const after = query.get('starting_after')
    const from = after === null ? 0 : newestFirst.findIndex(({ id }) => id === after) + 1
    const data = newestFirst.slice(from, from + limit)
    return {
      object: 'list',
      url: sessionsPath,
      has_more: from + limit < newestFirst.length,
      data: data.map(show),
    }
  }

  const sign: StripeStandIn['sign'] = (body, at = now(), secret = webhookSecret) => ({
    body,
    headers: {
      'content-type': 'application/json; charset=utf-8',
      'stripe-signature': Stripe.webhooks.generateTestHeaderString({
        payload: body,
        secret,
        timestamp: Math.floor(at / 1_000),
      }),
    },
  })

  const standIn: StripeStandIn = {
    url: '',
    secretKey,
    webhookSecret,
    requests,
    sessions,
    behave: undefined,
    sign,
    change(id, status, details = {}, { type = 'crypto.onramp_session.updated', ...more } = {}) {
      const session = sessions.get(id)
      if (!session) throw new Error(`no session ${id}`)
      session.status = status
      session.transaction_details = { ...session.transaction_details, ...details }
      if (more.paymentMethod) session.payment_method = more.paymentMethod
      const { livemode = true, sessionLivemode = livemode, requestId = null } = more
      const event = {
        id: `evt_${++events}`,
        object: 'event',
        type,
        created: Math.floor(now() / 1_000),
        livemode,
      }
      const request = { id: requestId, idempotency_key: null }
      return sign(
        JSON.stringify(
          { ...event, request, data: { object: { ...show(session), livemode: sessionLivemode } } },
          null,
          2,
        ),
      )
    },
    forgetKeys: () => answered.clear(),
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
    open: () => listen(port),
  }
  const listen = (on: number) =>
    new Promise<void>((resolve) => void server.listen(on, '127.0.0.1', () => resolve()))
  await listen(0)
  const { port } = server.address() as AddressInfo
  return Object.assign(standIn, { url: `http://127.0.0.1:${port}` })
}

async function readRequest(request: IncomingMessage): Promise<StripeRequestSeen> {
  let text = ''
  for await (const chunk of request) text += chunk
  const { pathname: path, searchParams: query } = new URL(request.url ?? '', 'http://stripe.test')
  const { method = '', headers } = request
  return { method, path, query, headers, form: new URLSearchParams(text) }
}

function evaluate({ method, headers, path }: StripeRequestSeen): StripeFailure | undefined {
  if (headers.authorization !== `Bearer ${secretKey}`)
    return failure(401, 'invalid_request_error', 'api_key_invalid')
  if (!path.startsWith(sessionsPath)) return failure(404, 'invalid_request_error', 'url_invalid')
  if (!/^\d{4}-\d{2}-\d{2}/.test(String(headers['stripe-version'])))
    return failure(400, 'invalid_request_error', 'api_version_missing')
  if (method !== 'POST') return undefined
  const isForm = headers['content-type'] === 'application/x-www-form-urlencoded'
  return isForm ? undefined : failure(400, 'invalid_request_error', 'content_type')
}

/** The documented parameters. Stripe rejects all others. */
const known =
  /^(source_currency|destination_(currency|network|amount)|destination_(currencies|networks)\[\d\]|wallet_addresses\[base_network\]|lock_wallet_address|customer_ip_address|customer_information\[(email|first_name|last_name)\]|customer_information\[address\]\[(line1|line2|city|state|postal_code|country)\]|metadata\[\w{1,40}\])$/

function validateForm(form: URLSearchParams): StripeFailure | undefined {
  const stranger = [...form.keys()].find((name) => !known.test(name))
  if (stranger) return failure(400, 'invalid_request_error', 'parameter_unknown', stranger)
  if (form.get('destination_network') !== 'base' || form.get('destination_currency') !== 'usdc')
    return failure(
      400,
      'invalid_request_error',
      'crypto_onramp_invalid_destination_currency_and_network_pair',
    )
  if (form.get('customer_information[address][country]') === 'KP')
    return failure(400, 'invalid_request_error', 'crypto_onramp_unsupported_country')
  return undefined
}

function makeSession(form: URLSearchParams, created: number, count: number): StandInSession {
  const field = (name: string) => form.get(name)
  const metadata = [...form].flatMap(([name, value]) => {
    const key = /^metadata\[(.+)\]$/.exec(name)?.[1]
    return key === undefined ? [] : [[key, value]]
  })
  return {
    id: `cos_${String(count + 1).padStart(24, '1Nam')}`,
    created,
    metadata: Object.fromEntries(metadata),
    status: 'initialized',
    payment_method: null,
    transaction_details: {
      destination_amount: field('destination_amount'),
      destination_currencies: ['usdc'],
      destination_currency: field('destination_currency'),
      destination_network: field('destination_network'),
      destination_networks: ['base'],
      fees: null,
      last_error: null,
      lock_wallet_address: field('lock_wallet_address') === 'true',
      source_amount: null,
      source_currency: field('source_currency'),
      transaction_id: null,
      wallet_address: field('wallet_addresses[base_network]'),
      wallet_addresses: { base_network: field('wallet_addresses[base_network]') },
    },
  }
}

function show(session: StandInSession): object {
  const object = 'crypto.onramp_session'
  const redirect_url = `https://crypto.link.com/?session_hash=${session.id}`
  const secret = { client_secret: `${session.id}_secret_x`, kyc_details_provided: false }
  return { ...session, object, livemode: true, redirect_url, ...secret }
}

export function failure(status: number, type: string, code: string, param?: string): StripeFailure {
  return { status, error: { type, code, message: 'In prose, for people', ...(param && { param }) } }
}

let responses = 0

function send(response: ServerResponse, status: number, body: object): void {
  response.writeHead(status, {
    'content-type': 'application/json',
    'request-id': `req_standIn${++responses}`,
  })
  response.end(JSON.stringify(body, null, 2))
}

function fail(response: ServerResponse, { status, error }: StripeFailure): void {
  send(response, status, { error })
}
