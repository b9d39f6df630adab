import { useMutation } from '@tanstack/react-query'
import type { ReactNode } from 'react'
import { useForm } from 'react-hook-form'
import { api, contentOf } from '../../api/client.ts'
import { issueLines, issueOf } from '../../api/issue-of.ts'
import type { operations } from '../../api/schema.d.ts'
import { text } from '../../messages/messages.ts'
import { Badge } from '../../parts/badge.tsx'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { Section } from '../../parts/section.tsx'
import { useRole } from '../../session/use-role.ts'
import { keepWebhookTried } from '../overview/checklist-memory.ts'
import { DevelopersHead } from './developers.tsx'

type Report = operations['postWebhooksTest']['responses'][200]['content']['application/json']

export function WebhookTest(): ReactNode {
  const { wallet } = useRole()
  const { register, handleSubmit, formState } = useForm<{ url: string }>({ defaultValues: { url: '' } })
  const testEndpoint = useMutation({
    mutationFn: (url: string) => contentOf(api.POST('/api/webhooks/test', { body: { url } })),
    onSuccess: ({ ok }) => {
      if (ok) keepWebhookTried(wallet)
    },
  })
  return (
    <>
      <DevelopersHead />
      <div className="grid gap-6">
        <Card title={text('developers.test')} note={text('developers.test.note')}>
          <form
            className="grid items-end gap-4 sm:grid-cols-[minmax(0,1fr)_auto]"
            noValidate
            onSubmit={(event) => void handleSubmit(({ url }) => testEndpoint.mutate(url.trim()))(event)}
          >
            <TextField
              type="url"
              label={text('developers.test.url')}
              placeholder="https://shop.example/webhooks"
              error={formState.errors.url ? text('app.required') : issueOf(testEndpoint.error, 'url')}
              {...register('url', { required: true })}
            />
            <Button type="submit" look="main" disabled={testEndpoint.isPending}>
              {text(testEndpoint.isPending ? 'developers.test.running' : 'developers.test.do')}
            </Button>
          </form>
          <div className="mt-4">
            <FormProblem error={testEndpoint.error} others={issueLines(testEndpoint.error)} />
          </div>
        </Card>
        <div role="status">{testEndpoint.data ? <ReportView report={testEndpoint.data} /> : null}</div>
      </div>
    </>
  )
}

const signs = {
  passed: ['good', '✓'],
  failed: ['bad', '✕'],
  skipped: ['plain', '–'],
} as const

function ReportView({ report }: { readonly report: Report }): ReactNode {
  const failed = report.checks.filter(({ result }) => result !== 'passed').length
  return (
    <Section
      title={report.ok ? text('developers.test.passed') : text('developers.test.failed', { count: failed })}
    >
      <ol className="grid gap-3">
        {report.checks.map(({ name, result, expected, advice, status, durationMs }) => {
          const [tone, sign] = signs[result]
          return (
            <li key={name} className="grid gap-2 rounded-2xl border border-line bg-card p-5">
              <span className="flex flex-wrap items-center justify-between gap-3">
                <span className="font-semibold">{text(`developers.check.${name}`)}</span>
                <span className="flex flex-wrap items-center gap-3">
                  <span className="text-dim text-sm tabular-nums">
                    {status === null ? null : `HTTP ${status} `}
                    {durationMs === null ? null : text('developers.ms', { count: durationMs })}
                  </span>
                  <Badge tone={tone} sign={sign}>
                    {text(`developers.result.${result}`)}
                  </Badge>
                </span>
              </span>
              <span className="text-dim">{expected}</span>
              {advice ? <span className="rounded-xl bg-bad-soft p-3 text-bad">{advice}</span> : null}
            </li>
          )
        })}
      </ol>
    </Section>
  )
}
