import type { Target } from '../../../../packages/cli/src/settings.ts'
import { ForbiddenError, Sluice, UnauthorizedError } from '../../../../packages/sdk/src/sluice.ts'
import { broken, doubtful, type Finding, fine, skipped, validateClock } from './finding.ts'

const timeoutMs = 8_000

type Readiness = { status: string; checks: Record<string, { ok: boolean } & Record<string, unknown>> }

export async function checkService(target: Target): Promise<Finding[]> {
  const alive = await checkAlive(target.baseUrl)
  if (alive.some(({ result }) => result === 'fail')) return alive
  return [...alive, ...(await checkReady(target.baseUrl)), ...(await checkKey(target))]
}

async function checkAlive(baseUrl: string): Promise<Finding[]> {
  try {
    const askedAt = Date.now()
    const response = await get(`${baseUrl}/healthz`)
    const middle = (askedAt + Date.now()) / 2
    const body = await response.text()
    if (!/"status":\s*"ok"/.test(body))
      return [
        broken(
          'service',
          `${baseUrl} is a different service`,
          'Check --url or SLUICE_URL, and the proxy in front of it.',
        ),
      ]
    const date = Date.parse(response.headers.get('date') ?? '')
    const findings = [fine('service', `responds at ${baseUrl}`)]
    // The Date header contains whole seconds, so it is half a second behind on average.
    if (!Number.isNaN(date))
      findings.push(validateClock('service clock', "the service's clock", date + 500 - middle))
    return findings
  } catch (error) {
    const { cause, message } = error as Error
    const why = (cause as Error | undefined)?.message || message
    const advice = 'Start it (`npm start`), or set --url or SLUICE_URL.'
    return [broken('service', `${baseUrl} does not respond: ${why}`, advice)]
  }
}

async function checkReady(baseUrl: string): Promise<Finding[]> {
  const response = await get(`${baseUrl}/readyz`)
  if (response.status === 404) return [skipped('ready', '/readyz is not accessible from outside')]
  const { status, checks } = (await response.json()) as Readiness
  const bad = Object.entries(checks).filter(([, { ok }]) => !ok)
  if (bad.length === 0) return [fine('ready', status)]
  return bad.map(([name, { ok: _, ...rest }]) => {
    const evaluate = status === 'not_ready' ? broken : doubtful
    return evaluate(`ready: ${name}`, JSON.stringify(rest), readyAdvice[name] ?? 'Check the log.')
  })
}

async function checkKey({ baseUrl, key }: Target): Promise<Finding[]> {
  if (key === undefined)
    return [skipped('key', 'none given (SLUICE_KEY), so nothing that belongs to a merchant is checked')]
  const sluice = new Sluice({ baseUrl, key, retry: { count: 1 }, timeoutMs })
  try {
    await sluice.receipts.list({ limit: 1 })
  } catch (error) {
    if (error instanceof UnauthorizedError)
      return [
        broken(
          'key',
          error.message,
          'The key was revoked, rotated or mistyped. Create another with `key create`.',
        ),
      ]
    if (error instanceof ForbiddenError)
      return [doubtful('key', error.message, 'The key lacks receipts:read, so the other checks are skipped.')]
    return [broken('key', (error as Error).message, 'Check the log of the service.')]
  }
  return [fine('key', 'is accepted'), await checkSplit(sluice), await checkDeliveries(sluice)]
}

async function checkSplit(sluice: Sluice): Promise<Finding> {
  try {
    const split = await sluice.split.get()
    if (split.address === null)
      return doubtful(
        'split',
        'none is configured',
        'Orders and payments need one: configure it in the web app.',
      )
    if (!split.deployed)
      return doubtful(
        'split',
        `${split.address} is not on the chain yet`,
        'Wait, or check that DEPLOYER_KEY has gas.',
      )
    return fine('split', `${split.address}, ${split.recipients.length} recipients`)
  } catch (error) {
    return doubtful('split', (error as Error).message, 'The key may lack split:read.')
  }
}

async function checkDeliveries(sluice: Sluice): Promise<Finding> {
  const { data: deliveries } = await sluice.webhooks.listDeliveries({ limit: 50 })
  const failing = deliveries.filter(
    ({ state, attemptCount }) => state === 'exhausted' || (state === 'pending' && attemptCount > 0),
  )
  const [worst] = failing
  if (!worst) return fine('webhooks', `${deliveries.length} checked, no problems`)
  const last = worst.attempts.at(-1)
  const why = last?.status ? `it answered ${last.status}` : (last?.error ?? 'no answer')
  const text = `${failing.length} of the last ${deliveries.length} were not delivered; ${worst.url}: ${why}`
  return doubtful('webhooks', text, `Test the endpoint: webhook test ${worst.url}`)
}

export async function checkReceiver({ baseUrl, key }: Target, url: string): Promise<Finding> {
  if (key === undefined) return skipped('endpoint', 'requires a key')
  const sluice = new Sluice({ baseUrl, key, retry: { count: 0 } })
  try {
    const report = await sluice.webhooks.test(url)
    if (report.ok) return fine('endpoint', `${url} passes every check`)
    return broken('endpoint', `${url}: ${report.errors.join(', ')}`, `Run webhook test ${url} for details.`)
  } catch (error) {
    return broken('endpoint', (error as Error).message, 'Check the URL and the key.')
  }
}

function get(url: string): Promise<Response> {
  return fetch(url, { signal: AbortSignal.timeout(timeoutMs), redirect: 'manual' })
}

const readyAdvice: Readonly<Record<string, string>> = {
  database: 'The service cannot reach its database: is it running?',
  databaseWrites:
    'The database does not accept writes: promote it, end its read-only mode, or free space on its disk.',
  databaseArchive:
    'PostgreSQL does not archive its log. Its server log contains the reason; see docs/backup.md.',
  migrations: 'The schema of the database belongs to another release: run that release.',
  chainHead: 'The chain is not being followed: check that the service can reach RPC_URLS.',
  cursors: 'The watchers are behind: they catch up unless the endpoint limits them.',
  rates: 'The sources of exchange rates do not respond to the service: docs/operations.md lists their hosts.',
  clock: "The machine's clock is behind the chain: synchronize it with NTP.",
}
