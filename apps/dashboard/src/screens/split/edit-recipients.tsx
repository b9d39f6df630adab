import { useQueryClient } from '@tanstack/react-query'
import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { useFieldArray, useForm } from 'react-hook-form'
import { getAddress } from 'viem/utils'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { issueLines } from '../../api/issue-of.ts'
import { useWrite } from '../../api/use-write.ts'
import { percent } from '../../format/percent.ts'
import { text } from '../../messages/messages.ts'
import { BackLink } from '../../parts/back-link.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useWebApp, type WebApp } from '../../service/use-web-app.ts'
import { useSession } from '../../session/session-context.ts'
import { keepDeployCall } from './deploy-call.ts'
import { Preview, type PreviewResponse } from './preview.tsx'
import { RecipientRow } from './recipient-row.tsx'
import { parsePercent, percentText, type Row, validateRows } from './shares.ts'
import { type Split, useSplit } from './use-split.ts'

const maxRows = 49

export function EditRecipients(): ReactNode {
  const split = useSplit()
  const webApp = useWebApp()
  return (
    <>
      <BackLink to="/split">{text('split.back')}</BackLink>
      <PageHeader title={text('split.edit')} note={text('split.edit.note')} />
      <QueryView query={split}>
        {(found) => (webApp ? <Editor split={found} fee={webApp.platformFee} /> : null)}
      </QueryView>
    </>
  )
}

function Editor({ split, fee }: { readonly split: Split; readonly fee: WebApp['platformFee'] }): ReactNode {
  const merchant = useSession().session?.merchantWallet ?? ''
  const { control, register, watch, handleSubmit } = useForm<{ rows: Row[] }>({
    defaultValues: { rows: firstRows(split, fee, merchant) },
  })
  const { fields, append, remove } = useFieldArray({ control, name: 'rows' })
  const rows = watch('rows')
  const evaluated = validateRows(rows, fee, (address) => getAddress(address as `0x${string}`))
  const saving = useSaving(split)
  const recipients = () =>
    rows.map(({ address, percent: share }) => ({
      address: address.trim(),
      sharesBps: parsePercent(share) ?? 0,
    }))
  return (
    <form
      className="grid gap-5"
      noValidate
      onSubmit={(event) => void handleSubmit(() => saving.review(recipients()))(event)}
    >
      <Card title={text('split.recipients')}>
        <ol className="grid gap-4">
          {fields.map((field, row) => (
            <RecipientRow
              key={field.id}
              row={row}
              register={register}
              value={rows[row]}
              problems={evaluated.problems.filter((problem) => problem.row === row)}
              {...(fields.length > 1 && { onRemove: () => remove(row) })}
            />
          ))}
        </ol>
        <PlatformRow fee={fee} />
        <div className="mt-4 flex flex-wrap items-center justify-between gap-4">
          <Button disabled={fields.length >= maxRows} onClick={() => append({ address: '', percent: '' })}>
            {text('split.add')}
          </Button>
          <Total bps={evaluated.totalBps} />
        </div>
      </Card>
      <FormProblem error={saving.error} others={issueLines(saving.error)} />
      <div className="flex flex-wrap justify-end gap-3">
        <Button type="submit" look="main" disabled={!evaluated.isComplete || saving.isBusy}>
          {text(split.address === null ? 'split.save' : 'split.review')}
        </Button>
      </div>
      {saving.preview ? (
        <Preview
          response={saving.preview}
          error={saving.error}
          isBusy={saving.isBusy}
          onClose={saving.close}
          onSave={() => void saving.save(recipients())}
        />
      ) : null}
    </form>
  )
}

function PlatformRow({ fee }: { readonly fee: WebApp['platformFee'] }): ReactNode {
  if (fee.bps === 0) return null
  return (
    <div className="mt-4 flex flex-wrap items-center justify-between gap-3 rounded-xl bg-soft p-4">
      <span className="grid min-w-0 gap-0.5">
        <span className="font-medium">{text('split.known.platform')}</span>
        <code className="text-dim text-sm [overflow-wrap:anywhere]">{fee.recipient}</code>
      </span>
      <span className="tabular-nums">{percent(fee.bps)}</span>
    </div>
  )
}

function Total({ bps }: { readonly bps: number }): ReactNode {
  const isWhole = bps === 10_000
  const off = percent(Math.abs(10_000 - bps))
  return (
    <p role="status" className={`font-semibold tabular-nums ${isWhole ? 'text-good' : 'text-bad'}`}>
      <span aria-hidden="true">{isWhole ? '✓ ' : '✕ '}</span>
      {text('split.total', { total: percent(bps) })}
      {isWhole ? null : ` · ${text(bps < 10_000 ? 'split.total.missing' : 'split.total.over', { off })}`}
    </p>
  )
}

type Recipients = readonly { address: string; sharesBps: number }[]

/** Saves the first split immediately, and previews later changes before saving them. */
function useSaving(split: Split) {
  const navigate = useNavigate()
  const queries = useQueryClient()
  const say = useToast()
  const [preview, setPreview] = useState<PreviewResponse>()
  const changes = [['split'], ['split-versions']]
  const deploy = useWrite(
    (recipients: Recipients) =>
      contentOf(api.POST('/api/split/deploy', { body: { recipients: [...recipients] } })),
    changes,
  )
  const look = useWrite(
    (recipients: Recipients) =>
      contentOf(api.POST('/api/split/versions/preview', { body: { recipients: [...recipients] } })),
    [],
  )
  const schedule = useWrite(
    (recipients: Recipients) =>
      contentOf(api.POST('/api/split/versions', { body: { recipients: [...recipients] } })),
    changes,
  )
  const leave = (words: string) => {
    say(words)
    void navigate({ to: '/split' })
  }
  const errors = [deploy.error, look.error, schedule.error]
  return {
    preview,
    isBusy: deploy.isPending || look.isPending || schedule.isPending,
    error: errors.find((error) => error instanceof ApiError) ?? errors.find(Boolean),
    close: () => setPreview(undefined),
    async review(recipients: Recipients) {
      for (const each of [deploy, look, schedule]) each.reset()
      if (split.address !== null) {
        const response = await look.mutateAsync(recipients).catch(() => undefined)
        if (response) setPreview(response)
        return
      }
      const response = await deploy.mutateAsync(recipients).catch(() => undefined)
      if (!response) return
      keepDeployCall(queries, response.deploy ?? null)
      leave(text('split.saved'))
    },
    async save(recipients: Recipients) {
      if (await schedule.mutateAsync(recipients).catch(() => undefined)) leave(text('split.scheduled'))
    },
  }
}

/** Returns the current recipients without the platform, or the merchant alone if there is no split. */
function firstRows(split: Split, fee: WebApp['platformFee'], merchant: string): Row[] {
  if (split.address === null) return [{ address: merchant, percent: percentText(10_000 - fee.bps) }]
  return split.recipients
    .filter(({ address }) => address.toLowerCase() !== fee.recipient?.toLowerCase())
    .map(({ address, sharesBps }) => ({ address, percent: percentText(sharesBps) }))
}
