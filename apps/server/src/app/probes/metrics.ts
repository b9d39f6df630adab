import type { FastifyInstance } from 'fastify'
import type { ChainTime } from '../../chain/chain-time.ts'
import type { GasAccounts } from '../../chain/transactions/gas-accounts.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Relayer } from '../../payments/relaying/relayer.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { countDeferred, type DeferredCount } from '../../platform/jobs/deferred-store.ts'
import { Metrics, type Reading } from '../../platform/metrics.ts'
import type { DataFolderState } from '../../platform/process/data-folder.ts'
import type { RateBook } from '../../pricing/rates/rate-book.ts'
import type { OutsideConfig } from '../http/limit-outside.ts'
import { type FigureAccess, mayReadFigures, openHere } from './health.ts'
import { evaluateReaders, type ReaderLag } from './readiness.ts'
import {
  type ChainState,
  findWritesError,
  readArchiveState,
  readChainState,
  readWorkState,
  type WorkState,
} from './state-store.ts'

/** Names of the gauges, with their help texts. */
export const gaugeTexts = {
  sluice_journal_records: 'Writes accepted while the datastore was unavailable and not yet applied',
  sluice_datastore_up: 'Whether the datastore responds',
  sluice_datastore_writable:
    'Whether the datastore accepts writes: 0 if it is read-only, such as a standby, or if its disk is full',
  sluice_datastore_archiving:
    'Whether the datastore archives its write-ahead log, if configured: 0 while archiving fails',
  sluice_data_directory_free_bytes:
    'Free space on the disk of the data directory; 0 if the directory is not writable',
  sluice_clock_behind_chain_seconds:
    "Seconds that this machine's clock is behind the chain's time; negative if it is ahead",
  sluice_outbox_messages: 'Webhook deliveries that are still pending',
  sluice_outbox_lateness_seconds: 'Time since the oldest pending webhook delivery was due',
  sluice_feed_unnumbered_events: 'Events without a number, because they have not been read yet',
  sluice_deposits_waiting: 'Deposits that are worth less than the gas to sweep them',
  sluice_audit_entries: 'Entries of the audit log across all chains; never decreases',
  sluice_audit_platform_head:
    "The first 48 bits of the hash of the platform's last audit entry, the head of its chain",
  sluice_outgoing_transactions: 'Outgoing transactions of the service, by kind and state',
  sluice_chain_head_block: "The chain's newest known block",
  sluice_chain_head_age_seconds: 'Time since the chain was last read',
  sluice_chain_cursor_block: 'The last block each watcher has read',
  sluice_chain_lag_blocks: 'Blocks that each watcher is behind the newest block that it reads',
  sluice_chain_lag_seconds: 'Chain time that each watcher is behind the newest block that it reads',
  sluice_chain_reader_late: 'Whether a watcher is further behind than its interval allows',
  sluice_deferred_seconds: 'Age of the oldest deferred item',
  sluice_deferred_items: 'Items of jobs that failed and are retried later, by job and reason',
  sluice_rate_usable:
    'Whether this process has a usable rate for a currency or token: 0 if no source provides one',
  sluice_gas_balance: 'Balance of an account that pays for gas, in the native token',
  sluice_relayer_balance: 'Balance of the account that pays the gas of signed payments, in the native token',
  sluice_relayer_spent_day:
    'Cost of signed payments in the last 24 hours, in the native token; pending payments count with their maximum cost',
  sluice_relayer_daily_max: 'Daily limit for the cost of signed payments, in the native token',
  sluice_relayer_ready:
    'Whether signed payments are accepted: 0 if the balance, the daily limit or the gas price does not allow it',
} as const

function figure(
  name: keyof typeof gaugeTexts,
  value: number,
  labels?: Readonly<Record<string, string>>,
): Reading {
  return { name, help: gaugeTexts[name], value, ...(labels && { labels }) }
}

type PaymentParts = {
  readonly relayer?: Pick<Relayer, 'lastState' | 'terms'> | undefined
  readonly rates?: Pick<RateBook, 'usability'>
  readonly gasAccounts?: Pick<GasAccounts, 'balances'>
}

export type MetricsNeeds = PaymentParts & {
  readonly db: Database
  readonly clock: Clock
  readonly chain: { readonly id: number; readonly time?: Pick<ChainTime, 'behindMs'> }
  readonly journal: { readonly pendingCount: number }
  readonly refusedWrites: RefusedWrites
  readonly dataFolder?: () => Promise<DataFolderState>
}

export function openMetrics(needs: MetricsNeeds): Metrics {
  return new Metrics(async () => {
    const journaled = figure('sluice_journal_records', needs.journal.pendingCount)
    const free = readRoom(await needs.dataFolder?.())
    const up = (value: number) => figure('sluice_datastore_up', value)
    try {
      const own = [journaled, ...free, up(1), ...readPayments(needs)]
      return [...own, ...(await readFigures(needs))]
    } catch {
      return [journaled, ...free, up(0)] // the other values are unknown
    }
  })
}

/**
 * Adds `GET /metrics` and counts every request.
 *
 * Requires the metrics token. If no token is configured, this machine alone has access. In production, even
 * this machine needs the token, because a proxy could publish the metrics. Other clients get 404.
 */
export function addMetrics(app: FastifyInstance, metrics: Metrics, access: FigureAccess = openHere): void {
  app.addHook('onResponse', (request, reply, done) => {
    metrics.countRequest({
      method: request.method,
      route: request.routeOptions.url ?? 'none',
      status: reply.statusCode,
      durationMs: reply.elapsedTime,
    })
    done()
  })
  app.get('/metrics', { config: { limit: 'probes' } satisfies OutsideConfig }, async (request, reply) => {
    reply.header('cache-control', 'no-store')
    if (!mayReadFigures(request, access)) return reply.callNotFound()
    const { contentType, text } = await metrics.write()
    return reply.type(contentType).send(text)
  })
}

async function readFigures(needs: MetricsNeeds): Promise<Reading[]> {
  const { db, clock, chain, refusedWrites } = needs
  const now = clock.now()
  const [state, writesError, archive, work, deferred] = await Promise.all([
    readChainState(db, chain.id),
    findWritesError(db, refusedWrites),
    readArchiveState(db),
    readWorkState(db, chain.id),
    countDeferred(db),
  ])
  const writable = figure('sluice_datastore_writable', writesError ? 0 : 1)
  const archiving = figure('sluice_datastore_archiving', archive.error ? 0 : 1)
  return [
    writable,
    archiving,
    ...readClocks(chain.time?.behindMs),
    ...readWork(work, now),
    ...readDeferred(deferred, now),
    ...readChain(state, now),
  ]
}

function readRoom(folder: DataFolderState | undefined): Reading[] {
  if (!folder) return []
  return [figure('sluice_data_directory_free_bytes', folder.error === 'not_writable' ? 0 : folder.freeBytes)]
}

function readClocks(behindMs: number | undefined): Reading[] {
  if (behindMs === undefined) return []
  return [figure('sluice_clock_behind_chain_seconds', behindMs / 1000)]
}

function readWork(work: WorkState, now: number): Reading[] {
  return [
    figure('sluice_outbox_messages', work.pendingDeliveries),
    figure('sluice_outbox_lateness_seconds', Math.max(0, now - (work.oldestDueAt ?? now)) / 1000),
    figure('sluice_feed_unnumbered_events', work.unnumberedEvents),
    figure('sluice_deposits_waiting', work.waitingDeposits),
    figure('sluice_audit_entries', work.audit.entries),
    ...(work.audit.platform
      ? [
          figure(
            'sluice_audit_platform_head',
            Number.parseInt(work.audit.platform.hash.replace(/^k1\./, '').slice(0, 12), 16),
            { sequence: String(work.audit.platform.sequence) },
          ),
        ]
      : []),
    ...work.outgoingTransactions.map(({ kind, state: standing, count }) =>
      figure('sluice_outgoing_transactions', count, {
        kind,
        state: standing,
      }),
    ),
  ]
}

function readChain(state: ChainState, now: number): Reading[] {
  const { head } = state
  if (!head) return []
  return [
    figure('sluice_chain_head_block', Number(head.latest)),
    figure('sluice_chain_head_age_seconds', (now - head.seenAt) / 1000),
    ...state.cursors.map(({ name, number }) =>
      figure('sluice_chain_cursor_block', Number(number), {
        watcher: name,
      }),
    ),
    ...evaluateReaders(state).flatMap(readLag),
  ]
}

function readLag({ name, lagBlocks, lagSeconds, ok }: ReaderLag): Reading[] {
  const labels = { watcher: name }
  return [
    figure('sluice_chain_lag_blocks', lagBlocks, labels),
    figure('sluice_chain_lag_seconds', lagSeconds, labels),
    figure('sluice_chain_reader_late', ok ? 0 : 1, labels),
  ]
}

function readDeferred(counts: readonly DeferredCount[], now: number): Reading[] {
  const since = Math.min(now, ...counts.map((each) => each.since))
  return [
    figure('sluice_deferred_seconds', (now - since) / 1000),
    ...counts.map(({ job, kind, count }) => figure('sluice_deferred_items', count, { job, kind })),
  ]
}

function readPayments({ relayer, rates, gasAccounts }: PaymentParts): Reading[] {
  const usable = (rates?.usability ?? []).map(({ code, isUsable }) =>
    figure('sluice_rate_usable', isUsable ? 1 : 0, { code }),
  )
  const balances = (gasAccounts?.balances ?? []).map(({ role, balance }) =>
    figure('sluice_gas_balance', native(balance), { account: role }),
  )
  return [...usable, ...balances, ...readRelayer(relayer)]
}

function native(units: bigint): number {
  return Number(units) / 1e18
}

function readRelayer(relayer: PaymentParts['relayer']): Reading[] {
  const state = relayer?.lastState
  if (!relayer || !state) return []
  return [
    figure('sluice_relayer_balance', native(state.balance)),
    figure('sluice_relayer_spent_day', native(state.spent)),
    figure('sluice_relayer_daily_max', native(relayer.terms.dailyMax)),
    figure('sluice_relayer_ready', state.error ? 0 : 1),
  ]
}
