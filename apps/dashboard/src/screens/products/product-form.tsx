import { type ReactNode, useState } from 'react'
import { useForm } from 'react-hook-form'
import { showIssues } from '../../api/show-issues.ts'
import { readDecimal } from '../../format/decimal.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { Card } from '../../parts/card.tsx'
import { CheckField, LongField, SelectField, TextField } from '../../parts/field.tsx'
import { LinkButton } from '../../parts/link-button.tsx'
import { WriteError } from '../../parts/write-error.tsx'
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

/** Everything that can be said of a product. */
export function ProductForm({
  values,
  action,
  onSave,
}: {
  readonly values: ProductValues
  readonly action: string
  /** Sends it. @throws what the service refuses */
  onSave(values: ProductValues): Promise<void>
}): ReactNode {
  const form = useForm<ProductValues>({ defaultValues: values })
  const { register, handleSubmit, setError, watch, formState } = form
  const { errors, isSubmitting } = formState
  const [failure, setFailure] = useState<unknown>()
  const submit = handleSubmit(async (typed) => {
    setFailure(undefined)
    try {
      await onSave(typed)
    } catch (error) {
      const isPlaced = showIssues(error, setError, (path) =>
        fields.find((name) => name === path.split('/')[0]),
      )
      if (!isPlaced) setFailure(error)
    }
  })
  const price = {
    validate: (typed: string) => readDecimal(typed, 2) !== undefined || text('products.price.wrong'),
  }
  const optionalPrice = {
    validate: (typed: string) =>
      typed.trim() === '' || readDecimal(typed, 2) !== undefined || text('products.price.wrong'),
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
      <WriteError error={failure} />
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
