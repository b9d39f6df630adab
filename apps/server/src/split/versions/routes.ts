import {
  cancelSplitResponse,
  changeSplitRequest,
  changeSplitResponse,
  previewSplitResponse,
  splitVersionList,
  splitVersionParams,
  splitVersionsQuery,
} from '@sluice/protocol/api/split.ts'
import type { UnixMs } from '@sluice/protocol/time.ts'
import type { Wallet } from '@sluice/protocol/wallet.ts'
import { appendAudit } from '../../access/audit/append-audit.ts'
import { actorOf, merchantOf } from '../../access/caller.ts'
import { type Route, route } from '../../access/route.ts'
import type { Database } from '../../platform/database/database.ts'
import { notifyJob } from '../../platform/database/notify.ts'
import { jobNames } from '../../platform/jobs/names.ts'
import { probeRecipients } from '../setup/probe-recipients.ts'
import { type SplitNeeds, viewDeployCall, viewRecipients } from '../setup/view-split.ts'
import type { Recipient, Split } from '../split.ts'
import { previewChange } from './preview-change.ts'
import { cancelChange, planChange, requestChange } from './request-change.ts'
import { listVersionsPage, viewPreview, viewProbe, viewVersion } from './view-version.ts'

const owning = { kind: 'session', roles: ['owner'], isFresh: true } as const

export function splitVersionRoutes(needs: SplitNeeds): Route[] {
  return [
    listVersionsRoute(needs),
    previewChangeRoute(needs),
    requestChangeRoute(needs),
    cancelChangeRoute(needs),
  ]
}

function listVersionsRoute({ db, clock }: SplitNeeds): Route {
  return route({
    method: 'GET',
    path: '/api/split/versions',
    access: { kind: 'key-or-session', scope: 'split:read' },
    description:
      'List versions of the split. Returns current, past, scheduled and cancelled versions, newest first.',
    query: splitVersionsQuery,
    responses: { 200: splitVersionList },
    async handle({ caller, query }) {
      const { versions, inForce, nextCursor } = await listVersionsPage(db, merchantOf(caller), query)
      const now = clock.now()
      return {
        status: 200,
        body: { versions: versions.map((each) => viewVersion(each, inForce, now)), nextCursor },
      }
    },
  })
}

function previewChangeRoute(needs: SplitNeeds): Route {
  return route({
    method: 'POST',
    path: '/api/split/versions/preview',
    access: { kind: 'session', roles: ['owner', 'admin'] },
    limit: 'configWrites',
    description:
      'Preview a change of recipients. Returns the shares, their effect on the last 30 days, and whether each recipient can be paid.',
    body: changeSplitRequest,
    responses: { 200: previewSplitResponse },
    document: { apiErrors: ['split_required', 'platform_recipient_not_configured'] },
    async handle({ caller, body }) {
      const merchant = merchantOf(caller)
      const { current, recipients } = await planChange(needs, merchant, body.recipients)
      const ahead = await lookAhead(needs, merchant, current, recipients)
      return { status: 200, body: { ok: true, recipients: viewRecipients(recipients), ...ahead } }
    },
  })
}

function requestChangeRoute(needs: SplitNeeds): Route {
  const { clock, splits } = needs
  return route({
    method: 'POST',
    path: '/api/split/versions',
    access: owning,
    limit: 'configWrites',
    description:
      'Schedule a change of recipients. It takes effect after a delay. Existing receipts keep their recipients.',
    body: changeSplitRequest,
    responses: { 200: changeSplitResponse, 201: changeSplitResponse },
    document: { apiErrors: ['split_required', 'platform_recipient_not_configured'] },
    async handle({ caller, body, correlationId }) {
      const merchant = merchantOf(caller)
      const { current, recipients } = await planChange(needs, merchant, body.recipients)
      const ahead = await lookAhead(needs, merchant, current, recipients)
      const { split, replaced, idempotent } = await requestChange(
        needs,
        merchant,
        body.recipients,
        async (tx, change) => {
          if (change.replaced) await audit(tx, 'split.change_cancelled', change.replaced)
          await audit(tx, 'split.change_requested', change.split)
        },
      )
      if (!idempotent) await notifyJob(needs, jobNames.deploySplits)
      return {
        status: idempotent ? 200 : 201,
        body: {
          ok: true,
          version: viewVersion(split, current.version, clock.now()),
          ...ahead,
          ...(replaced && { replaced: Number(replaced.version) }),
          ...(idempotent && { idempotent: true }),
          ...(!splits.hasDeployer &&
            split.deployedAt === undefined && {
              deploy: viewDeployCall(split),
            }),
        },
      }

      function audit(tx: Database, action: string, of: Split) {
        return appendAudit(
          { ...needs, tx },
          { ...actOf(clock.now(), of), actor: actorOf(caller), action, correlationId },
        )
      }
    },
  })
}

function cancelChangeRoute(needs: SplitNeeds): Route {
  const { clock } = needs
  return route({
    method: 'DELETE',
    path: '/api/split/versions/{version}',
    access: owning,
    limit: 'configWrites',
    description: 'Cancel a scheduled change of recipients.',
    params: splitVersionParams,
    responses: { 200: cancelSplitResponse },
    async handle({ caller, params, correlationId }) {
      const merchant = merchantOf(caller)
      const split = await cancelChange(needs, merchant, BigInt(params.version), (tx, cancelled) =>
        appendAudit(
          { ...needs, tx },
          {
            ...actOf(clock.now(), cancelled),
            actor: actorOf(caller),
            action: 'split.change_cancelled',
            correlationId,
          },
        ),
      )
      return { status: 200, body: { ok: true, version: viewVersion(split, undefined, clock.now()) } }
    },
  })
}

async function lookAhead(
  needs: SplitNeeds,
  merchant: Wallet,
  current: Split,
  recipients: readonly Recipient[],
) {
  const [preview, probes] = await Promise.all([
    previewChange(needs, merchant, current.recipients, recipients),
    probeRecipients(
      needs.chain,
      recipients.map(({ address }) => address),
    ),
  ])
  return { preview: viewPreview(preview), probes: probes.map(viewProbe) }
}

function actOf(at: UnixMs, { merchant, address, version, recipients, effectiveAt }: Split) {
  const details = { version: Number(version), recipients: viewRecipients(recipients), effectiveAt }
  return { merchant, at, subject: address, details }
}
