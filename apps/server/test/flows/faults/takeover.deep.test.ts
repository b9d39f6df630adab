import { describe, expect, test, vi } from 'vitest'
import { until } from '../../../src/platform/process/process.ts'
import { findHarm } from '../../support/kill/check-sales.ts'
import type { Fault } from '../../support/kill/replica.ts'
import { payFor, type Sale, waitForEnd } from '../../support/kill/sale.ts'
import { openChaosStand } from '../../support/kill/stand.ts'
import { perFile } from '../../support/per-file.ts'
import { measureOwnMs } from '../../support/programs/waited-for-processor.ts'

const limitMs = 120_000
vi.setConfig({ testTimeout: 400_000, hookTimeout: 300_000 })

/** PostgreSQL ends an idle transaction after three seconds. A claim on a webhook ends after eight. */
const takeoverMs = 10_000

const stand = perFile(() => openChaosStand(1))
const played: string[] = []

const done = {
  keeper: `SELECT FROM lease WHERE name = $3 AND starts_with(holder, $2) AND $1 <> ''`,
  watcher: `SELECT FROM payment WHERE receipt_id = $1 AND credited_at IS NOT NULL AND concat($2::text, $3::text) <> ''`,
  webhooks: `SELECT FROM outbox_message WHERE subject = $1 AND state = 'delivered' AND concat($2::text, $3::text) <> ''`,
} as const

type Case = {
  readonly fault: Fault
  /** The moment (seams.ts) of the fault. The other process must take over the work in progress. */
  readonly moment: string
  readonly seat: keyof typeof done
  /** Extends the stopped process's leases by an hour. Its death must be detected before they expire. */
  readonly isKnown?: boolean
}

const cases: readonly Case[] = [
  { fault: 'freeze', moment: 'before-send:sweep', seat: 'keeper' },
  { fault: 'freeze', moment: 'before-commit:insert-outgoing-transaction', seat: 'keeper' },
  { fault: 'freeze', moment: 'before-commit:insert-payments', seat: 'watcher' },
  { fault: 'freeze', moment: 'after-commit:claim-messages', seat: 'webhooks' },
  { fault: 'kill', moment: 'before-send:sweep', seat: 'keeper', isKnown: true },
  { fault: 'kill', moment: 'before-commit:insert-payments', seat: 'watcher', isKnown: true },
  { fault: 'kill', moment: 'after-commit:claim-messages', seat: 'webhooks' },
  { fault: 'cut', moment: 'before-send:sweep', seat: 'keeper' },
  { fault: 'cut', moment: 'before-commit:insert-payments', seat: 'watcher' },
  { fault: 'cut', moment: 'after-commit:claim-messages', seat: 'webhooks' },
]

describe('what a process was doing alone is done by another in time, and not again by the one that comes back', () => {
  test.each(cases)('$fault $moment: $seat', async ({ fault, moment, seat, isKnown = false }) => {
    const { replicas, shop } = stand
    const [other] = replicas
    if (!other) throw new Error('there is a replica')
    const struck = await stand.startMore(moment)
    try {
      const sale: Sale = { id: `${fault}-${played.length}`, token: 'USDC', way: 'transfer', usd: 10 }
      played.push(sale.id)
      await sell(sale, other, struck)

      const lease = await findSenderLease(struck.holderPrefix())
      if (seat === 'keeper') expect(lease).toMatch(/^sender:/)
      const ownMs = measureOwnMs(['self', other.pid])
      struck.harm(fault)
      if (isKnown) await lengthenLeases(struck.holderPrefix())
      other.heal()
      const isDone = async () =>
        (await shop.db.rows({ name: '', text: done[seat] }, [sale.id, other.holderPrefix(), lease])).length >
        0
      expect(await until(isDone, limitMs)).toBe(true)
      const ms = Math.round(ownMs())
      console.log(`${fault} ${moment}: ${seat} taken over after ${ms} ms`)

      // Requests that a cut-off process sent cannot be counted.
      const countOnce = () => shop.receiver.received.filter(({ body }) => body.includes(sale.id)).length
      await struck.heal()
      await waitForEnd(shop, [sale.id])
      expect(await struck.stop()).toEqual({ code: 0, signal: null })
      if (fault === 'freeze') expect(countOnce()).toBe(2)
      expect(ms).toBeLessThan(takeoverMs)
    } catch (error) {
      console.log(struck.said().slice(-4_000))
      throw error
    }
  })

  test('nothing is lost or doubled by it', async () => {
    expect(await findHarm(stand.shop, { sales: played, acknowledged: new Map() })).toEqual([])
  })

  async function sell(
    sale: Sale,
    other: (typeof stand.replicas)[number],
    struck: typeof other,
  ): Promise<void> {
    const { shop } = stand
    let isPaid = false
    const paid = payFor(
      { ...shop, buyer: { ...shop.buyer, payByTransfer: (attempt) => payAlone(attempt) } },
      sale,
    )
    const payAlone: typeof shop.buyer.payByTransfer = async (attempt) => {
      other.harm('freeze')
      isPaid = true
      return shop.buyer.payByTransfer(attempt)
    }
    await paid
    expect(isPaid).toBe(true)
    expect(await until(() => struck.isStanding(), limitMs)).toBe(true)
  }

  async function findSenderLease(holder: string): Promise<string> {
    const text = `SELECT name FROM lease WHERE starts_with(name, 'sender:') AND starts_with(holder, $1)
      AND held_until > clock_timestamp()`
    return (await stand.shop.db.row<{ name: string }>({ name: '', text }, [holder]))?.name ?? ''
  }

  async function lengthenLeases(holder: string): Promise<void> {
    const text = `UPDATE lease SET held_until = held_until + interval '1 hour' WHERE starts_with(holder, $1)`
    expect(await stand.shop.db.run({ name: '', text }, [holder])).toBeGreaterThan(0)
  }
})
