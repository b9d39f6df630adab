import type { ReactNode } from 'react'
import { useFormContext } from 'react-hook-form'
import { text } from '../../messages/messages.ts'
import { TextField } from '../../parts/field.tsx'
import type { Draft } from './draft.ts'

const merged = ['id', 'email', 'reference', 'expires', 'returnUrl', 'webhookUrl'] as const

/** The optional fields, collapsed unless one of them has an error. */
export function LinkOptions(): ReactNode {
  const { register, formState } = useFormContext<Draft>()
  const { errors } = formState
  const isWrong = merged.some((name) => name in errors)
  return (
    <details open={isWrong || undefined} className="rounded-2xl border border-line bg-card p-5 md:p-6">
      <summary className="min-h-8 cursor-pointer py-1 font-semibold">{text('new-link.more')}</summary>
      <div className="grid gap-5 pt-4 sm:grid-cols-2">
        <TextField
          label={text('new-link.id')}
          hint={text('new-link.id.hint')}
          maxLength={128}
          error={errors.id?.message}
          {...register('id', { validate: (typed) => typed.trim() !== '' || text('app.required') })}
        />
        <TextField
          label={text('new-link.reference')}
          hint={text('new-link.reference.hint')}
          error={errors.reference?.message}
          {...register('reference')}
        />
        <TextField
          type="email"
          label={text('new-link.email')}
          hint={text('new-link.email.hint')}
          error={errors.email?.message}
          {...register('email')}
        />
        <TextField
          type="datetime-local"
          label={text('new-link.expires')}
          hint={text('new-link.expires.hint')}
          error={errors.expires?.message}
          {...register('expires', {
            validate: (typed) =>
              typed === '' || new Date(typed).getTime() > Date.now() || text('new-link.error.expires'),
          })}
        />
        <TextField
          type="url"
          label={text('new-link.return-url')}
          hint={text('new-link.return-url.hint')}
          placeholder="https://"
          error={errors.returnUrl?.message}
          {...register('returnUrl')}
        />
        <TextField
          type="url"
          label={text('new-link.webhook-url')}
          hint={text('new-link.webhook-url.hint')}
          placeholder="https://"
          error={errors.webhookUrl?.message}
          {...register('webhookUrl')}
        />
      </div>
    </details>
  )
}
