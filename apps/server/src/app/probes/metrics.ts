import type { FastifyInstance } from 'fastify'
import type { ChainTime } from '../../chain/chain-time.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { RefusedWrites } from '../../platform/database/degraded.ts'
import { countSetAside, type SetAsideCount } from '../../platform/jobs/set-aside-store.ts'
import { Metrics, type Reading } from '../../platform/metrics.ts'
import type { DataFolderState } from '../../platform/process/data-folder.ts'
import type { OutsideConfig } from '../http/limit-outside.ts'
import { findWritesFault } from './find-writes-fault.ts'
import { type FigureAccess, mayReadFigures, openHere } from './health.ts'
import { type PaymentParts, readPayments } from './payment-readings.ts'
import { judgeReaders, type ReaderLag } from './readers.ts'
import {
  type ChainState,
  readArchiveState,
  readChainState,
  readWorkState,
  type WorkState,
} from './state-store.ts'

/** What the figures are read from. */
export type MetricsNeeds = PaymentParts & {
  readonly db: Database
  readonly clock: Clock
  readonly chain: { readonly id: number; readonly time?: Pick<ChainTime, 'behindMs'> }
  readonly journal: { readonly pendingCount: number }
  /** Whether the database takes writes. */
  readonly refusedWrites: RefusedWrites
  readonly dataFolder?: () => Promise<DataFolderState>
}

/** The figures of a service; its chain and its outbox are read from the database at each scrape. */
export function openMetrics(needs: MetricsNeeds): Metrics {
  return new Metrics(async () => {
    const journaled: Reading = {
      name: 'sluice_journal_records',
      help: 'Writes accepted while the datastore was unavailable and not yet applied',
      value: needs.journal.pendingCount,
    }
    const free = readRoom(await needs.dataFolder?.())
    const up = (value: number): Reading => ({
      name: 'sluice_datastore_up',
      help: 'Whether the datastore responds',
      value,
    })
    try {
      const own = [journaled, ...free, up(1), ...readPayments(needs)]
      return [...own, ...(await readFigures(needs))]
    } catch {
      return [journaled, ...free, up(0)] // the figure itself tells of it; the others are not known now
    }
  })
}

/**
 * GET /metrics, and the count of every request.
 *
 * Figures are for who has their token. Where none is set this machine alone is answered, and in production nobody:
 * an edge that forwards everything must not show them to the world. Everybody else is answered 404.
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
  const [state, writesFault, archive, work, aside] = await Promise.all([
    readChainState(db, chain.id),
    findWritesFault(db, refusedWrites),
    readArchiveState(db),
    readWorkState(db, chain.id),
    countSetAside(db),
  ])
  const writable: Reading = {
    name: 'sluice_datastore_writable',
    help: 'Whether the datastore takes writes: 0 if it only reads, as a standby does, or if its disk is full',
    value: writesFault ? 0 : 1,
  }
  const archiving: Reading = {
    name: 'sluice_datastore_archiving',
    help: 'Whether the datastore archives its write-ahead log, if it is set to: 0 while that fails',
    value: archive.fault ? 0 : 1,
  }
  return [
    writable,
    archiving,
    ...readClocks(chain.time?.behindMs),
    ...readWork(work, now),
    ...readAside(aside, now),
    ...readChain(state, now),
  ]
}

function readRoom(folder: DataFolderState | undefined): Reading[] {
  if (!folder) return []
  return [
    {
      name: 'sluice_data_directory_free_bytes',
      help: 'Room on the disk of the data directory; 0 if it cannot be written to',
      value: folder.fault === 'not_writable' ? 0 : folder.freeBytes,
    },
  ]
}

function readClocks(behindMs: number | undefined): Reading[] {
  if (behindMs === undefined) return []
  return [
    {
      name: 'sluice_clock_behind_chain_seconds',
      help: "How far this machine's clock is behind the chain's time; negative if it is ahead",
      value: behindMs / 1000,
    },
  ]
}

function readWork(work: WorkState, now: number): Reading[] {
  return [
    {
      name: 'sluice_outbox_notices',
      help: 'Webhook deliveries that are still pending',
      value: work.pendingDeliveries,
    },
    {
      name: 'sluice_outbox_lateness_seconds',
      help: 'How long the oldest pending webhook delivery has been due',
      value: Math.max(0, now - (work.oldestDueAt ?? now)) / 1000,
    },
    {
      name: 'sluice_feed_unnumbered_events',
      help: 'Events not yet numbered, because nobody has read them',
      value: work.unnumberedEvents,
    },
    {
      name: 'sluice_deposits_waiting',
      help: 'Deposits that are worth less than the gas to sweep them',
      value: work.waitingDeposits,
    },
    {
      name: 'sluice_audit_entries',
      help: 'Entries of the audit log over all its chains; never decreases',
      value: work.audit.entries,
    },
    ...(work.audit.platform
      ? [
          {
            name: 'sluice_audit_platform_head',
            help: "The first 48 bits of the hash of the platform's last audit entry, the head of its chain",
            labels: { sequence: String(work.audit.platform.sequence) },
            value: Number.parseInt(work.audit.platform.hash.replace(/^k1\./, '').slice(0, 12), 16),
          },
        ]
      : []),
    ...work.outgoingTransactions.map(({ kind, state: standing, count }) => ({
      name: 'sluice_own_transactions',
      help: 'Outgoing transactions of the service, by kind and state',
      labels: { kind, state: standing },
      value: count,
    })),
  ]
}

function readChain(state: ChainState, now: number): Reading[] {
  const { head } = state
  if (!head) return []
  return [
    {
      name: 'sluice_chain_head_block',
      help: "The chain's newest known block",
      value: Number(head.latest),
    },
    {
      name: 'sluice_chain_head_age_seconds',
      help: 'How long ago the chain was last read',
      value: (now - head.seenAt) / 1000,
    },
    ...state.cursors.map(({ name, number }) => ({
      name: 'sluice_chain_cursor_block',
      help: 'The last block each watcher has read',
      labels: { watcher: name },
      value: Number(number),
    })),
    ...judgeReaders(state).flatMap(readLag),
  ]
}

function readLag({ name, lagBlocks, lagSeconds, ok }: ReaderLag): Reading[] {
  const labels = { watcher: name }
  return [
    {
      name: 'sluice_chain_lag_blocks',
      help: 'How many blocks each watcher is behind the newest that it reads',
      labels,
      value: lagBlocks,
    },
    {
      name: 'sluice_chain_lag_seconds',
      help: 'How far each watcher is behind the newest block that it reads, in chain time',
      labels,
      value: lagSeconds,
    },
    {
      name: 'sluice_chain_reader_late',
      help: 'Whether a watcher is further behind than its interval explains',
      labels,
      value: ok ? 0 : 1,
    },
  ]
}

function readAside(counts: readonly SetAsideCount[], now: number): Reading[] {
  const since = Math.min(now, ...counts.map((each) => each.since))
  return [
    {
      name: 'sluice_set_aside_seconds',
      help: 'How long the oldest deferred item has been waiting',
      value: (now - since) / 1000,
    },
    ...counts.map(({ job, fault, count }) => ({
      name: 'sluice_set_aside_items',
      help: 'Items of jobs that failed and are retried later, by job and reason',
      labels: { job, fault },
      value: count,
    })),
  ]
}
