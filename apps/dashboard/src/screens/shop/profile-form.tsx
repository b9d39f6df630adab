import { type ReactNode, useState } from 'react'
import { type FieldPath, useFieldArray, useForm } from 'react-hook-form'
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
import { useToast } from '../../parts/toasts.tsx'
import { LeaveGuard } from './leave-guard.tsx'
import { LinkRows } from './link-rows.tsx'
import type { ShopConfig } from './shop-config.ts'
import { changeOf, type ShopValues, shopFields, valuesOf } from './shop-values.ts'
import { SlugField } from './slug-field.tsx'

type Failure = { readonly error: unknown; readonly others: readonly string[] }

export function ProfileForm({ shop }: { readonly shop: ShopConfig | null }): ReactNode {
  const say = useToast()
  const form = useForm<ShopValues>({ defaultValues: valuesOf(shop) })
  const { register, control, handleSubmit, setError, setValue, watch, reset, formState } = form
  const { errors, isDirty, dirtyFields, isSubmitting } = formState
  const links = useFieldArray({ control, name: 'links' })
  const [failure, setFailure] = useState<Failure>()
  const change = useWrite(
    (values: ShopValues) => {
      const body = changeOf(values, dirtyFields.slug === true)
      return contentOf(api.POST('/api/shop/config', { body }))
    },
    [['shop']],
  )
  const submit = handleSubmit(async (values) => {
    setFailure(undefined)
    try {
      await change.mutateAsync(values)
      reset(values)
      say(text('shop.saved'))
    } catch (error) {
      if (error instanceof ApiError && error.code === 'slug_taken')
        return setError('slug', { message: text('shop.slug.taken') }, { shouldFocus: true })
      const others = placeIssues(error, fieldOf, (field, message) =>
        setError(field as FieldPath<ShopValues>, { message }),
      )
      if (others.length > 0 || !(error instanceof ApiError && error.issues.length > 0))
        setFailure({ error, others })
    }
  })
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="grid max-w-3xl gap-5">
      <LeaveGuard isDirty={isDirty && !isSubmitting} />
      <Card title={text('shop.profile')}>
        <div className="grid gap-4">
          <TextField
            label={text('shop.name')}
            hint={text('shop.name.hint')}
            maxLength={200}
            error={errors.name?.message}
            {...register('name')}
          />
          <SlugField
            value={watch('slug')}
            error={errors.slug?.message}
            onChange={(slug) => setValue('slug', slug, { shouldDirty: true })}
          />
          <LongField
            label={text('shop.description')}
            hint={text('shop.description.hint')}
            rows={2}
            maxLength={4000}
            error={errors.description?.message}
            {...register('description')}
          />
          <LongField
            label={text('shop.bio')}
            hint={text('shop.bio.hint')}
            maxLength={4000}
            error={errors.bio?.message}
            {...register('bio')}
          />
        </div>
      </Card>
      <Card title={text('shop.storefront')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField label={text('shop.arrangement')} {...register('arrangement')}>
            <option value="grid">{text('shop.arrangement.grid')}</option>
            <option value="featured_first">{text('shop.arrangement.featured')}</option>
            <option value="groups">{text('shop.arrangement.groups')}</option>
            <option value="carousel">{text('shop.arrangement.carousel')}</option>
          </SelectField>
          <SelectField label={text('shop.pack')} hint={text('shop.pack.hint')} {...register('industryPack')}>
            <option value="">{text('shop.pack.none')}</option>
            <option value="retail">{text('shop.pack.retail')}</option>
            <option value="restaurant">{text('shop.pack.restaurant')}</option>
            <option value="hotel">{text('shop.pack.hotel')}</option>
            <option value="freelancer">{text('shop.pack.freelancer')}</option>
          </SelectField>
          <TextField
            label={text('shop.points')}
            hint={text('shop.points.hint')}
            inputMode="decimal"
            error={errors.xpPerDollar?.message}
            {...register('xpPerDollar', {
              validate: (typed) => readCents(typed) !== undefined || text('shop.points.wrong'),
            })}
          />
        </div>
      </Card>
      <Card title={text('shop.links')} note={text('shop.links.note')}>
        <LinkRows rows={links} register={register} errors={errors} />
      </Card>
      <FormProblem {...(failure ?? { error: undefined })} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="main" disabled={isSubmitting || !isDirty}>
          {text('shop.save')}
        </Button>
        <Button disabled={!isDirty} onClick={() => reset(valuesOf(shop))}>
          {text('shop.discard')}
        </Button>
      </div>
    </form>
  )
}

/** Converts `links/0/url` to `links.0.url`. */
function fieldOf(path: string): string | undefined {
  const [head] = path.split('/')
  return shopFields.some((name) => name === head) ? path.replaceAll('/', '.') : undefined
}
