import { setSettingsResponse, settingsRequest, settingsResponse } from '@sluice/protocol/api/access.ts'
import { pathOf } from '../../kernel/api-error.ts'
import type { Clock } from '../../kernel/clock.ts'
import type { Database } from '../../platform/database/database.ts'
import type { Secrets } from '../../platform/secrets.ts'
import { parseJurisdiction } from '../../pricing/taxes/tax-rate.ts'
import { appendAudit } from '../audit/append-audit.ts'
import { actorOf, merchantOf } from '../caller.ts'
import { type Route, route } from '../route.ts'
import { changeSettings } from './change-settings.ts'
import { findSettings, viewSettings } from './find-settings.ts'

type Needs = { readonly db: Database; readonly clock: Clock; readonly secrets: Secrets }

export function settingsRoutes(needs: Needs): Route[] {
  return [showSettingsRoute(needs), changeSettingsRoute(needs)]
}

function showSettingsRoute({ db }: Needs): Route {
  return route({
    method: 'GET',
    path: '/api/settings',
    access: { kind: 'session', roles: ['owner', 'admin', 'developer', 'viewer'] },
    description: 'Retrieve settings.',
    responses: { 200: settingsResponse },
    async handle({ caller }) {
      return { status: 200, body: { settings: viewSettings(await findSettings(db, merchantOf(caller))) } }
    },
  })
}

function changeSettingsRoute(needs: Needs): Route {
  const { db, clock } = needs
  return route({
    method: 'POST',
    path: '/api/settings',
    access: { kind: 'session', roles: ['owner', 'admin'], isFresh: true },
    limit: 'configWrites',
    description: 'Update settings. Omitted settings stay unchanged.',
    body: settingsRequest,
    responses: { 200: setSettingsResponse },
    async handle({ caller, body, correlationId }) {
      const merchant = merchantOf(caller)
      for (const [i, { jurisdictionCode }] of (body.taxRates ?? []).entries())
        parseJurisdiction(jurisdictionCode, pathOf('taxRates', i, 'jurisdictionCode'))
      const settings = await db.transaction(async (tx) => {
        const changed = viewSettings(await changeSettings({ db: tx, clock }, merchant, body))
        const { updatedAt: _, taxRates, ...details } = changed
        await appendAudit(
          { ...needs, tx },
          {
            merchant,
            at: clock.now(),
            actor: actorOf(caller),
            action: 'settings.changed',
            subject: merchant,
            details: { ...details, taxRates: taxRates.length },
            correlationId,
          },
        )
        return changed
      })
      return { status: 200, body: { ok: true, settings } }
    },
  })
}
