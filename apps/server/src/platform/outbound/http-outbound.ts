import { Resolver } from 'node:dns/promises'
import type { LookupFunction } from 'node:net'
import { Agent, buildConnector } from 'undici'
import type { Cancel, Clock } from '../../kernel/clock.ts'
import { refuseInsideTransaction } from '../database/inside-transaction.ts'
import type { Outbound, OutboundOutcome, OutboundRequest } from './outbound.ts'
import { RefusedAddress, sendRequest } from './send-request.ts'
import { isPublicAddress, judgeTarget, type TargetRules } from './target.ts'

const connectTimeoutMs = 5_000
const socketsPerOrigin = 4
/**
 * Whenever a connection ends its agent looks through all origins it knows. Webhooks go to thousands at once: shared out,
 * it finds few.
 */
const agentCount = 64
/** Below what receivers keep an idle connection open for, so that none is reused while it closes. */
const idleSocketMs = 1_000

/** The addresses of a name; rejects where there are none. */
export type Resolve = (hostname: string) => Promise<readonly string[]>

/** How this process reaches others. */
export type HttpOutboundOptions = TargetRules & {
  /** For tests: the default asks DNS (`public`) or the operating system (`any`). */
  readonly resolve?: Resolve
}

/**
 * {@link Outbound} over real sockets.
 *
 * With `targets: 'public'` every address is judged inside the socket's own lookup, so there is
 * no moment between the check and the connection in which a name could turn to another address;
 * a name with one address that is not public is refused whole.
 */
export class HttpOutbound implements Outbound {
  readonly #clock: Clock
  readonly #rules: TargetRules
  /**
   * For a host that nothing else is under way to: of thousands of hosts, one connection each, where undici's pool of them
   * would keep a queue of 16 KB.
   */
  readonly #alone: readonly Agent[]
  /** For all that is asked of a host meanwhile. */
  readonly #beside: readonly Agent[]
  /** Whose lone connection is taken. */
  readonly #taken = new Set<string>()

  constructor(needs: { clock: Clock }, options: HttpOutboundOptions) {
    this.#clock = needs.clock
    this.#rules = { targets: options.targets, allowHttp: options.allowHttp }
    const connect = makeConnector(needs.clock, options)
    this.#alone = makeAgents(connect, 1)
    this.#beside = makeAgents(connect, socketsPerOrigin - 1)
  }

  async request(request: OutboundRequest): Promise<OutboundOutcome> {
    refuseInsideTransaction('the network')
    const target = judgeTarget(request.url, this.#rules)
    if (typeof target === 'string') return { kind: 'fault', fault: 'refused-target', detail: target }
    const { origin } = target
    const isAlone = !this.#taken.has(origin)
    if (isAlone) this.#taken.add(origin)
    const agent = agentFor(isAlone ? this.#alone : this.#beside, origin)
    const leave = () => void (isAlone && this.#taken.delete(origin))
    return await sendRequest({ agent, clock: this.#clock, leave }, target, request)
  }

  /** Drops every connection; requests under way end with a fault. */
  async close(): Promise<void> {
    await Promise.all([...this.#alone, ...this.#beside].map((agent) => agent.destroy()))
  }
}

function makeAgents(connect: buildConnector.connector, connections: number): Agent[] {
  return Array.from(
    { length: agentCount },
    () =>
      new Agent({
        connect,
        connections,
        pipelining: 1,
        allowH2: false,
        keepAliveTimeout: idleSocketMs,
        keepAliveMaxTimeout: idleSocketMs,
        headersTimeout: 0,
        bodyTimeout: 0,
      }),
  )
}

function agentFor(agents: readonly Agent[], origin: string): Agent {
  let hash = 0
  for (let i = 0; i < origin.length; i++) hash = (hash * 31 + origin.charCodeAt(i)) >>> 0
  return agents[hash % agentCount] as Agent
}

/**
 * An aborted request leaves its connection attempt behind, so that has a limit of its own. It is measured as well: a
 * process that stood still meanwhile finds the connection before its timers have said that it is late, and what was to
 * be sent on it may have been sent by another process.
 */
function makeConnector(clock: Clock, options: HttpOutboundOptions): buildConnector.connector {
  const connect = buildConnector({
    lookup: makeLookup(options),
    timeout: 0,
    allowH2: false,
    keepAlive: false,
  })
  return (target, callback) => {
    let cancel: Cancel = () => {}
    const startedAt = performance.now()
    const socket = connect(target, (...result) => {
      cancel()
      const isLate = performance.now() - startedAt >= connectTimeoutMs
      if (isLate) result[1]?.destroy()
      if (isLate) callback(new Error('no connection in time'), null)
      else callback(...result)
    }) as unknown as { destroy(error: Error): void }
    cancel = clock.after(connectTimeoutMs, () => socket.destroy(new Error('no connection in time')))
  }
}

function makeLookup(options: HttpOutboundOptions): LookupFunction | undefined {
  const resolve = options.resolve ?? (options.targets === 'public' ? askDns : undefined)
  if (!resolve) return undefined
  return (hostname, { all, family }, callback) => {
    const found = resolve(hostname).then((addresses) => {
      const refused = options.targets === 'public' && addresses.find((address) => !isPublicAddress(address))
      if (refused) throw new RefusedAddress(`${hostname} resolves to ${refused}`)
      const entries = addresses
        .map((address) => ({ address, family: address.includes(':') ? 6 : 4 }))
        .filter((entry) => (family === 4 || family === 6 ? entry.family === family : true))
      if (!entries[0]) throw new Error(`${hostname} has no address`)
      return { entries, first: entries[0] }
    })
    found.then(
      ({ entries, first }) => (all ? callback(null, entries) : callback(null, first.address, first.family)),
      (error) => callback(error, ''),
    )
  }
}

/** Asks DNS itself: the operating system's lookup would hold one of its few threads for a hanging name server. */
async function askDns(hostname: string): Promise<string[]> {
  const resolver = new Resolver({ timeout: 1_500, tries: 2 })
  const answers = await Promise.allSettled([resolver.resolve4(hostname), resolver.resolve6(hostname)])
  const addresses = answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  if (addresses.length === 0 && answers[0].status === 'rejected') throw answers[0].reason
  return addresses
}
