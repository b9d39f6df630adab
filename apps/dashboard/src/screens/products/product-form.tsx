import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { ApiError } from '../../api/api-error.ts'
import { placeIssues } from '../../api/place-issues.ts'
import { readCents } from '../../format/cents.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CheckField, LongField, SelectField, TextField } from '../../parts/field.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { readStock } from './inline-cells.tsx'
import { type ProductValues, readAttributes } from './product-values.ts'

const fields: readonly (keyof ProductValues)[] = [
  'sku',
  'name',
  'description',
  'priceUsd',
  'costUsd',
  'stockQty',
  'category',
  'tags',
  'images',
  'attributes',
]

export function ProductForm({
  values,
  action,
  onSave,
}: {
  readonly values: ProductValues
  readonly action: string
  onSave(values: ProductValues): Promise<void>
}): ReactNode {
  const form = useForm<ProductValues>({ defaultValues: values })
  const { register, handleSubmit, setError, watch, formState } = form
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<{ readonly error: unknown; readonly others: readonly string[] }>()
  const submit = handleSubmit(async (typed) => {
    setFailure(undefined)
    try {
      await onSave(typed)
    } catch (error) {
      const fieldOf = (path: string) => fields.find((name) => name === path.split('/')[0])
      const others = placeIssues(error, fieldOf, (name, message) =>
        setError(name as keyof ProductValues, { message }, { shouldFocus: true }),
      )
      const isPlaced = error instanceof ApiError && error.issues.length > others.length && others.length === 0
      if (!isPlaced) setFailure({ error, others })
    }
  })
  const price = {
    validate: (typed: string) => readCents(typed) !== undefined || text('products.price.wrong'),
  }
  const optionalPrice = {
    validate: (typed: string) =>
      typed.trim() === '' || readCents(typed) !== undefined || text('products.price.wrong'),
  }
  const isCounted = watch('isCounted')
  return (
    <form onSubmit={(event) => void submit(event)} noValidate className="grid max-w-3xl gap-5">
      <Card title={text('products.form.what')}>
        <div className="grid gap-4">
          <TextField
            label={text('products.form.name')}
            maxLength={200}
            error={errors.name?.message}
            {...register('name', { validate: filled })}
          />
          <TextField
            label={text('products.form.sku')}
            hint={text('products.form.sku.hint')}
            maxLength={64}
            error={errors.sku?.message}
            {...register('sku', { validate: filled })}
          />
          <LongField
            label={text('products.form.description')}
            maxLength={4000}
            error={errors.description?.message}
            {...register('description')}
          />
        </div>
      </Card>
      <Card title={text('products.form.price-and-stock')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <TextField
            label={text('products.form.price')}
            inputMode="decimal"
            error={errors.priceUsd?.message}
            {...register('priceUsd', price)}
          />
          <TextField
            label={text('products.form.cost')}
            hint={text('products.form.cost.hint')}
            inputMode="decimal"
            error={errors.costUsd?.message}
            {...register('costUsd', optionalPrice)}
          />
          <CheckField
            label={text('products.form.counted')}
            hint={text('products.form.counted.hint')}
            {...register('isCounted')}
          />
          {isCounted ? (
            <TextField
              label={text('products.form.stock')}
              inputMode="numeric"
              error={errors.stockQty?.message}
              {...register('stockQty', { validate: countIsRight })}
            />
          ) : (
            <span />
          )}
          <CheckField
            label={text('products.form.taxable')}
            hint={text('products.form.taxable.hint')}
            {...register('taxable')}
          />
        </div>
      </Card>
      <Card title={text('products.form.in-the-shop')}>
        <div className="grid gap-4 sm:grid-cols-2">
          <SelectField
            label={text('products.form.status')}
            hint={text('products.form.status.hint')}
            {...register('status')}
          >
            <option value="active">{text('products.status.active')}</option>
            <option value="draft">{text('products.status.draft')}</option>
          </SelectField>
          <TextField
            label={text('products.form.category')}
            maxLength={200}
            error={errors.category?.message}
            {...register('category')}
          />
          <TextField
            label={text('products.form.tags')}
            hint={text('products.form.tags.hint')}
            error={errors.tags?.message}
            {...register('tags')}
          />
          <LongField
            label={text('products.form.images')}
            hint={text('products.form.images.hint')}
            rows={3}
            error={errors.images?.message}
            {...register('images')}
          />
          <LongField
            label={text('products.form.attributes')}
            hint={text('products.form.attributes.hint')}
            rows={3}
            error={errors.attributes?.message}
            {...register('attributes', {
              validate: (typed) =>
                readAttributes(typed) !== undefined || text('products.form.attributes.wrong'),
            })}
          />
        </div>
      </Card>
      <FormProblem {...(failure ?? { error: undefined })} />
      <div className="flex flex-wrap gap-3">
        <Button type="submit" look="main" disabled={isSubmitting}>
          {action}
        </Button>
        <LinkButton to="/products">{text('app.cancel')}</LinkButton>
      </div>
    </form>
  )
}

function filled(typed: string): true | string {
  return typed.trim() !== '' || text('app.required')
}

function countIsRight(typed: string): true | string {
  const count = readStock(typed)
  return (typed.trim() !== '' && count !== undefined && count >= 0) || text('products.stock.wrong')
}
