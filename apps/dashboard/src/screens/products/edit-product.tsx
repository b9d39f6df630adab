import { useQuery } from '@tanstack/react-query'
import { useNavigate, useParams } from '@tanstack/react-router'
import { type ReactNode, useState } from 'react'
import { api, contentOf } from '../../api/client.ts'
import { useWrite } from '../../api/use-write.ts'
import { text } from '../../messages/messages.ts'
import { Button } from '../../parts/button.tsx'
import { ConfirmDialog } from '../../parts/confirm-dialog.tsx'
import { FormProblem } from '../../parts/form-problem.tsx'
import { PageHeader } from '../../parts/page-header.tsx'
import { QueryView } from '../../parts/query-view.tsx'
import { useToast } from '../../parts/toasts.tsx'
import { useRole } from '../../session/use-role.ts'
import type { Product, ProductChange } from './product.ts'
import { ProductForm } from './product-form.tsx'
import { ProductStatus } from './product-table.tsx'
import { type ProductValues, requestOf, valuesOf } from './product-values.ts'

export function EditProduct(): ReactNode {
  const { productId } = useParams({ from: '/products/$productId' })
  const path = { id: productId }
  const product = useQuery({
    queryKey: ['products', 'one', productId],
    queryFn: async () => (await contentOf(api.GET('/api/inventory/{id}', { params: { path } }))).item,
  })
  return <QueryView query={product}>{(found) => <Editing key={found.updatedAt} product={found} />}</QueryView>
}

function Editing({ product }: { readonly product: Product }): ReactNode {
  const navigate = useNavigate()
  const say = useToast()
  const { isManager: maySell } = useRole()
  const path = { id: product.id }
  const change = useWrite(
    (body: ProductChange) => contentOf(api.PATCH('/api/inventory/{id}', { params: { path }, body })),
    [['products']],
  )
  const save = async (values: ProductValues) => {
    await change.mutateAsync(requestOf(values))
    say(text('products.saved', { name: values.name }))
    await navigate({ to: '/products' })
  }
  const restore = async () => {
    await change.mutateAsync({ status: 'draft' })
    say(text('products.restored', { name: product.name }))
  }
  const isArchived = product.status === 'archived'
  return (
    <>
      <PageHeader title={product.name} note={<ProductStatus status={product.status} />}>
        {maySell && !isArchived ? <ArchiveButton product={product} /> : null}
        {maySell && isArchived ? (
          <Button disabled={change.isPending} onClick={() => void restore().catch(() => {})}>
            {text('products.restore')}
          </Button>
        ) : null}
      </PageHeader>
      {isArchived ? (
        <div className="mb-4 grid gap-3">
          <p className="rounded-xl bg-wait-soft p-4 text-wait">{text('products.archived-note')}</p>
          <FormProblem error={change.error} />
        </div>
      ) : null}
      {/* A role without write access sees the same form, disabled. */}
      <fieldset disabled={!maySell || isArchived} className="min-w-0">
        <ProductForm values={valuesOf(product)} action={text('products.form.save')} onSave={save} />
      </fieldset>
    </>
  )
}

function ArchiveButton({ product }: { readonly product: Product }): ReactNode {
  const navigate = useNavigate()
  const say = useToast()
  const [isAsking, setAsking] = useState(false)
  const path = { id: product.id }
  const archive = useWrite(
    () => contentOf(api.DELETE('/api/inventory/{id}', { params: { path } })),
    [['products']],
  )
  const confirm = () =>
    archive.mutate(undefined, {
      onSuccess() {
        say(text('products.archived', { name: product.name }))
        void navigate({ to: '/products' })
      },
    })
  return (
    <>
      <Button look="danger" onClick={() => setAsking(true)}>
        {text('products.archive')}
      </Button>
      <ConfirmDialog
        isOpen={isAsking}
        onClose={() => setAsking(false)}
        title={text('products.archive.title', { name: product.name })}
        action={text('products.archive')}
        isBusy={archive.isPending}
        onConfirm={confirm}
      >
        <p>{text('products.archive.text')}</p>
        <FormProblem error={archive.error} />
      </ConfirmDialog>
    </>
  )
}
