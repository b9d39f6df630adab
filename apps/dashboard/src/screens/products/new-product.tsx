import { useNavigate } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { ApiError } from '../../api/api-error.ts'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { PageHeader } from '../../parts/page-header.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { ProductForm } from './product-form.tsx'
import { newValues, type ProductValues, requestOf } from './product-values.ts'

export function NewProduct(): ReactNode {
  const navigate = useNavigate()
  const say = useToast()
  const put = useWrite(
    async (values: ProductValues) => {
      const body = requestOf(values)
      await refuseKnownSku(body.sku)
      return contentOf(api.POST('/api/inventory', { body }))
    },
    [['products']],
  )
  const save = async (values: ProductValues) => {
    await put.mutateAsync(values)
    say(text('products.created', { name: values.name }))
    await navigate({ to: '/products' })
  }
  return (
    <>
      <PageHeader title={text('products.form.new')} />
      <ProductForm values={newValues} action={text('products.form.create')} onSave={save} />
    </>
  )
}

/** Rejects an existing SKU, because the POST would change that product. */
async function refuseKnownSku(sku: string): Promise<void> {
  const query = { q: sku, status: 'any', limit: 200 } as const
  const { items } = await contentOf(api.GET('/api/inventory', { params: { query } }))
  if (!items.some((item) => item.sku === sku)) return
  const message = text('products.form.sku.taken')
  throw new ApiError(
    409,
    { error: 'product_conflict', message, issues: [{ path: 'sku', message }] },
    undefined,
  )
}
