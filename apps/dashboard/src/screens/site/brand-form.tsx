import { useNavigate } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { type FieldPath, useForm } from 'react-hook-form'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { placeIssues } from '../../api/place-issues.ts'
import { useWrite } from '../../api/use-write.ts'
import { readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { LongField, SelectField, TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { BrandLook } from './brand-look.tsx'
import { type BrandValues, changeOf, sumOf, tokens, valuesOf } from './brand-values.ts'
import { type Brand, ownKey } from './brands.ts'
import { ReserveFields } from './reserve-fields.tsx'

type Failure = { readonly error: unknown; readonly others: readonly string[] }

const whole = 1_000_000n

export function BrandForm({
  brand,
  taken,
}: {
  readonly brand: Brand | undefined
  readonly taken: readonly string[]
}): ReactNode {
  const navigate = useNavigate()
  const say = useToast()
  const form = useForm<BrandValues>({ defaultValues: valuesOf(brand) })
  const { register, handleSubmit, setError, watch, formState } = form
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<Failure>()
  const put = useWrite(
    (values: BrandValues) => contentOf(api.POST('/api/site/config', { body: changeOf(values) })),
    [['brands'], ['site']],
  )
  const submit = handleSubmit(async (values) => {
    setFailure(undefined)
    try {
      await put.mutateAsync(values)
      say(text('site.brand.saved', { name: values.brandName }))
      await navigate({ to: '/site' })
    } catch (error) {
      const others = placeIssues(error, fieldOf, (field, message) =>
        setError(field as FieldPath<BrandValues>, { message }),
      )
      if (others.length > 0 || !(error instanceof ApiError && error.issues.length > 0))
        setFailure({ error, others })
    }
  })
  const isOwn = brand?.key === ownKey
  const hasRatios = watch('hasRatios')
  const isWhole = !hasRatios || sumOf(watch('ratios')) === whole
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="grid max-w-3xl gap-5">
      <Card title={text('site.brand')}>
        <div className="grid gap-4">
          {brand ? null : (
            <TextField
              label={text('site.key')}
              hint={text('site.key.hint')}
              maxLength={32}
              spellCheck={false}
              error={errors.brandKey?.message}
              {...register('brandKey', {
                required: text('app.required'),
                validate: (key) => !taken.includes(key) || text('site.key.taken'),
              })}
            />
          )}
          <TextField
            label={text('site.name')}
            maxLength={200}
            error={errors.brandName?.message}
            {...register('brandName', { required: text('app.required') })}
          />
          {isOwn ? (
            <p className="text-dim">{text('site.domains.own')}</p>
          ) : (
            <LongField
              label={text('site.domains')}
              hint={text('site.domains.hint')}
              rows={3}
              spellCheck={false}
              error={errors.domains?.message}
              {...register('domains')}
            />
          )}
        </div>
      </Card>
      <BrandLook register={register} errors={errors} />
      <Card title={text('site.money')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={text('site.fee.field')}
            hint={text('site.fee.hint')}
            inputMode="decimal"
            error={errors.fee?.message}
            {...register('fee', { validate: feeIsRight })}
          />
          <SelectField label={text('site.token')} hint={text('site.token.hint')} {...register('token')}>
            {tokens.map((token) => (
              <option key={token}>{token}</option>
            ))}
          </SelectField>
        </div>
        <ReserveFields
          register={register}
          ratios={watch('ratios')}
          isOn={hasRatios}
          error={errors.ratios?.message}
        />
      </Card>
      <FormProblem {...(failure ?? { error: undefined })} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="main" disabled={isSubmitting || !isWhole}>
          {text('site.save')}
        </Button>
        <LinkButton to="/site">{text('app.cancel')}</LinkButton>
      </div>
    </form>
  )
}

function feeIsRight(typed: string): true | string {
  if (typed.trim() === '') return true
  const fee = readCents(typed)
  return (fee !== undefined && fee <= 2_000n) || text('site.fee.wrong')
}

function fieldOf(path: string): string | undefined {
  const [head = '', next] = path.split('/')
  const names: Readonly<Record<string, string>> = {
    brandKey: 'brandKey',
    domains: 'domains',
    processingFeePct: 'fee',
    defaultPaymentToken: 'token',
    reserveRatios: 'ratios',
  }
  return head === 'theme' ? next : names[head]
}
