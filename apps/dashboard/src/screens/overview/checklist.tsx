import { defaultLook } from '@sluice/protocol/theme/default-look.ts'
import { useQuery } from '@tanstack/react-query'
import { Link, type LinkProps } from '@tanstack/react-router'
import { type ReactNode, useSyncExternalStore } from 'react'
import { api, contentOf } from '../../api/client.ts'
import type { operations } from '../../api/schema.d.ts'
import type { TextKey } from '../../messages/catalogue.ts'
import { text } from '../../messages/messages.ts'
import { readShop } from '../../service/read-shop.ts'
import { useSession } from '../../session/session-context.ts'
import { useRole } from '../../session/use-role.ts'
import { wasWebhookTried, watchWebhookTried } from './checklist-memory.ts'

type Step = { readonly key: string; readonly isDone: boolean; readonly to: LinkProps['to'] }

type Theme = operations['getShopConfig']['responses'][200]['content']['application/json']['config']['theme']

const lookEveryMs = 3_000

/** Shows the setup steps up to the first paid receipt. Owners and admins see the steps until all are done. */
export function Checklist(): ReactNode {
  const role = useSession().session?.role
  const steps = useSteps(role === 'owner' || role === 'admin')
  if (!steps || steps.every(({ isDone }) => isDone)) return null
  const done = steps.filter(({ isDone }) => isDone).length
  const next = steps.find(({ isDone }) => !isDone)
  return (
    <section aria-labelledby="checklist" className="rounded-2xl border border-line bg-card p-5 md:p-6">
      <div className="mb-4 flex flex-wrap items-center justify-between gap-3">
        <div>
          <h2 id="checklist" className="font-semibold text-lg">
            {text('checklist.title')}
          </h2>
          <p className="text-dim text-sm">{text('checklist.note')}</p>
        </div>
        <p role="status" className="font-medium tabular-nums">
          {text('checklist.progress', { done, all: steps.length })}
        </p>
      </div>
      <ol className="grid gap-1">
        {steps.map((step) => (
          <StepRow key={step.key} step={step} isNext={step === next} />
        ))}
      </ol>
    </section>
  )
}

function StepRow({ step, isNext }: { readonly step: Step; readonly isNext: boolean }): ReactNode {
  const { key, isDone, to } = step
  return (
    <li className={`flex items-start gap-3 rounded-xl p-3 ${isNext ? 'bg-soft' : ''}`}>
      <span
        aria-hidden="true"
        className={`mt-0.5 grid size-6 shrink-0 place-items-center rounded-full text-sm ${isDone ? 'bg-good-soft text-good' : 'border border-line text-dim'}`}
      >
        {isDone ? '✓' : ''}
      </span>
      <span className="grid gap-0.5">
        {isDone || !to ? (
          <span className={isDone ? 'text-dim' : 'font-medium'}>{text(`checklist.${key}` as TextKey)}</span>
        ) : (
          <Link to={to} className="py-0.5 font-medium text-accent underline underline-offset-4">
            {text(`checklist.${key}` as TextKey)}
          </Link>
        )}
        <span className="sr-only">{text(isDone ? 'checklist.done' : 'checklist.open')}</span>
        {isNext ? <span className="text-dim text-sm">{text(`checklist.${key}.note` as TextKey)}</span> : null}
      </span>
    </li>
  )
}

function useSteps(isEnabled: boolean): readonly Step[] | undefined {
  const isOwner = useSession().session?.role === 'owner'
  const { wallet } = useRole()
  const isTried = useSyncExternalStore(watchWebhookTried, () => wasWebhookTried(wallet))
  const { data } = useQuery({
    queryKey: ['checklist', isOwner],
    queryFn: () => readProgress(isOwner),
    enabled: isEnabled,
    refetchInterval: ({ state }) =>
      state.data && Object.values(state.data).every(Boolean) ? false : lookEveryMs,
  })
  if (!data) return undefined
  return [
    { key: 'recipients', isDone: data.hasSplit, to: '/split/recipients' },
    { key: 'shop', isDone: data.hasShop, to: '/shop' },
    { key: 'look', isDone: data.hasLook, to: '/shop/look' },
    ...(isOwner ? [{ key: 'key', isDone: data.hasKey, to: '/developers' } as const] : []),
    { key: 'webhook', isDone: isTried || data.hasDelivered, to: '/developers/webhook-test' },
    { key: 'paid', isDone: data.hasPaid, to: '/payment-links/new' },
  ]
}

async function readProgress(isOwner: boolean) {
  const [split, shop, summary, deliveries, keys] = await Promise.all([
    contentOf(api.GET('/api/split/deploy')),
    readShop(),
    contentOf(api.GET('/api/receipts/summary')),
    contentOf(api.GET('/api/webhooks/deliveries', { params: { query: { state: 'delivered', limit: 1 } } })),
    isOwner ? contentOf(api.GET('/api/subscriptions')) : undefined,
  ])
  const { byStatus } = summary
  return {
    hasSplit: split.split.address !== null,
    hasShop: Boolean(shop?.name && shop.slug),
    hasLook: shop !== undefined && hasOwnLook(shop.theme),
    hasKey: keys ? keys.subscriptions.some(({ revokedAt }) => revokedAt === null) : true,
    hasDelivered: deliveries.deliveries.length > 0,
    hasPaid: byStatus.paid + byStatus.reconciled + byStatus.refunded + byStatus.refund_requested > 0,
  }
}

function hasOwnLook({ primaryColor, brandLogoUrl, coverPhotoUrl, fontFamily }: Theme): boolean {
  return (
    primaryColor.toLowerCase() !== defaultLook.primaryColor ||
    `${brandLogoUrl}${coverPhotoUrl}${fontFamily}` !== ''
  )
}
